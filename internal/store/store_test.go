package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orihon/internal/store"
	"orihon/internal/trust"
	"orihon/memory"
	"orihon/memory/memorytest"
)

func TestStoreKeepsTheContract(t *testing.T) {
	memorytest.TestStore(t, func(t *testing.T) memory.Store { return openSpace(t).Store })
}

// space is a store in a folder of its own, with the means to edit its files.
type space struct {
	*store.Store
	t     testing.TB
	dir   string
	ids   int
	now   time.Time
	state string
	// foreign says that others may have written the shared folder.
	foreign bool
}

func openSpace(t testing.TB) *space { return openAt(t, t.TempDir()) }

func openAt(t testing.TB, dir string) *space { return openWith(t, dir, false) }

// openForeign opens a space whose shared folder others may have written.
func openForeign(t testing.TB, dir string) *space { return openWith(t, dir, true) }

func openWith(t testing.TB, dir string, foreign bool) *space {
	t.Helper()
	s := &space{t: t, dir: dir, foreign: foreign, state: filepath.Join(dir, "state"), now: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)}
	var err error
	s.Store, err = store.Open(s.options())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *space) options() *store.Options {
	return &store.Options{
		Roots: []store.Root{
			{Name: "personal", Dir: filepath.Join(s.dir, "personal"), Scope: memory.Personal("ann")},
			{Name: "shared", Dir: filepath.Join(s.dir, "shared"), Scope: memory.Shared, Foreign: s.judge()},
			{Name: "role/art", Dir: filepath.Join(s.dir, "role", "art"), Scope: memory.Role("art")},
			{Name: "extra/docs", Dir: filepath.Join(s.dir, "docs"), Scope: memory.Shared, Notes: true},
		},
		State:   s.state,
		Covered: func(session string) bool { return strings.HasPrefix(session, "covered") },
		Now:     func() time.Time { return s.now },
		NewID:   func() string { s.ids++; return fmt.Sprintf("new-%d", s.ids) },
	}
}

// judge is who judges the shared folder, with a record of its own.
func (s *space) judge() store.Foreign {
	if !s.foreign {
		return nil
	}
	return trust.Open(filepath.Join(s.state, "trust.jsonl"), "ann", func() time.Time { return s.now })
}

// write puts a file into the space by hand.
func (s *space) write(path, text string) {
	s.t.Helper()
	file := filepath.Join(s.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *space) read(path string) string {
	s.t.Helper()
	raw, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(path)))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(raw)
}

func (s *space) changes(known []memory.File, depth memory.Depth) (memory.Batch, []memory.Problem) {
	s.t.Helper()
	b, problems, err := s.Changes(context.Background(), known, depth)
	if err != nil {
		s.t.Fatalf("changes: %v", err)
	}
	return b, problems
}

func fact(id, content string) memory.Item {
	return memory.Item{ID: id, Kind: memory.Semantic, Content: content, Scope: memory.Personal("ann"), Metadata: memory.Metadata{Confidence: 0.9}}
}
