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
// weighed by how rare its words are. Of 585 requests, each against 24 notes, so 299 are
// taken for the right note and 5 for a wrong one; of the others the five nearest hold
// what is meant for 256. They were chosen on these.
const (
	meantAtLeast = 0.7
	meantApart   = 0.6 // of the best: what reaches it may be meant as well
	meantMore    = 0.6 // what another says that the best does not: it may be meant as well
	mostMeant    = 3   // that a person is asked about
	// An agent is there to understand which of several is meant.
	offeredAtLeast = 0.3 // of the best, where it is less than sure that the prompt asks
	mostOffered    = 5
)

// nearness is a statement with how much of each word of a request it says, and of all.
type nearness struct {
	item  memory.Item
	words []float64
	says  float64
}

// nearest are the statements near a request, those that say most of it first.
func nearest(ctx context.Context, v *verbs.Verbs, request string) ([]nearness, error) {
	const room = 8000 // tokens: whatever bears on it
	found, err := v.Recall(ctx, memory.Query{Text: request, Kinds: []memory.Kind{memory.Semantic, memory.Procedural}, Threshold: -1, MaxTokens: room})
	if err != nil {
		return nil, err
	}
	var all []nearness
	asked := meaning.Builtin().Said(terms.Query(request))
	for i := range found.Hits {
		p := &found.Hits[i].Passage
		if p.SupersededBy != "" {
			continue
		}
		n := nearness{item: p.Item, words: asked.Words(meaning.Builtin().Said(terms.Index(p.Item.Title + "\n" + p.Item.Content)))}
		for _, x := range n.words {
			n.says += x
		}
		all = append(all, n)
	}
	slices.SortStableFunc(all, func(a, b nearness) int { return cmp.Compare(b.says, a.says) })
	return all, nil
}

// meant are the statements that a request may mean, the likeliest first.
func meant(all []nearness) (out []memory.Item) {
	for i := range all {
		more := 0.0
		for w, x := range all[i].words {
			more += max(0, x-all[0].words[w])
		}
		if all[0].says >= meantAtLeast && (all[i].says >= meantApart*all[0].says || more >= meantMore) {
			out = append(out, all[i].item)
		}
	}
	return out
}

// offered are those that an agent is asked about.
func offered(ctx context.Context, v *verbs.Verbs, n *Noticed) ([]memory.Item, error) {
	all, err := nearest(ctx, v, n.Text)
	if err != nil || len(all) == 0 || n.Score < capture.ForgetSure && all[0].says < offeredAtLeast {
		return nil, err
	}
	var out []memory.Item
	for i := range all[:min(len(all), mostOffered)] {
		out = append(out, all[i].item)
	}
	return out, nil
}

// forget ends what a request to forget clearly means; where it may mean several, or
// what is not the user's own to end, it says which. Undo brings it back.
func forget(ctx context.Context, v *verbs.Verbs, n *Noticed, dryRun bool) (err error) {
	all, err := nearest(ctx, v, n.Text)
	if err != nil {
		return err
	}
	n.meant = meant(all)
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
