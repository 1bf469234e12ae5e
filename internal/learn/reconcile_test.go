package learn_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/memory"
)

func TestReconcileFindsWhatDoesNotFitTogether(t *testing.T) {
	item := func(id, text, supersedes string, to time.Time) memory.Item {
		return memory.Item{
			ID: id, Kind: memory.Semantic, Content: text, Scope: ann, ValidFrom: start, ValidTo: to,
			Relations: memory.Relations{Supersedes: supersedes}, Metadata: memory.Metadata{CreatedAt: start, Confidence: 0.9},
		}
	}
	d := newDesk(t)
	past := start.Add(-time.Hour)
	all := []memory.Item{
		item("fine", "The office is in Lyon", "", time.Time{}),
		item("a", "The queue holds 10 jobs", "", time.Time{}),
		item("b", "The queue holds 20 jobs", "", time.Time{}),
		item("gone", "Deploys run at noon", "nobody", time.Time{}),
		item("old", "用 npm 安裝", "", time.Time{}),
		item("new", "改用 pnpm 安裝", "old", time.Time{}),
		item("base", "Use vim", "", past),
		item("r1", "Use emacs", "base", time.Time{}),
		item("r2", "Use helix", "base", time.Time{}),
	}
	if err := d.Store.Put(t.Context(), all...); err != nil {
		t.Fatal(err)
	}
	found, err := d.learner.Reconcile(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]bool)
	for _, f := range found {
		got[fmt.Sprint(f.Kind, ": ", f.Item.ID, " ", f.Other, " ", f.Mend != nil)] = true
		if f.Why == "" {
			t.Errorf("%+v has no reason", f)
		}
	}
	want := map[string]bool{
		"conflict: a b false": true, "orphan: gone nobody false": true, "no valid_to: old new true": true, "two successors: r1 r2 false": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}

	n, err := d.learner.Mend(t.Context(), found)
	if err != nil || n != 1 {
		t.Errorf("mended %d, %v; want 1", n, err)
	}
	if it, _ := d.Get(t.Context(), "old"); !it.ValidTo.Equal(start) {
		t.Errorf("old ends %v, want when its successor began", it.ValidTo)
	}
	if len(d.proposals) != 3 {
		t.Errorf("proposed %+v", d.proposals)
	}
	if again, err := d.learner.Reconcile(t.Context(), []memory.Item{all[0]}); err != nil || len(again) > 0 {
		t.Errorf("what is fine: %+v, %v", again, err)
	}
}
