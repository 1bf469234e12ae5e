package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"orihon/memory"
)

// Restore brings a retired or archived item back as it was; one that is
// neither is only returned.
func (s *Store) Restore(ctx context.Context, id string) (memory.Item, error) {
	return s.restore(ctx, id, false)
}

// Unarchive brings an archived item back as it was. An atom goes back to where
// it stood; of a bullet the whole file does. The error wraps
// [memory.ErrNotFound] when no archive has the item. [Store.Restore] does the
// same, and brings back what was forgotten as well.
func (s *Store) Unarchive(ctx context.Context, id string) (memory.Item, error) {
	return s.restore(ctx, id, true)
}

func (s *Store) restore(ctx context.Context, id string, archived bool) (memory.Item, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return memory.Item{}, fmt.Errorf("restore %s: %w", id, err)
	}
	defer unlock()
	p, err := s.one(ctx, id)
	switch {
	case errors.Is(err, memory.ErrNotFound):
		return s.unarchive(ctx, id)
	case err == nil && archived && !p.archived:
		err = fmt.Errorf("%w in the archive", memory.ErrNotFound)
	case err == nil && !p.retired:
		return p.item, nil
	}
	if err != nil {
		return memory.Item{}, fmt.Errorf("item %s: %w", id, err)
	}
	return s.bringBack(ctx, p)
}

// bringBack undoes a retirement.
func (s *Store) bringBack(ctx context.Context, p place) (memory.Item, error) {
	err := mayWrite(&p)
	if err == nil {
		err = s.alter(ctx, p, func(l *ledgerLines) error { return l.add(p.item, p.raw) }, func() error { return s.restoreInAtom(p) })
	}
	if err != nil {
		return memory.Item{}, fmt.Errorf("restore %s: %w", p.item.ID, err)
	}
	return p.item, nil
}

// unarchive brings back what no living text knows: an atom's file, or an item
// whose lines have gone from its ledger.
func (s *Store) unarchive(ctx context.Context, id string) (memory.Item, error) {
	for i := range s.roots {
		for _, e := range archivedAtoms(&s.roots[i]) {
			m, _, err := s.readClean(e.asItStood())
			if err != nil || !m.atom {
				continue
			}
			p, ok := m.place(e, id)
			if !ok {
				continue
			}
			if err := s.moveAtom(e.root, e.file, filepath.Join(e.root.Dir, withoutMonth(e.root, &e))); err != nil {
				return memory.Item{}, fmt.Errorf("restore %s: %w", id, err)
			}
			return p.item, nil
		}
	}
	for i := range s.roots {
		r := &s.roots[i]
		records, _ := readParts(r)
		for j := range records {
			if rec := &records[j]; rec.ID == id {
				l := &ledgerLines{entry: ledgerEntry(r, cmp.Or(rec.ledger(r), ledgerName(rec.Kind)))}
				err := l.add(rec.Item, rec.raw, archivedAs)
				if err == nil {
					err = s.appendLedger(ctx, l)
				}
				if err != nil {
					return memory.Item{}, fmt.Errorf("restore %s: %w", id, err)
				}
				return rec.Item, nil
			}
		}
	}
	return memory.Item{}, fmt.Errorf("item %s: %w", id, memory.ErrNotFound)
}
