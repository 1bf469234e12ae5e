package space

import (
	"context"
	"errors"
	"slices"
	"time"

	"orihon/memory"
)

// Text is the text of a space as its user may write it: what only management
// decides on is refused, whoever calls.
type Text struct {
	Store
	mayChange func(ctx context.Context, it *memory.Item) error
	project   string // in which decisions are made, see [Options.Project]
}

// Audit implements [memory.AuditTrail].
func (t Text) Audit(ctx context.Context, records ...memory.AuditRecord) error {
	if t.project != "" {
		records = slices.Clone(records)
		for i := range records {
			records[i].Project = t.project
		}
	}
	return t.Store.Audit(ctx, records...)
}

// Put implements [memory.Store].
func (t Text) Put(ctx context.Context, items ...memory.Item) error {
	for i := range items {
		if err := t.may(ctx, &items[i]); err != nil {
			return err
		}
	}
	return t.Store.Put(ctx, items...)
}

// Remove implements [memory.Store].
func (t Text) Remove(ctx context.Context, id, reason string, at time.Time) error {
	if it, err := t.Get(ctx, id); err == nil {
		if err := t.may(ctx, &it); err != nil {
			return err
		}
	}
	return t.Store.Remove(ctx, id, reason, at)
}

func (t Text) may(ctx context.Context, it *memory.Item) error {
	if t.mayChange == nil {
		return nil
	}
	return t.mayChange(ctx, it)
}

// Known is an item as it is now; nil without an ID, or when it is gone.
func (sp *Space) Known(ctx context.Context, id string) (*memory.Item, error) {
	if id == "" {
		return nil, nil
	}
	it, err := sp.Text.Get(ctx, id)
	if errors.Is(err, memory.ErrNotFound) {
		return nil, nil
	}
	return &it, err
}
