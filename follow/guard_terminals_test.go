package follow_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orihon"
	"orihon/follow"
)

// What one terminal does is nothing that another one repeats, and what it leaves is
// told once it has ended, to whoever begins then.
func TestTerminalsAreWatchedApart(t *testing.T) {
	home, dir, now := filepath.Join(t.TempDir(), "home"), t.TempDir(), time.Now()
	in := func(session string, fn func(ctx context.Context, s *follow.Session) error) {
		t.Helper()
		m, err := orihon.Open(t.Context(), &orihon.Options{Home: home, Dir: dir, User: "ann", GitConfig: []string{}, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		s, err := m.Session(t.Context(), session, follow.Client{Name: "test", CWD: dir})
		if err == nil {
			err = fn(t.Context(), s)
		}
		if err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
	}
	begin := func(session string) (said string) {
		t.Helper()
		in(session, func(ctx context.Context, s *follow.Session) error {
			i, err := s.Begin(ctx, "startup")
			said = i.Text
			return err
		})
		return said
	}
	act := func(session, tool, input, output string, failed bool) (said string) {
		t.Helper()
		in(session, func(ctx context.Context, s *follow.Session) error {
			err := s.Action(ctx, follow.Action{ID: now.String(), Tool: tool, Input: []byte(input), Output: output, Error: failed})
			said = s.Reminder().Text
			return err
		})
		return said
	}
	fail := func(session string) string {
		t.Helper()
		return act(session, "Bash", `{"command":"go test ./..."}`, "Exit code 1\n--- FAIL: TestTotal (0.01s)\nFAIL", true)
	}
	edit := func(session, file string) string {
		t.Helper()
		return act(session, "Edit", `{"file_path":"`+file+`","old_string":"a","new_string":"b"}`, "done", false)
	}
	begin("one")
	begin("two")
	in("one", func(ctx context.Context, s *follow.Session) error { _, err := s.Prompt(ctx, "p", "go on"); return err })
	for _, session := range []string{"one", "two", "one", "two"} { // each fails and mends once
		if said := fail(session) + edit(session, session+".go"); said != "" {
			t.Errorf("%s: %s", session, said)
		}
	}
	if said := fail("one"); !strings.Contains(said, "has failed 3 times") || !strings.Contains(said, "one.go") || strings.Contains(said, "two.go") {
		t.Errorf("the first terminal is told %q", said)
	}
	if said := begin("three"); strings.Contains(said, "left open") {
		t.Errorf("a third terminal is told of one that is still at work: %s", said)
	}
	in("one", func(ctx context.Context, s *follow.Session) error { return s.End(ctx, "exit") })
	if said := begin("four"); !strings.Contains(said, "left open: `go test ./...` failed 3 times") {
		t.Errorf("whoever begins behind it is told %q", said)
	}
}
