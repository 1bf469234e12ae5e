package orihon_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orihon/memory"
)

const oldPort = "---\nid: a1\n---\n- The gateway of the billing cluster listens on port 8080 behind nginx\n"

// What a pull brings in is held against what is known, as any statement is.
func TestWhatAPullBringsIsReconciled(t *testing.T) {
	p := newPlace(t)
	shared := filepath.Join(p.dir, ".orihon", "memory", "shared")
	write(t, filepath.Join(shared, "gateway.md"), oldPort)
	m := p.trusting(t)
	sync := func() {
		t.Helper()
		if s, err := m.Sync(context.Background()); err != nil || len(s.Problems) > 0 {
			t.Fatal(err, s.Problems)
		}
	}
	sync()
	write(t, filepath.Join(shared, "more.md"), strings.NewReplacer("a1", "a2", "8080", "9090").Replace(oldPort))
	write(t, filepath.Join(shared, "other.md"), "---\nid: a3\n---\n- 前端用 Vue 寫\n")
	sync()
	lines, _ := queue(t, m)
	if want := []string{"conflict: The gateway of the billing cluster listens on port 9090 behind nginx"}; !slices.Equal(lines, want) {
		t.Errorf("waiting: %q, want %q", lines, want)
	}
	sync()
	if again, _ := queue(t, m); len(again) != len(lines) {
		t.Errorf("asked again: %q", again)
	}
	if in := p.begin(t, "s1", "startup"); !strings.Contains(in.Text, "orihon review") {
		t.Errorf("a session does not hear of it: %q", in.Text)
	}
}

// An item that replaces another one ends it, although whoever wrote it by hand
// forgot to say so.
func TestASuccessorWrittenByHandEndsWhatItReplaces(t *testing.T) {
	p := newPlace(t)
	shared := filepath.Join(p.dir, ".orihon", "memory", "shared")
	write(t, filepath.Join(shared, "old.md"), "---\nid: a1\ncreated_at: 2026-01-02T03:04:05Z\n---\nBuilds run on Jenkins.\n")
	m := p.trusting(t)
	if _, err := m.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(shared, "new.md"), "---\nid: a2\nsupersedes: a1\nvalid_from: 2026-05-06T00:00:00Z\ncreated_at: 2026-05-06T00:00:00Z\n---\nBuilds run on GitHub Actions.\n")
	for range 2 {
		if _, err := m.Sync(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if text := read(t, filepath.Join(shared, "old.md")); !strings.Contains(text, "valid_to: 2026-05-06T00:00:00Z") {
		t.Errorf("the old one goes on:\n%s", text)
	}
	if got := contents(list(t, m, memory.Filter{AsOf: p.now()})); !slices.Equal(got, []string{"Builds run on GitHub Actions."}) {
		t.Errorf("current: %q", got)
	}
}
