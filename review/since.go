package review

import (
	"context"
	"slices"

	"orihon/internal/learn"
	"orihon/internal/revise"
	"orihon/internal/space"
	"orihon/internal/verbs"
	"orihon/memory"
)

// mayEnd is from how likely on a later statement is shown as one that may end what waits.
const mayEnd = 0.2

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
// waits, that were said later and seem to end it, or said before and seem to be corrected
// by it. What the rules find to be about something else is none.
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
	var out []memory.Item
	for i, id := range near {
		it, there := living[id]
		stated := it.Kind == memory.Semantic || it.Kind == memory.Procedural
		if !there || !stated || !it.ValidTo.IsZero() || it.Scope != w.Item.Scope || id == w.Item.ID {
			continue
		}
		delete(living, id)
		if i < odds || w.since(&it) && revise.Ends(w.Item.Content, it.Content) >= mayEnd || corrects(&it, &w.Item) {
			out = append(out, it)
		}
	}
	return out, nil
}

// since reports whether an item was said, or put in these words, after what waits.
func (w *Pending) since(it *memory.Item) bool {
	return it.Metadata.CreatedAt.After(w.At) || it.Metadata.RewordedAt.After(w.At)
}

// changed is how likely a later statement ends an earlier one, by what the two say alone.
func changed(earlier, later string) float64 {
	return revise.Against([]string{earlier}).Read(later)[0].P
}

// corrects reports whether a later item plainly gives another value or name of what an
// earlier one says.
func corrects(earlier, later *memory.Item) bool {
	return revise.Rivals(earlier.Content, later.Content) && revise.Ends(earlier.Content, later.Content) >= revise.Plainly
}

// ends is the item that an approval of what waits ends: the one that it was held against,
// else one said before of which it plainly gives another value; nil for none. What says
// more than that stands, for nobody has spoken against the rest.
func (r *Review) ends(ctx context.Context, sp *space.Space, w *Pending, o Approval) (*memory.Item, error) {
	var all []memory.Item
	switch {
	case o.Both || o.Into != "":
	case w.Other != nil && (w.Kind == memory.QuestionConflict || w.Kind == memory.QuestionFrozen || w.Kind == memory.QuestionKeep):
		all = append(all, *w.Other)
	case w.Kind == memory.QuestionKeep:
		var err error
		if all, err = r.against(ctx, sp, w); err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(it memory.Item) bool { return w.since(&it) || !corrects(&it, &w.Item) })
	}
	for i := range all {
		if !revise.SaysMore(all[i].Content, w.Item.Content) {
			return &all[i], nil
		}
	}
	return nil, nil
}
