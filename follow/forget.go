package follow

import (
	"context"
	"fmt"
	"strings"

	"orihon/internal/verbs"
	"orihon/items"
	"orihon/memory"
)

// What a request to forget means, by how likely recall has it that a statement is
// wanted: the best one, when no other comes near it.
const (
	meantAtLeast = 0.25
	meantApart   = 2 // times as likely as the next
	mostMeant    = 3 // that a person is asked about
)

// forget ends what a request to forget clearly means; where it may mean several, or
// what is not the user's own to end, it says which. Undo brings it back.
func forget(ctx context.Context, v *verbs.Verbs, n *Noticed, dryRun bool) error {
	found, err := v.Recall(ctx, memory.Query{Text: n.Text, Kinds: []memory.Kind{memory.Semantic, memory.Procedural}, Threshold: -1})
	if err != nil {
		return err
	}
	var meant []memory.Hit
	for _, h := range found.Hits {
		if h.Probability >= meantAtLeast && (len(meant) == 0 || meantApart*h.Probability > meant[0].Probability) {
			meant = append(meant, h)
		}
	}
	switch {
	case len(meant) == 0:
		n.Verdict, n.Why = Drop, "asks to forget something, and memory holds nothing like it"
	case len(meant) > 1 || !meant[0].Passage.Item.Scope.Private():
		n.Verdict, n.Why = Ask, "asks to forget one of these: "+listed(meant[:min(len(meant), mostMeant)])
	default:
		it := meant[0].Passage.Item
		n.Verdict, n.Item, n.Why, n.Action = Keep, &it, "asks to forget: "+it.Content, "forget"
		if !dryRun {
			_, err = items.New(v.Home).Forget(ctx, it.ID, "the user asked: "+n.Text)
		}
	}
	return err
}

func listed(hits []memory.Hit) string {
	var b strings.Builder
	for i, h := range hits {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s (orihon forget %s)", h.Passage.Item.Content, h.Passage.Item.ID)
	}
	return b.String()
}
