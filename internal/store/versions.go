package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"time"

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
	for st, err := range s.Scan(ctx) {
		if err == nil && st.Item.ID == id && st.Path == p.entry.path {
			return s.atomHistory(&p, st.Line)
		}
	}
	return s.atomHistory(&p, 0)
}

func ledgerVersions(e *entry, id string) ([]memory.Version, error) {
	var out []memory.Version
	retired := false
	wanted := lineFilter(map[string]bool{id: true})
	_, err := jsonl.Read(e.file, 0, func(line []byte, _ int64, number int) error {
		if !wanted(line) {
			return nil
		}
		rec, _, err := parseLine(line, e.root.Scope)
		if err != nil || rec.ID != id {
			return nil
		}
		v := memory.Version{Op: memory.VersionWritten, Item: rec.Item, Path: e.path, Line: number, At: rec.Metadata.UpdatedAt}
		switch {
		case rec.Op == "retire" && (len(out) == 0 || retired && (rec.archives() || out[len(out)-1].Op == memory.VersionRetired)):
			return nil // there is nothing to retire
		case rec.archives():
			v.Op, v.Item, v.At, v.Why = memory.VersionArchived, out[len(out)-1].Item, rec.At, rec.Why
		case rec.Op == "retire":
			v.Op, v.Item, v.At, v.Why = memory.VersionRetired, out[len(out)-1].Item, rec.At, rec.Why
		case retired && reflect.DeepEqual(rec.Item, out[len(out)-1].Item):
			v.Op, v.At = memory.VersionRestored, time.Time{} // its times are those of the version
		case v.At.IsZero():
			v.At = rec.Metadata.CreatedAt
		}
		retired = v.Op == memory.VersionRetired || v.Op == memory.VersionArchived
		out = append(out, v)
		return nil
	})
	return out, err
}

func atomVersions(p *place, line int) []memory.Version {
	m := &p.item.Metadata
	at := m.UpdatedAt
	if at.IsZero() {
		at = m.CreatedAt
	}
	out := []memory.Version{{Op: memory.VersionWritten, Item: p.item, Path: p.entry.path, Line: line, At: at}}
	if p.retired {
		out = append(out, memory.Version{Op: memory.VersionRetired, Item: p.item, Path: p.entry.path, Line: line, Why: p.why})
	}
	return out
}
