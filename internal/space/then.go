package space

import (
	"context"
	"slices"
	"time"

	"orihon/internal/score"
	"orihon/memory"
)

// Then is an index of the space, see [Space.Reader], that tells what the text said at a
// time.
func (sp *Space) Then(ctx context.Context, index memory.Index, at time.Time) (memory.Index, error) {
	b, err := sp.Text.Then(ctx, at)
	if err != nil || b.Empty() {
		return index, err
	}
	return then{index, &b, score.NewPending(&b)}, nil
}

// then searches what once held in the place of what holds now.
type then struct {
	memory.Index
	batch *memory.Batch
	held  *score.Pending
}

// Search implements [memory.Index].
func (t then) Search(ctx context.Context, s memory.Search) (memory.Candidates, error) {
	s.Instead = t.batch
	return t.Index.Search(ctx, s)
}

// Fetch implements [memory.Index].
func (t then) Fetch(ctx context.Context, f memory.Filter, ids ...string) ([]memory.Passage, error) {
	found, err := t.Index.Fetch(ctx, f, ids...)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(p memory.Passage) bool { return t.held.Hides(&p) })
	for _, p := range t.held.Matching(&f) {
		if len(ids) == 0 || slices.Contains(ids, p.ID) {
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b memory.Passage) int {
		if len(ids) > 0 {
			return slices.Index(ids, a.ID) - slices.Index(ids, b.ID)
		}
		return b.Item.Metadata.CreatedAt.Compare(a.Item.Metadata.CreatedAt)
	})
	return found, nil
}

// Spelled implements [memory.Speller].
func (t then) Spelled(ctx context.Context, words []string) (map[string]string, error) {
	x, ok := t.Index.(memory.Speller)
	if !ok {
		return nil, nil
	}
	return x.Spelled(ctx, words)
}
