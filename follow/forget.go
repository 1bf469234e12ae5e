package follow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/capture"
	"orihon/internal/meaning"
	"orihon/internal/terms"
	"orihon/internal/verbs"
	"orihon/items"
	"orihon/memory"
)

// Which statements a request to forget means, by how much of what it says stands in each,
// weighed by how rare its words are. On 126 requests by two writers, each against 24
// notes, 84 are taken for the right one, 2 for a wrong one, 26 are asked about.
const (
	meantAtLeast = 0.7
	meantApart   = 0.7 // of the best: what reaches it may be meant as well
	mostMeant    = 3   // that a person is asked about
	// An agent is there to understand which of several is meant.
	offeredAtLeast = 0.3
	offeredApart   = 0.4
	mostOffered    = 5
)

// meant are the statements that a request to forget may mean, the likeliest first, at
// most one more than a person is asked about.
func meant(ctx context.Context, v *verbs.Verbs, request string) ([]memory.Item, error) {
	return nearest(ctx, v, request, meantAtLeast, meantApart, mostMeant+1)
}

// offered are those that an agent is asked about.
func offered(ctx context.Context, v *verbs.Verbs, request string) ([]memory.Item, error) {
	return nearest(ctx, v, request, offeredAtLeast, offeredApart, mostOffered)
}

// nearest are the statements in which so much of a request stands, and so large a part
// of what stands in the best.
func nearest(ctx context.Context, v *verbs.Verbs, request string, least, apart float64, most int) ([]memory.Item, error) {
	const room = 8000 // tokens: whatever bears on it
	found, err := v.Recall(ctx, memory.Query{Text: request, Kinds: []memory.Kind{memory.Semantic, memory.Procedural}, Threshold: -1, MaxTokens: room})
	if err != nil {
		return nil, err
	}
	type weighed struct {
		item memory.Item
		says float64
	}
	var all []weighed
	asked := meaning.Builtin().Said(terms.Query(request))
	for i := range found.Hits {
		p := &found.Hits[i].Passage
		if p.SupersededBy == "" {
			exact, near := asked.In(meaning.Builtin().Said(terms.Index(p.Item.Title + "\n" + p.Item.Content)))
			all = append(all, weighed{p.Item, exact + near})
		}
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(b.says, a.says) })
	var out []memory.Item
	for i := range all {
		if all[i].says >= max(least, apart*all[0].says) && len(out) < most {
			out = append(out, all[i].item)
		}
	}
	return out, nil
}

// forget ends what a request to forget clearly means; where it may mean several, or
// what is not the user's own to end, it says which. Undo brings it back.
func forget(ctx context.Context, v *verbs.Verbs, n *Noticed, dryRun bool) (err error) {
	if n.meant, err = meant(ctx, v, n.Text); err != nil {
		return err
	}
	switch {
	case len(n.meant) == 0:
		n.Verdict, n.Why = Drop, "asks to forget something, and memory holds nothing like it"
	case len(n.meant) > 1 || n.Score < capture.ForgetSure || !n.meant[0].Scope.Private():
		n.Verdict, n.Why = Ask, "if this is to be forgotten: "+listed(n.meant[:min(len(n.meant), mostMeant)])
	default:
		it := n.meant[0]
		n.Verdict, n.Item, n.Why, n.Action = Keep, &it, "asks to forget: "+it.Content, "forget"
		if !dryRun {
			_, err = items.New(v.Home).ForgetAsked(ctx, it.ID, "the user asked: "+n.Text, n.Evidence)
		}
	}
	return err
}

func listed(meant []memory.Item) string {
	var out []string
	for i := range meant {
		out = append(out, fmt.Sprintf("%s (orihon forget %s)", meant[i].Content, memory.ShortID(meant[i].ID)))
	}
	return strings.Join(out, "; ")
}
