package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"orihon/internal/jsonl"
	"orihon/memory"
)

var _ memory.Versioned = (*Store)(nil)

// Versions returns everything the text says about an item, oldest first. A
// ledger keeps every version; of an atom, and of a bullet, there is the present
// one and what it said before this program changed it. Lines that cannot be read
// are left out. The error wraps [memory.ErrNotFound] when the text never knew
// the item.
func (s *Store) Versions(ctx context.Context, id string) ([]memory.Version, error) {
	p, err := s.one(ctx, id)
	if errors.Is(err, memory.ErrNotFound) {
		if gone := s.goneVersions(id); len(gone) > 0 {
			return gone, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("item %s: %w", id, err)
	}
	if p.entry.kind == kindLedger {
		out, err := ledgerVersions(&p.entry, id)
		if errors.Is(err, fs.ErrNotExist) {
			err = memory.ErrNotFound
		}
		if err != nil {
			return nil, fmt.Errorf("item %s: %w", id, err)
		}
		return out, nil
	}
	line := 0
	stored, _ := s.items(&p.entry)
	for i := range stored {
		if stored[i].Item.ID == id {
			line = stored[i].Line
		}
	}
	return s.atomHistory(&p, line)
}

// atomHistory is everything known about an atom or a bullet, oldest first.
func (s *Store) atomHistory(p *place, line int) ([]memory.Version, error) {
	e := s.past(p.entry.root)
	known, err := ledgerVersions(&e, p.item.ID)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	now := since(known, p)
	if len(known) == 0 {
		now = atomVersions(p, line)
	}
	for i := range now {
		now[i].Path, now[i].Line = p.entry.path, line
	}
	return append(known, now...), nil
}

// goneVersions is what is known of an atom or a bullet that stands nowhere any
// more, at least not among what lives.
func (s *Store) goneVersions(id string) []memory.Version {
	for i := range s.roots {
		e := s.past(&s.roots[i])
		known, err := ledgerVersions(&e, id)
		if err != nil || len(known) == 0 {
			return nil
		}
		if written, ok := s.writtenScope(id); !ok || written == e.root.Scope {
			return known
		}
	}
	return nil
}

// writtenScope is the scope that the past of an item says.
func (s *Store) writtenScope(id string) (scope memory.Scope, ok bool) {
	wanted := lineFilter(map[string]bool{id: true})
	_, _ = jsonl.Read(filepath.Join(s.state, pastName), 0, func(line []byte, _ int64, _ int) error {
		var head struct {
			ID    string       `json:"id"`
			Scope memory.Scope `json:"scope"`
		}
		if wanted(line) && json.Unmarshal(line, &head) == nil && head.ID == id && head.Scope != "" {
			scope, ok = head.Scope, true
		}
		return nil
	})
	return scope, ok
}
