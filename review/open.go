package review

import (
	"context"

	"orihon/internal/learn"
	"orihon/internal/revise"
	"orihon/internal/space"
	"orihon/memory"
)

// open are the questions of a space that still ask something, with the items they are
// weighed against: of a pair one side may be gone, replaced or in other words since, and
// then nobody need decide between the two. What waits against an item that was forgotten
// may still be worth keeping.
func (r *Review) open(ctx context.Context, sp *space.Space) (out []Pending, err error) {
	found, err := sp.Text.Candidates(ctx)
	if err != nil {
		return nil, err
	}
	var sides []string
	for i := range found {
		if c := &found[i]; c.Other != "" {
			sides = append(sides, c.Other, c.Item.ID)
		}
	}
	living, err := sp.Text.Living(ctx, sides...)
	if err != nil {
		return nil, err
	}
	for i := range found {
		c := &found[i]
		w := Pending{ID: c.ID, Kind: c.Kind, Item: c.Item, Why: c.Why, At: c.At, By: string(c.Item.Metadata.Source), beside: c.Other}
		other, there := living[c.Other]
		kept, stored := living[c.Item.ID]
		if stored {
			w.Item = kept // in the words that it has by now
		}
		switch {
		case there && c.Kind == memory.QuestionMerge && revise.Ends(other.Content, w.Item.Content) >= revise.Plainly:
			w.Other, w.Kind, w.Why = &other, memory.QuestionConflict, "it may change what is known"
		case there:
			w.Other = &other
		case c.Kind == memory.QuestionConflict && c.Other != "" && !stored:
			w.Kind, w.Why = memory.QuestionKeep, ""
		}
		if !w.over(stored) {
			out = w.among(out)
		}
	}
	return out, nil
}

// among adds a question to others; two that ask the same of one pair are one.
func (w *Pending) among(others []Pending) []Pending {
	for i := range others {
		if o := &others[i]; w.Other != nil && w.Kind == o.Kind && w.Item.ID == o.Item.ID && w.beside == o.beside {
			o.twins = append(o.twins, w.ID)
			return others
		}
	}
	return append(others, *w)
}

// over reports whether there is nothing left to decide. stored says that the item is kept
// already.
func (w *Pending) over(stored bool) bool {
	switch w.Kind {
	case memory.QuestionConflict, memory.QuestionUpdate, memory.QuestionFrozen, memory.QuestionMerge:
	default:
		return false
	}
	if w.Other == nil {
		return stored || w.Kind == memory.QuestionUpdate
	}
	if !w.Other.ValidTo.IsZero() || learn.SameWords(w.Other.Content, w.Item.Content) && !stored {
		return true
	}
	if w.Kind != memory.QuestionConflict || !w.Other.Metadata.RewordedAt.After(w.At) && !w.Item.Metadata.RewordedAt.After(w.At) {
		return false
	}
	switch learn.Read(w.Other.Content).Before(learn.Read(w.Item.Content)) {
	case learn.Duplicates, learn.Extends, learn.Unrelated:
		return true
	}
	return false
}
