package store

import (
	"context"
	"errors"
	"maps"
	"slices"

	"orihon/memory"
)

// rank is the place of a file in the order of a walk: roots, then ledgers,
// then Markdown.
func (y *catchUp) rank(r *reading) int {
	i := slices.IndexFunc(y.roots, func(root Root) bool { return r.entry.root != nil && root.Name == r.entry.root.Name })
	n := 2 * i
	if r.entry.kind == kindMarkdown {
		n++
	}
	return n
}

// private reports whether a file is the user's alone.
func (r *reading) private() bool { return r.entry.root == nil || r.entry.root.Scope.Private() }

// taken lists, among the IDs that shared text of this run gives, those that
// private text has: nobody else's text takes its place.
func (y *catchUp) taken(ctx context.Context) (map[string]bool, error) {
	wanted := make(map[string]bool)
	for _, r := range y.readings {
		if r.private() {
			continue
		}
		for i := range r.passages {
			wanted[r.passages[i].ID] = true
			if parent := r.passages[i].Parent; parent != "" {
				wanted[parent] = true
			}
		}
		for _, id := range r.left {
			wanted[id] = true
		}
	}
	out := make(map[string]bool)
	if len(wanted) == 0 {
		return out, nil
	}
	entries, _ := y.walk()
	for i := range entries {
		e := &entries[i]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !e.root.Scope.Private() || e.root.Notes {
			continue
		}
		if e.kind == kindLedger {
			l, err := readLedger(e, 0, 0, lineFilter(wanted))
			if err != nil && !errors.Is(err, errGone) {
				return nil, err
			}
			for _, id := range l.order {
				out[id] = wanted[id]
			}
			continue
		}
		if !mayBeAtom(e.file) {
			continue
		}
		if m, _, err := y.readClean(e); err == nil && m.atom {
			out[m.item.ID] = wanted[m.item.ID]
			for j := range m.facts {
				id := m.factItem(&m.facts[j]).ID
				out[id] = wanted[id]
			}
		}
	}
	return out, nil
}

// pairs lists the supersessions the index knows, and those that hold now.
func (y *catchUp) pairs() (before, now []pair) {
	over := make(map[string]bool)
	for _, r := range y.readings {
		over[r.entry.path] = true
		now = append(now, r.mark.Pairs...)
	}
	for _, path := range y.batch.Gone {
		over[path] = true
	}
	for path, f := range y.known {
		m := decodeMark(f.Mark)
		if m == nil {
			continue
		}
		before = append(before, m.Pairs...)
		if !over[path] {
			now = append(now, m.Pairs...)
		}
	}
	return before, now
}

// restate reads the passages of items again whose successor changed although
// their own file did not. Missing are those that stand nowhere it looked.
func (y *catchUp) restate(ctx context.Context, ids []string) (out []memory.Passage, missing []string, err error) {
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	if len(wanted) == 0 {
		return nil, nil, nil
	}
	ledgers, _ := y.ledgers()
	out, err = y.collect(ctx, ledgers, wanted)
	if err != nil {
		return nil, nil, err
	}
	if len(wanted) > 0 && y.knows(kindMarkdown) {
		all, _ := y.walk()
		more, err := y.collect(ctx, slices.DeleteFunc(all, func(e entry) bool { return e.kind != kindMarkdown }), wanted)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, more...)
	}
	return out, slices.Sorted(maps.Keys(wanted)), nil
}

// collect reads the passages of the wanted items and takes those it found off
// the list.
func (y *catchUp) collect(ctx context.Context, entries []entry, wanted map[string]bool) ([]memory.Passage, error) {
	var out []memory.Passage
	for i := range entries {
		e := &entries[i]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !y.stands(e) {
			continue
		}
		passages, archived, err := y.passagesOf(e, wanted)
		if err != nil && !errors.Is(err, errGone) {
			return nil, err
		}
		found := make(map[string]bool)
		for _, id := range archived {
			found[id] = true
		}
		for _, p := range passages {
			if wanted[p.ID] || wanted[p.Parent] {
				out = append(out, p)
				found[p.ID], found[p.Parent] = true, true
			}
		}
		for id := range found {
			delete(wanted, id)
		}
	}
	return out, nil
}

// stands reports whether the index has, or gets with this batch, passages of a
// file that are not all in the batch.
func (y *catchUp) stands(e *entry) bool {
	for _, r := range y.readings {
		if r.entry.path == e.path {
			return !r.whole
		}
	}
	f := y.known[e.path]
	return f != nil && f.Kind == e.kind
}

// passagesOf reads the passages of a file, of a ledger at least those of the
// wanted items; archived are the items that have none.
func (y *catchUp) passagesOf(e *entry, wanted map[string]bool) (out []memory.Passage, archived []string, err error) {
	if e.kind == kindLedger {
		l, err := readLedger(e, 0, 0, e.filtered(wanted))
		if err != nil {
			return nil, nil, err
		}
		for _, id := range l.order {
			if v := l.versions[id]; v.archived {
				archived = append(archived, v.item.ID)
			} else {
				out = append(out, v.passage(e))
			}
		}
		bound(out, 1)
		return out, archived, nil
	}
	f := y.known[e.path]
	if m := decodeMark(f.Mark); m == nil || m.Atom == "" || m.Shadowed {
		return nil, nil, nil
	}
	m, _, err := y.readClean(e)
	if err != nil {
		return nil, nil, err
	}
	out = m.atomPassages(e)
	bound(out, len(out))
	return out, nil, nil
}

// owe leaves to the next Full what a Quick look could not settle: the items it
// did not find and, where the caller told it of no Markdown, those it put
// without knowing whether an atom replaces them.
func (y *catchUp) owe(missing []string) {
	if y.depth == memory.FullLook {
		return
	}
	if !y.knows(kindMarkdown) {
		for i := range y.batch.Put {
			missing = append(missing, y.batch.Put[i].ID)
		}
	}
	i := slices.IndexFunc(y.readings, func(r *reading) bool { return r.entry.kind == kindLedger })
	switch {
	case len(missing) == 0:
	case i >= 0:
		m := &y.readings[i].mark
		m.Owed = slices.Concat(m.Owed, missing)
		slices.Sort(m.Owed)
		m.Owed = slices.Compact(m.Owed)
	case y.depth == memory.SharedLook: // whose outcome nobody keeps
	default:
		// Only a ledger that is gone: nobody would remember the debt.
		y.batch.Gone = nil
	}
}

func (y *catchUp) knows(kind string) bool {
	for _, f := range y.known {
		if f.Kind == kind {
			return true
		}
	}
	return false
}
