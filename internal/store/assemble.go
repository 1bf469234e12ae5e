package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"orihon/memory"
)

// assemble makes the batch of the readings.
func (y *catchUp) assemble(ctx context.Context) error {
	slices.SortStableFunc(y.readings, func(a, b *reading) int { return y.rank(a) - y.rank(b) })
	before, now := y.pairs()
	next := resolve(now)
	changed := next.changed(resolve(before))
	if y.depth == memory.FullLook {
		for _, f := range y.known {
			if m := decodeMark(f.Mark); m != nil {
				changed = append(changed, m.Owed...)
			}
		}
	}

	taken, err := y.taken(ctx)
	if err != nil {
		return err
	}
	source := make(map[string]string)
	covered := make(map[string]bool) // items whose passages are put anyway
	for _, r := range y.readings {
		y.batch.Uses = append(y.batch.Uses, r.uses...)
		for _, id := range r.left {
			if r.private() || !taken[id] {
				y.batch.Remove = append(y.batch.Remove, id)
			}
		}
		if r.again && r.entry.kind != kindUsage {
			y.batch.Replace = append(y.batch.Replace, r.entry.path)
		}
		for _, p := range r.passages {
			if !r.private() && (taken[p.ID] || taken[p.Parent]) {
				y.problems = append(y.problems, memory.Problem{Path: p.Source, Line: p.Line, Text: "has the id of a private statement and is left out: give it an id of its own"})
				continue
			}
			if first, taken := source[p.ID]; taken && first != p.Source {
				y.problems = append(y.problems, memory.Problem{Path: p.Source, Line: p.Line, Text: fmt.Sprintf("item %s stands in %s too and is left out here: delete one of them", p.ID, first)})
				continue
			}
			source[p.ID] = p.Source
			covered[p.ID], covered[p.Parent] = true, true
			y.batch.Put = append(y.batch.Put, p)
		}
	}
	again, missing, err := y.restate(ctx, slices.DeleteFunc(changed, func(id string) bool { return covered[id] }))
	if err != nil {
		return err
	}
	y.owe(missing)
	for _, r := range y.readings {
		if r.file.Mark, err = r.mark.encode(); err != nil {
			return err
		}
		y.batch.Files = append(y.batch.Files, r.file)
	}
	y.batch.Put = append(y.batch.Put, again...)
	for i := range y.batch.Put {
		next.apply(&y.batch.Put[i])
	}
	return nil
}

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
