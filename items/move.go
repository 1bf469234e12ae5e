package items

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/learn"
	"orihon/internal/store"
	"orihon/memory"
)

// Move lets an item hold in another scope: it is written there under a new ID, and the
// old one is forgotten. Each of the two decisions names the other item, and an undo of
// one takes back both. It is refused with [memory.ErrRefused] where the user may not
// write, of a forgotten item, of a part of a file, and where the same is said already.
func (t *Items) Move(ctx context.Context, id string, to memory.Scope) (memory.Item, error) {
	target, err := t.h.SpaceOf(to)
	if err != nil {
		return memory.Item{}, err
	}
	unlock, err := t.everyTurn(ctx)
	if err != nil {
		return memory.Item{}, err
	}
	defer unlock()
	sp, s, err := t.find(ctx, id)
	if err != nil {
		return memory.Item{}, err
	}
	if err := t.mayMove(ctx, &s, to); err != nil {
		return s.Item, err
	}
	for other, err := range target.Text.Scan(ctx) {
		if it := &other.Item; err == nil && !other.Retired && it.ValidTo.IsZero() && it.Scope == to && learn.Same(it.Content, s.Item.Content) {
			return s.Item, fmt.Errorf("item %s: %w: %s says the same in %s: orihon forget %s takes this one out", s.Item.ID, memory.ErrRefused, it.ID, to, s.Item.ID)
		}
	}
	now := s.Item.Clone()
	now.ID, now.Scope, now.Metadata.UpdatedAt = t.h.NewID(), to, t.h.Now().UTC()
	why := "moved to " + string(to)
	if err := target.Text.Put(ctx, now); err != nil {
		return now, err
	}
	if err := sp.Text.Remove(ctx, s.Item.ID, why, now.Metadata.UpdatedAt); err != nil {
		return now, err
	}
	if err := t.audited(ctx, sp, []memory.Scope{s.Item.Scope}, memory.AuditRecord{Op: memory.AuditRetire, ID: s.Item.ID, Other: now.ID, Why: why}); err != nil {
		return now, err
	}
	return now, t.audited(ctx, target, []memory.Scope{to}, memory.AuditRecord{Op: memory.AuditAdd, ID: now.ID, Other: s.Item.ID, Why: "moved from " + string(s.Item.Scope)})
}

func (t *Items) mayMove(ctx context.Context, s *memory.Stored, to memory.Scope) error {
	refused := func(why string) error { return fmt.Errorf("item %s: %w: %s", s.Item.ID, memory.ErrRefused, why) }
	switch {
	case s.Retired:
		return refused("it was forgotten; restore it first")
	case store.Unaccepted(s.Item.ID):
		return refused("it came with the repository and you have not accepted it: orihon review --repository")
	case strings.Contains(s.Item.ID, "#"):
		return refused("it is a part of " + s.Path + ": edit the file")
	case s.Item.Scope == to:
		return refused("it is in " + string(to) + " already")
	}
	return t.mayChange(ctx, &s.Item)
}

// everyTurn waits until nobody else writes to either space.
func (t *Items) everyTurn(ctx context.Context) (unlock func(), err error) {
	var all []func()
	unlock = func() {
		for _, u := range slices.Backward(all) {
			u()
		}
	}
	for _, sp := range t.h.Spaces() {
		u, err := sp.Turn(ctx)
		if err != nil {
			unlock()
			return nil, err
		}
		all = append(all, u)
	}
	return unlock, nil
}

// counterpart is the decision among some that goes with one, as of a move: each is about
// the item that the other names, and one of these was taken out. It must be the last about
// its item; nil without one.
func counterpart(among []decision, of *memory.AuditRecord) *decision {
	if of.Other == "" {
		return nil
	}
	for i := range slices.Backward(among) {
		if d := &among[i]; d.ID == of.Other {
			if d.Other == of.ID && (d.Op == memory.AuditRetire) != (of.Op == memory.AuditRetire) {
				return d
			}
			return nil
		}
	}
	return nil
}
