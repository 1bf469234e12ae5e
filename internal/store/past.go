package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// pastName is the ledger of what atoms and bullets said before this program
// changed them, in the state folder: their files keep only the present. It is
// never read as memory, only by [Store.Versions].
const pastName = "atoms.jsonl"

func (s *Store) past(r *Root) entry {
	return entry{root: r, path: pastName, file: filepath.Join(s.state, pastName), kind: kindLedger}
}

// keepPast notes how an atom or a bullet stands, unless that is the last thing
// that was noted of it.
func (s *Store) keepPast(ctx context.Context, p place) error {
	e := s.past(p.entry.root)
	known, err := ledgerVersions(&e, p.item.ID)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("past of %s: %w", p.item.ID, err)
	}
	l := &ledgerLines{entry: e}
	for _, v := range since(known, &p) {
		if v.Op == memory.VersionRetired {
			err = l.retire(v.Item.ID, v.Why, s.now().UTC())
		} else {
			err = l.add(v.Item, nil)
		}
		if err != nil {
			return err
		}
	}
	if len(l.lines) == 0 {
		return nil
	}
	return s.appendLedger(ctx, l)
}

// keepArchived notes that an atom went into the archive.
func (s *Store) keepArchived(ctx context.Context, p place, why string, at time.Time) error {
	l := &ledgerLines{entry: s.past(p.entry.root)}
	if err := l.archive(p.item.ID, why, at, at.Format(monthLayout)); err != nil {
		return err
	}
	return s.appendLedger(ctx, l)
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
