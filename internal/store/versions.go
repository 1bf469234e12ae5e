package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

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

// pastName is the ledger of what atoms and bullets said before this program
// changed them, in the state folder: their files keep only the present. It is
// never read as memory, only by [Store.Versions].
const pastName = "atoms.jsonl"

func (s *Store) past(r *Root) entry {
	return entry{root: r, path: pastName, file: filepath.Join(s.state, pastName), kind: kindLedger}
}

// since lists what happened to an atom after what is known of it.
func since(known []memory.Version, p *place) (out []memory.Version) {
	last := memory.Version{}
	if len(known) > 0 {
		last = known[len(known)-1]
	}
	now := atomVersions(p, 0)
	switch {
	case last.Op == "" || !sameItem(&last.Item, &p.item):
		return now
	case last.Op == memory.VersionArchived || last.Op == memory.VersionRetired && !p.retired:
		now[0].Op = memory.VersionRestored
		return now
	case p.retired && last.Op != memory.VersionRetired:
		return now[1:]
	}
	return nil
}

// sameItem compares items as they are written.
func sameItem(a, b *memory.Item) bool {
	x, err := jsonl.Encode(a)
	y, err2 := jsonl.Encode(b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

func ledgerVersions(e *entry, id string) ([]memory.Version, error) {
	all, err := versionsOf(e, map[string]bool{id: true})
	return all[id], err
}

// versionsOf reads the versions of some items of a ledger in one pass.
func versionsOf(e *entry, ids map[string]bool) (map[string][]memory.Version, error) {
	all := make(map[string][]memory.Version, len(ids))
	wanted := lineFilter(ids)
	_, err := jsonl.Read(e.file, 0, func(line []byte, _ int64, number int) error {
		if !wanted(line) {
			return nil
		}
		rec, _, err := parseLine(line, e.root.Scope)
		if err != nil || !ids[rec.ID] {
			return nil
		}
		v := memory.Version{Op: memory.VersionWritten, Item: rec.Item, Path: e.path, Line: number, At: rec.Metadata.UpdatedAt}
		out, last := all[rec.ID], memory.Version{}
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		retired := last.Op == memory.VersionRetired || last.Op == memory.VersionArchived
		switch {
		case rec.Op == "retire" && (len(out) == 0 || retired && (rec.archives() || last.Op == memory.VersionRetired)):
			return nil // there is nothing to retire
		case rec.archives():
			v.Op, v.Item, v.At, v.Why = memory.VersionArchived, last.Item, rec.At, rec.Why
		case rec.Op == "retire":
			v.Op, v.Item, v.At, v.Why = memory.VersionRetired, last.Item, rec.At, rec.Why
		case retired && reflect.DeepEqual(rec.Item, last.Item):
			v.Op, v.At = memory.VersionRestored, time.Time{} // its times are those of the version
		case v.At.IsZero():
			v.At = rec.Metadata.CreatedAt
		}
		all[rec.ID] = append(out, v)
		return nil
	})
	return all, err
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
