package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/memory"
	"orihon/memory/memorytest"
)

// aged is a passage of some hours ago.
func aged(id string, hours int, kind memory.Kind) memory.Passage {
	p := memorytest.Passage(id, "text of "+id)
	p.Item.Kind = kind
	p.Item.Metadata.CreatedAt = time.Date(2026, 3, 17, 12, 0, 0, 0, time.UTC).Add(-time.Duration(hours) * time.Hour)
	return p
}

func TestNewestAreThoseOfIndexAndPendingTogether(t *testing.T) {
	x := open(t, filepath.Join(t.TempDir(), "index.db"))
	batch := memory.Batch{Files: []memory.File{{Path: "gone.jsonl", Kind: "ledger"}}}
	for i := range 9 {
		p := aged(fmt.Sprintf("e%d", i), 2*i, memory.Episodic)
		p.Source = "kept.jsonl"
		if i < 4 {
			p.Source = "gone.jsonl"
		}
		batch.Put = append(batch.Put, p, aged(fmt.Sprintf("s%d", i), i, memory.Semantic))
	}
	if err := x.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	newest := func(f memory.Filter, n int) []string {
		t.Helper()
		f.Scopes = ada
		found, err := x.Newest(t.Context(), f, n)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for i := range found {
			ids = append(ids, found[i].ID)
		}
		return ids
	}
	episodes := memory.Filter{Kinds: []memory.Kind{memory.Episodic}}
	since := episodes
	since.Since, since.Until = aged("", 8, "").Item.Metadata.CreatedAt, aged("", 3, "").Item.Metadata.CreatedAt
	check := func(want, got []string) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	check([]string{"e0", "e1"}, newest(episodes, 2))
	check([]string{"e2", "e3", "e4"}, newest(since, 9))
	check([]string{"e0", "s0", "s1"}, newest(memory.Filter{}, 3))
	check(nil, newest(episodes, 0))
	check(nil, newest(memory.Filter{Kinds: []memory.Kind{memory.Procedural}}, 3))

	// A file that is gone hides its passages, however many stand before others.
	if err := x.Pend(t.Context(), memory.Batch{Gone: []string{"gone.jsonl"}, Put: []memory.Passage{aged("p", 11, memory.Episodic), aged("e5", 13, memory.Episodic)}}); err != nil {
		t.Fatal(err)
	}
	check([]string{"e4", "p"}, newest(episodes, 2))
	check([]string{"e4", "p", "e6", "e5", "e7", "e8"}, newest(episodes, 9))
}

// BenchmarkNewestEpisodes looks for what most of a large index is not.
func BenchmarkNewestEpisodes(b *testing.B) {
	const turns = 100_000
	x := open(b, filepath.Join(b.TempDir(), "index.db"))
	batch := memory.Batch{}
	for i := range turns {
		p := aged(fmt.Sprintf("t/%d", i), i, memory.Note)
		p.Population = memory.UserTurns
		batch.Put = append(batch.Put, p)
	}
	if err := x.Apply(b.Context(), batch); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := x.Newest(b.Context(), memory.Filter{Scopes: ada, Kinds: []memory.Kind{memory.Episodic}}, 3); err != nil {
			b.Fatal(err)
		}
	}
}
