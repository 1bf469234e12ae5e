package store

import (
	"context"
	"errors"
	"strings"

	"orihon/memory"
)

// place is where an item lives and how it stands there.
type place struct {
	entry   entry
	item    memory.Item
	raw     []byte // its line, in a ledger
	fact    string // the bullet's hash, when the item is one
	retired bool
	// archived says that it was retired into the archive.
	archived bool
	why      string
}

// one finds a single item, retired or not.
func (s *Store) one(ctx context.Context, id string) (place, error) {
	found, err := s.find(ctx, id)
	if err != nil {
		return place{}, err
	}
	p, ok := found[id]
	if !ok {
		return place{}, memory.ErrNotFound
	}
	return p, nil
}

// find looks the IDs up in the text itself, so that it is right whoever wrote
// last. Those it does not know are missing in the answer. Files that cannot be
// read count as empty, except that a ledger's error is reported: an item must
// not be taken for new because its ledger is out of reach.
func (s *Store) find(ctx context.Context, ids ...string) (map[string]place, error) {
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	found := make(map[string]place, len(ids))
	ledgers, _ := s.ledgers()
	tabled := s.tables.worth()
	for i := range ledgers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if tabled && ledgers[i].foreign() == nil {
			if at, ok := s.tables.lookUp(ctx, &ledgers[i], wanted); ok {
				for id, p := range at {
					if _, known := found[id]; !known {
						found[id] = p
					}
				}
				continue
			}
		}
		l, err := readLedger(&ledgers[i], 0, 0, ledgers[i].filtered(wanted))
		if errors.Is(err, errGone) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, v := range l.versions {
			id := v.item.ID
			if _, known := found[id]; !known && wanted[id] {
				found[id] = place{entry: ledgers[i], item: v.item, raw: v.raw, retired: v.retired, archived: v.archived, why: v.why}
			}
		}
	}
	if len(found) == len(wanted) {
		return found, nil
	}
	return found, s.findInAtoms(ctx, wanted, found)
}

func (s *Store) findInAtoms(ctx context.Context, wanted map[string]bool, found map[string]place) error {
	entries, _ := s.walk()
	owners := make(map[string]bool)
	for i := range entries {
		e := &entries[i]
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.kind != kindMarkdown || e.root.Notes || !mayBeAtom(e.file) {
			continue
		}
		m, _, err := s.readClean(e)
		if err != nil || !m.atom || owners[m.atomID()] {
			continue
		}
		owners[m.atomID()] = true
		for id := range wanted {
			if _, known := found[id]; known {
				continue
			}
			if p, ok := m.place(*e, id); ok {
				found[id] = p
			}
		}
	}
	return nil
}

// place finds the atom itself, or a bullet of it.
func (m *markdown) place(e entry, id string) (place, bool) {
	if whole := m.whole(); id == whole.ID {
		return place{entry: e, item: whole, retired: m.retired, why: m.why}, true
	}
	for i := range m.facts {
		f := &m.facts[i]
		if !strings.HasSuffix(id, "#"+f.hash) {
			continue
		}
		if it := m.factItem(f); it.ID == id {
			retired, why := m.factRetired(f)
			return place{entry: e, item: it, fact: f.hash, retired: retired, why: why}, true
		}
	}
	return place{}, false
}

func (s *Store) items(e *entry) ([]memory.Stored, error) {
	if e.kind == kindLedger {
		l, err := readLedger(e, 0, 0, nil)
		if err != nil {
			return nil, err
		}
		out := make([]memory.Stored, 0, len(l.order))
		for _, id := range l.order {
			v := l.versions[id]
			out = append(out, memory.Stored{Item: v.item, Path: e.path, Line: v.line, Retired: v.retired, Archived: v.archived, Reason: v.why})
		}
		return out, nil
	}
	m, _, err := s.readClean(e)
	if errors.Is(err, memory.ErrInvalid) {
		return nil, nil
	}
	if err != nil || !m.atom {
		return nil, err
	}
	if len(m.facts) == 0 {
		if strings.TrimSpace(m.item.Content) == "" {
			return nil, nil
		}
		return []memory.Stored{{Item: m.whole(), Path: e.path, Line: m.firstLine(), Retired: m.retired, Reason: m.why}}, nil
	}
	var out []memory.Stored
	for i := range m.facts {
		f := &m.facts[i]
		if f.text == "" {
			continue // all of it is private
		}
		retired, why := m.factRetired(f)
		out = append(out, memory.Stored{Item: m.factItem(f), Path: e.path, Line: f.line, Retired: retired, Reason: why})
	}
	return out, nil
}

// filtered is a filter of a ledger's lines; the IDs of foreign ones are not
// those that its text gives.
func (e *entry) filtered(wanted map[string]bool) func([]byte) bool {
	if e.foreign() != nil {
		return func([]byte) bool { return true }
	}
	return lineFilter(wanted)
}
