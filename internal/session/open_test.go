package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/session"
	"orihon/memory"
)

// clock is a time that tests set by hand, near the real one, since folders
// carry real times.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// gone is a process that was there and has ended.
func gone(t *testing.T) session.Process {
	t.Helper()
	cmd := self(t, filepath.Join(t.TempDir(), "s", "x"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := session.Identify(cmd.Process.Pid)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return p
}

func open(t *testing.T, sessions string, c *clock, id string, p session.Process) (string, *session.State) {
	t.Helper()
	dir, s, err := session.Open(t.Context(), sessions, &session.Options{Now: c.now}, session.Start{ID: id, Client: "claude-code", CWD: "/w", Process: p})
	if err != nil {
		t.Fatal(err)
	}
	return dir, s
}

func prompt(t *testing.T, dir string) {
	t.Helper()
	if _, err := session.Update(t.Context(), dir, nil, func(s *session.State) error { s.Prompts++; return nil }); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, e := range entries {
		if e.Name() != ".locks" {
			out = append(out, e.Name())
		}
	}
	return out
}

func TestSameIDIsTheSameSession(t *testing.T) {
	sessions, c := t.TempDir(), &clock{time.Now()}
	dir, _ := open(t, sessions, c, "a/../b", gone(t))
	prompt(t, dir)
	if _, err := session.Update(t.Context(), dir, nil, func(s *session.State) error {
		s.Status, s.Pending = session.Ended, []string{"decision"}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	c.at = c.at.Add(72 * time.Hour)
	again, s := open(t, sessions, c, "a/../b", session.Identify(os.Getpid()))
	if again != dir || s.Prompts != 1 || s.Status != session.Working || len(s.Pending) != 1 || s.ID != "a/../b" || !s.Last.Equal(c.at) {
		t.Errorf("resumed as %+v in %s", s, again)
	}
	if _, _, err := session.Open(t.Context(), sessions, nil, session.Start{}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("a session without an id gave %v", err)
	}
}

func TestAbandonedSessionIsTakenOver(t *testing.T) {
	sessions, c := t.TempDir(), &clock{time.Now()}
	old, _ := open(t, sessions, c, "old", gone(t))
	if err := os.WriteFile(filepath.Join(old, "journal.jsonl"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.at = c.at.Add(30 * time.Second)
	dir, s := open(t, sessions, c, "new", session.Identify(os.Getpid()))
	if diff := cmp.Diff([]string{"new"}, names(t, sessions)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(filepath.Join(dir, "journal.jsonl")); err != nil || s.ID != "new" || s.PID != os.Getpid() {
		t.Errorf("taken over as %+v, journal %v", s, err)
	}
}

func TestSessionsThatMayBeInUseAreNotTakenOver(t *testing.T) {
	dead, live := gone(t), session.Identify(os.Getpid())
	for _, tt := range []struct {
		name    string
		process session.Process
		after   time.Duration
		change  func(*session.State)
	}{
		{"a live terminal", live, time.Second, nil},
		{"an unknown process", session.Process{}, time.Second, nil},
		{"a minute old", dead, time.Minute, nil},
		{"from the future", dead, -time.Second, nil},
		{"one that saw a prompt", dead, time.Second, func(s *session.State) { s.Prompts = 1 }},
		{"one of another client", dead, time.Second, func(s *session.State) { s.Client = "codex" }},
		{"one in another folder", dead, time.Second, func(s *session.State) { s.CWD = "/其他" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sessions, c := t.TempDir(), &clock{time.Now()}
			old, _ := open(t, sessions, c, "old", tt.process)
			if tt.change != nil {
				if _, err := session.Update(t.Context(), old, nil, func(s *session.State) error { tt.change(s); return nil }); err != nil {
					t.Fatal(err)
				}
			}
			c.at = c.at.Add(tt.after)
			open(t, sessions, c, "new", live)
			if diff := cmp.Diff([]string{"new", "old"}, names(t, sessions)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOneAbandonedSessionIsTakenOverOnce(t *testing.T) {
	sessions, c := t.TempDir(), &clock{time.Now()}
	open(t, sessions, c, "old", gone(t))
	var wg sync.WaitGroup
	for _, id := range []string{"a", "b", "c", "d"} {
		wg.Go(func() {
			for range 2 { // clients send the same event twice
				_, _, err := session.Open(t.Context(), sessions, nil, session.Start{ID: id, Client: "claude-code", CWD: "/w", Process: session.Identify(os.Getpid())})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, names(t, sessions)); diff != "" {
		t.Error(diff)
	}
}

func TestProcessIsToldFromAnotherWithItsNumber(t *testing.T) {
	me := session.Identify(os.Getpid())
	if !me.Alive() {
		t.Error("this process is not alive")
	}
	if p := gone(t); p.Alive() {
		t.Error("a process that has ended is alive")
	}
	if caller := session.Caller(); caller.PID <= 0 || !caller.Alive() {
		t.Errorf("the caller is %+v", caller)
	}
	if me.Start == "" {
		t.Skip("SKIPPED: this system does not say when a process started")
	}
	if other := (session.Process{PID: me.PID, Start: "1" + me.Start}); other.Alive() {
		t.Error("a later process with the same number counts as the old one")
	}
}

func TestOrphansAreCleanedUp(t *testing.T) {
	dead, live := gone(t), session.Identify(os.Getpid())
	for _, tt := range []struct {
		name    string
		process session.Process
		idle    time.Duration
		prompts int
		file    string
		text    string
		pending bool
		want    string // "kept", "ended" or "removed"
	}{
		{name: "unused 9 minutes", process: dead, idle: 9 * time.Minute, want: "kept"},
		{name: "unused 10 minutes", process: dead, idle: 10 * time.Minute, want: "removed"},
		{name: "unused but live", process: live, idle: time.Hour, want: "kept"},
		{name: "unused, process unknown", idle: time.Hour, want: "kept"},
		{name: "unused with a journal", process: dead, idle: 10 * time.Minute, file: "journal.jsonl", text: "{}\n", want: "ended"},
		{name: "unused with an empty journal", process: dead, idle: 10 * time.Minute, file: "journal.jsonl", want: "removed"},
		{name: "unused with a file of somebody", process: dead, idle: 10 * time.Minute, file: "note.md", want: "ended"},
		{name: "used 29 minutes ago", process: dead, idle: 29 * time.Minute, prompts: 1, want: "kept"},
		{name: "used 30 minutes ago", process: dead, idle: 30 * time.Minute, prompts: 1, file: "journal.jsonl", text: "{}\n", want: "ended"},
		{name: "with work left", process: dead, idle: 30 * time.Minute, prompts: 1, pending: true, want: "ended"},
		{name: "live for 23 hours", process: live, idle: 23 * time.Hour, prompts: 1, want: "kept"},
		{name: "live for a day", process: live, idle: 24 * time.Hour, prompts: 1, file: "journal.jsonl", text: "{}\n", want: "ended"},
		{name: "clock went back", process: dead, idle: -48 * time.Hour, want: "kept"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sessions, c := t.TempDir(), &clock{time.Now()}
			dir, _ := open(t, sessions, c, "會話", tt.process)
			if _, err := session.Update(t.Context(), dir, nil, func(s *session.State) error {
				s.Prompts = tt.prompts
				if tt.pending {
					s.Later("episode", "episode")
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if tt.file != "" {
				if err := os.WriteFile(filepath.Join(dir, tt.file), []byte(tt.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c.at = c.at.Add(tt.idle)
			for round := range 2 {
				got, err := session.Sweep(t.Context(), sessions, &session.Options{Now: c.now})
				if err != nil {
					t.Fatal(err)
				}
				var want session.Swept
				if round == 0 && tt.want == "ended" {
					want.Ended = []string{"會話"}
				} else if round == 0 && tt.want == "removed" {
					want.Removed = []string{"會話"}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("sweep %d: %s", round+1, diff)
				}
			}
			s, err := session.Load(dir)
			switch tt.want {
			case "removed":
				if !errors.Is(err, memory.ErrNotFound) {
					t.Errorf("Load gave %v", err)
				}
			default:
				if err != nil || (s.Status == session.Ended) != (tt.want == "ended") {
					t.Errorf("state %+v, %v", s, err)
				}
			}
		})
	}
}

// A state that another version left merged into another is no end: what is queued in
// it is done, whether its client comes back or not.
func TestAMergedStateComesBackToWork(t *testing.T) {
	for _, tt := range []struct {
		name  string
		comes bool
		idle  time.Duration
		want  session.Status
	}{
		{"its client comes back", true, 48 * time.Hour, session.Working},
		{"nobody comes for 29 minutes", false, 29 * time.Minute, "merged"},
		{"nobody comes for 30 minutes", false, 30 * time.Minute, session.Ended},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sessions, c, process := t.TempDir(), &clock{time.Now()}, gone(t)
			dir, _ := open(t, sessions, c, "a", process)
			if _, err := session.Update(t.Context(), dir, nil, func(s *session.State) error {
				s.Status, s.Prompts, s.Pending = "merged", 1, []string{"decision"}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			c.at = c.at.Add(tt.idle)
			if tt.comes {
				open(t, sessions, c, "a", process)
			} else if _, err := session.Sweep(t.Context(), sessions, &session.Options{Now: c.now, EndWork: []string{"log"}}); err != nil {
				t.Fatal(err)
			}
			s, err := session.Load(dir)
			if err != nil || s.Status != tt.want || s.Pending[0] != "decision" || (len(s.Pending) == 2) != (tt.want == session.Ended) {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
}

// Two terminals of one project begin, are swept and end apart.
func TestTerminalsStayApart(t *testing.T) {
	sessions, c := t.TempDir(), &clock{time.Now()}
	live := session.Identify(os.Getpid())
	first, _ := open(t, sessions, c, "first", live)
	c.at = c.at.Add(5 * time.Second)
	second, _ := open(t, sessions, c, "second", live)
	prompt(t, second)
	if first == second {
		t.Fatal("the second terminal took over the first, which is alive")
	}
	c.at = c.at.Add(2 * time.Hour)
	if _, err := session.Update(t.Context(), second, nil, func(s *session.State) error { s.Process = gone(t); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(second, "journal.jsonl"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := session.Sweep(t.Context(), sessions, &session.Options{Now: c.now})
	if diff := cmp.Diff(session.Swept{Ended: []string{"second"}}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if s, err := session.Load(first); err != nil || s.Status != session.Working || s.Prompts != 0 {
		t.Errorf("the first is %+v, %v", s, err)
	}
}

func TestEndedSessionWithoutAnythingIsRemoved(t *testing.T) {
	sessions, c := t.TempDir(), &clock{time.Now()}
	dir, _ := open(t, sessions, c, "a", session.Identify(os.Getpid()))
	if _, err := session.Update(t.Context(), dir, nil, func(s *session.State) error { s.Status = session.Ended; return nil }); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(sessions, "b")
	if err := os.MkdirAll(broken, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, "state.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := session.Sweep(t.Context(), sessions, nil)
	if diff := cmp.Diff(session.Swept{Removed: []string{"a"}}, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if diff := cmp.Diff([]string{"b"}, names(t, sessions)); diff != "" {
		t.Error(diff)
	}
	if got, err := session.Sweep(t.Context(), filepath.Join(sessions, "none"), nil); err != nil || got.Ended != nil {
		t.Errorf("a sweep of nothing gave %+v, %v", got, err)
	}
}

func BenchmarkUpdate(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "s")
	for b.Loop() {
		if _, err := session.Update(b.Context(), dir, nil, func(s *session.State) error { s.Prompts++; return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
