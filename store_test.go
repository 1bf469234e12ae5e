package orihon_test

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"orihon"
	"orihon/items"
	"orihon/memory"
	"orihon/memory/memorytest"
)

// found is the smallest index that keeps the protocol: it looks at everything.
type found struct {
	mu    sync.Mutex
	all   map[string]memory.Passage
	files []memory.File
}

func (x *found) Apply(ctx context.Context, b memory.Batch) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.all == nil {
		x.all = make(map[string]memory.Passage)
	}
	maps.DeleteFunc(x.all, func(_ string, p memory.Passage) bool { return slices.Contains(append(b.Replace, b.Gone...), p.Source) })
	for _, p := range b.Put {
		x.all[p.ID] = p
	}
	for _, f := range b.Files {
		x.files = append(slices.DeleteFunc(x.files, func(old memory.File) bool { return old.Path == f.Path }), f)
	}
	return ctx.Err()
}

func (x *found) Search(ctx context.Context, s memory.Search) (memory.Candidates, error) {
	all, err := x.Fetch(ctx, s.Filter)
	out := memory.Candidates{N: len(all), DF: make([]int, len(s.Terms))}
	for i := range all {
		c := memory.Candidate{Passage: all[i], Matched: make([]int, len(s.Terms)), Length: len(strings.Fields(all[i].Item.Content))}
		for n, term := range s.Terms {
			if strings.Contains(strings.ToLower(all[i].Item.Content), term) {
				c.Own++
				c.Matched[n]++
				out.DF[n]++
			}
		}
		if c.Own > 0 {
			out.Hits = append(out.Hits, c)
		}
	}
	return out, err
}

func (x *found) Fetch(ctx context.Context, f memory.Filter, ids ...string) (out []memory.Passage, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(x.all)) {
		p := x.all[id]
		if (len(ids) == 0 || slices.Contains(ids, id)) && f.Match(&p) {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b memory.Passage) int { return cmp.Compare(a.ID, b.ID) })
	return out, ctx.Err()
}

func (x *found) Stamp(context.Context) (memory.Stamp, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return memory.Stamp{Passages: len(x.all), Files: slices.Clone(x.files)}, nil
}

func (x *found) Close() error {
	return errors.New("who opened the handle closed an index that is not its own")
}

func TestStoreAndIndexOfSomebodyElseHoldTheProject(t *testing.T) {
	t.Parallel()
	p, kept, index := newPlace(t), new(memorytest.Store), new(found)
	theirs := func(o *orihon.Options) { o.Store, o.Index = kept, index }
	m := p.open(t, theirs)
	it := remember(t, m, "We deploy with make ship")
	if _, err := kept.Get(t.Context(), it.ID); err != nil {
		t.Errorf("the store does not have it: %v", err)
	}
	if in := p.prompt(t, "s1", "p1", "how do we deploy?", theirs); !strings.Contains(in.Text, "make ship") {
		t.Errorf("a prompt gets %q", in.Text)
	}
	if out, err := m.Remember(t.Context(), orihon.Statement{Text: "We deploy with make ship"}); err != nil || out.Item.ID != it.ID {
		t.Errorf("said again it is %+v, %v", out.Item.ID, err)
	}
	if _, err := m.Items().Edit(t.Context(), it.ID, func(it *memory.Item) error { it.Content = "We deploy with make launch"; return nil }); err != nil {
		t.Fatal(err)
	}
	if r := recall(t, m, "how do we deploy?"); !strings.Contains(r.Text, "make launch") {
		t.Errorf("after an edit: %q", r.Text)
	}
	if got, err := m.Items().Audits(t.Context(), &memory.AuditFilter{ID: it.ID}); err != nil || len(got) < 2 {
		t.Errorf("the trail has %d decisions, %v", len(got), err)
	}
	if _, err := m.Items().Forget(t.Context(), it.ID, ""); err != nil {
		t.Fatal(err)
	}
	if r := recall(t, m, "how do we deploy?"); strings.Contains(r.Text, "make") {
		t.Errorf("what was forgotten is recalled: %q", r.Text)
	}
	if _, err := m.Items().Undo(t.Context(), items.Undo{ID: it.ID}); err == nil {
		t.Error("a store without versions took a decision back")
	}
	if _, err := m.Erase().Purge(t.Context(), it.ID); err == nil {
		t.Error("a store that cannot erase purged")
	}
	if x, err := m.Health().Examine(t.Context()); err != nil || x.Index != "" {
		t.Errorf("doctor: %+v, %v", x, err)
	}
}
