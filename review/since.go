package review

import (
	"context"
	"slices"

	"orihon/internal/learn"
	"orihon/internal/revise"
	"orihon/internal/space"
	"orihon/internal/terms"
	"orihon/internal/verbs"
	"orihon/memory"
)

// ends is from how likely on a later statement is shown as one that may end what waits.
const ends = 0.2

// Weigh looks for statements that hold now and speak against those that wait, and puts
// them beside these as [Pending.Against]. It is no decision.
func (r *Review) Weigh(ctx context.Context, waiting []Pending) error {
	for i := range waiting {
		w := &waiting[i]
		if w.Kind != memory.QuestionKeep && w.Kind != CandidateShared {
			continue
		}
		sp, err := r.h.SpaceOf(w.Item.Scope)
		if err != nil {
			return err
		}
		if w.Against, err = r.against(ctx, sp, w); err != nil {
			return err
		}
	}
	return nil
}

// against are the statements that hold now and that the rules find at odds with what
// waits, or that were said later and seem to end it.
func (r *Review) against(ctx context.Context, sp *space.Space, w *Pending) ([]memory.Item, error) {
	find, err := verbs.LookupNow(ctx, sp, w.Item.Scope)
	if err != nil {
		return nil, err
	}
	found, err := learn.New(verbs.New(r.h).Learning(sp, find)).Reconcile(ctx, []memory.Item{w.Item})
	if err != nil {
		return nil, err
	}
	var near []string
	for _, f := range found {
		if f.Kind == learn.InConflict {
			near = append(near, f.Other)
		}
	}
	odds := len(near)
	alike, err := find(ctx, w.Item.Scope, w.Item.Content)
	if err != nil {
		return nil, err
	}
	for i := range alike {
		near = append(near, alike[i].Item.ID)
	}
	living, err := sp.Text.Living(ctx, near...)
	if err != nil {
		return nil, err
	}
	known := revise.Against([]string{w.Item.Content})
	var out []memory.Item
	for i, id := range near {
		it, there := living[id]
		stated := it.Kind == memory.Semantic || it.Kind == memory.Procedural
		if !there || !stated || !it.ValidTo.IsZero() || it.Scope != w.Item.Scope || id == w.Item.ID {
			continue
		}
		delete(living, id)
		later := it.Metadata.CreatedAt.After(w.At) || it.Metadata.RewordedAt.After(w.At)
		if i < odds || later && shares(it.Content, w.Item.Content) && known.Read(it.Content)[0].P >= ends {
			out = append(out, it)
		}
	}
	return out, nil
}

// shares reports whether two texts have a word that is not in everybody's mouth.
func shares(a, b string) bool {
	words := terms.Query(a)
	return slices.ContainsFunc(terms.Query(b), func(t string) bool { return !terms.Common(t) && slices.Contains(words, t) })
}
