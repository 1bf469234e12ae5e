package store

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"orihon/memory"
)

// Then is what an index must search in the place of what it has to find the text as it
// was at a time: the versions that held then of living items that were changed since.
// What others may have written is left as it is now, since only that was accepted; so
// are bullets, of which no past is known.
func (s *Store) Then(ctx context.Context, at time.Time) (memory.Batch, error) {
	var b memory.Batch
	entries, _ := s.walk()
	for i := range entries {
		e := &entries[i]
		if err := ctx.Err(); err != nil {
			return memory.Batch{}, err
		}
		if e.root == nil || e.root.Notes || e.foreign() != nil {
			continue
		}
		stored, err := s.items(e)
		if err != nil && !errors.Is(err, errGone) {
			return memory.Batch{}, err
		}
		changed, lines := make(map[string]bool), make(map[string]int)
		for i := range stored {
			m := &stored[i].Item.Metadata
			if id := stored[i].Item.ID; !stored[i].Retired && m.UpdatedAt.After(at) && !m.CreatedAt.After(at) && !strings.Contains(id, "#") {
				changed[id], lines[id] = true, stored[i].Line
			}
		}
		if len(changed) == 0 {
			continue
		}
		from := *e
		if e.kind != kindLedger {
			from = s.past(e.root)
		}
		versions, err := versionsOf(&from, changed)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return memory.Batch{}, err
		}
		for i := range stored {
			id := stored[i].Item.ID
			v := heldAt(versions[id], at)
			if v == nil {
				continue
			}
			if e.kind != kindLedger {
				b.Replace = append(b.Replace, e.path)
			}
			b.Put = append(b.Put, memory.Passage{ID: id, Item: dated(v.Item), Source: e.path, Line: lines[id], EndLine: lines[id]})
		}
	}
	return b, nil
}

// heldAt is the version that was the last at a time; nil when there was none, or none
// that lived.
func heldAt(versions []memory.Version, at time.Time) *memory.Version {
	for i := len(versions) - 1; i >= 0; i-- {
		if v := &versions[i]; !v.At.IsZero() && !v.At.After(at) {
			if v.Op == memory.VersionRetired || v.Op == memory.VersionArchived {
				return nil
			}
			return v
		}
	}
	return nil
}
