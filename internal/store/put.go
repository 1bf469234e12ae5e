package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// Put writes one version of each item. A known ID is written where it lives, a
// new one to the root of its scope: a line of a ledger in a private scope, a
// Markdown atom of its own in a shared one. An ID does not move between scopes:
// that is refused with [memory.ErrRefused].
//
// A bullet of an atom carries only its text and its tier; of an item put to a
// bullet's ID the rest is not kept, and a new text gives the bullet a new ID.
func (s *Store) Put(ctx context.Context, items ...memory.Item) error {
	for i := range items {
		if err := check(&items[i]); err != nil {
			return err
		}
	}
	if len(items) == 0 {
		return nil
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return fmt.Errorf("put: %w", err)
	}
	defer unlock()

	ids := make([]string, len(items))
	for i := range items {
		ids[i] = items[i].ID
	}
	places, err := s.find(ctx, ids...)
	if err != nil {
		return fmt.Errorf("put: %w", err)
	}
	var lines fileLines // all written at the end
	for i := range items {
		it := normal(items[i])
		at, known := places[it.ID]
		if !known {
			if at, err = s.newPlace(&it); err != nil {
				return err
			}
		}
		if at.entry.root.Scope != it.Scope {
			return fmt.Errorf("put %s: %w: it lives in scope %s and cannot move to %s; add it there under a new id", it.ID, memory.ErrRefused, at.entry.root.Scope, it.Scope)
		}
		if known {
			if err := mayWrite(&at); err != nil {
				return fmt.Errorf("put %s: %w", it.ID, err)
			}
			// An older text that comes back is dated as it was.
			if before := &at.item; it.Content != before.Content && it.Metadata.UpdatedAt.After(before.Metadata.UpdatedAt) {
				it.Metadata.RewordedAt = it.Metadata.UpdatedAt
			}
		}
		switch {
		case at.entry.kind == kindLedger:
			err = lines.of(at.entry).add(it, at.raw)
		case known:
			if err = s.keepPast(ctx, at); err == nil {
				at, err = s.putAtom(ctx, at, it)
			}
		default:
			at, err = s.putAtom(ctx, at, it)
		}
		if err != nil {
			return fmt.Errorf("put %s: %w", it.ID, err)
		}
		places[it.ID] = at
	}
	for _, l := range lines {
		if err := s.appendLedger(ctx, l); err != nil {
			return fmt.Errorf("put: %w", err)
		}
	}
	return nil
}

// newPlace is where an item that is not known yet will live.
func (s *Store) newPlace(it *memory.Item) (place, error) {
	for i := range s.roots {
		r := &s.roots[i]
		if r.Scope != it.Scope || r.Notes {
			continue
		}
		if err := s.within[i](); err != nil {
			return place{}, fmt.Errorf("put %s: %w", it.ID, err)
		}
		if r.Scope.Private() {
			return place{entry: ledgerEntry(r, placeOf(it))}, nil
		}
		return place{entry: entry{root: r, kind: kindMarkdown}}, nil
	}
	return place{}, fmt.Errorf("put %s: %w: this space has no folder for scope %s", it.ID, memory.ErrRefused, it.Scope)
}

// alter changes how an item stands: by a line in its ledger, or in its atom, of
// which the past is kept.
func (s *Store) alter(ctx context.Context, p place, line func(*ledgerLines) error, atom func() error) error {
	if p.entry.kind == kindLedger {
		l := &ledgerLines{entry: p.entry}
		if err := line(l); err != nil {
			return err
		}
		return s.appendLedger(ctx, l)
	}
	if err := s.keepPast(ctx, p); err != nil {
		return err
	}
	return atom()
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

// ledgerLines are lines on their way to a ledger.
type ledgerLines struct {
	entry entry
	lines [][]byte
}

// fileLines are lines on their way to several files, in the order in which these
// came up.
type fileLines []*ledgerLines

// of are the lines for a file.
func (f *fileLines) of(e entry) *ledgerLines {
	for _, l := range *f {
		if l.entry.file == e.file {
			return l
		}
	}
	l := &ledgerLines{entry: e}
	*f = append(*f, l)
	return l
}

// add appends a version of an item. Top-level keys of its line before that are
// not ours, nor among those to leave out, go along.
func (l *ledgerLines) add(it memory.Item, before []byte, but ...string) error {
	line, err := jsonl.Encode(struct {
		V int `json:"v"`
		memory.Item
	}{ledgerVersion, it})
	if err != nil {
		return err
	}
	l.lines = append(l.lines, withForeign(line, before, but...))
	return nil
}

func (l *ledgerLines) retire(id, why string, at time.Time) error {
	return l.archive(id, why, at, "")
}

// archive retires an item into a part of the archive.
func (l *ledgerLines) archive(id, why string, at time.Time, part string) error {
	line, err := jsonl.Encode(struct {
		V       int       `json:"v"`
		Op      string    `json:"op"`
		ID      string    `json:"id"`
		At      time.Time `json:"at,omitzero"`
		Why     string    `json:"why,omitempty"`
		Archive string    `json:"archive,omitempty"`
	}{ledgerVersion, "retire", id, at, why, part})
	l.lines = append(l.lines, line)
	return err
}

// withForeign adds the top-level keys of the line before that are not ours, nor
// among those to leave out.
func withForeign(line, before []byte, but ...string) []byte {
	var all map[string]json.RawMessage
	if len(before) == 0 || json.Unmarshal(before, &all) != nil {
		return line
	}
	var keys []string
	for k := range all {
		switch k {
		case "v", "op", "at", "why", "id", "kind", "topic", "title", "content", "scope", "tier", "metadata", "relations",
			"triggers", "aliases", "needed_when", "audience", "valid_from", "valid_to":
		default:
			if !slices.Contains(but, k) {
				keys = append(keys, k)
			}
		}
	}
	slices.Sort(keys)
	line = line[:len(line)-1]
	for _, k := range keys {
		name, err := jsonl.Encode(k)
		if err != nil {
			continue
		}
		line = append(append(append(append(line, ','), name...), ':'), all[k]...)
	}
	return append(line, '}')
}

// appendLedger writes the lines durably. A ledger that is a symlink would lead
// the write elsewhere and is refused.
func (s *Store) appendLedger(ctx context.Context, l *ledgerLines) error {
	if info, err := os.Lstat(l.entry.file); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: %w: is %s where a ledger belongs: move it away", l.entry.file, memory.ErrRefused, describe(info))
	}
	_, err := s.appendTo(ctx, l.entry.file, &jsonl.Options{Sync: true, Logger: s.log}, l.lines...)
	return err
}
