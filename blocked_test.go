package orihon_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orihon/follow"
)

// inTheWay are the ways in which something that is no file of ours can stand in
// the place of one, each with what it must keep. Named pipes come where the
// system has them.
func inTheWay() map[string]func(t *testing.T, path string) (kept func(aside string) bool) {
	ways := map[string]func(t *testing.T, path string) func(string) bool{
		"a folder": func(t *testing.T, path string) func(string) bool {
			write(t, filepath.Join(path, "thesis.txt"), "years of work")
			return func(aside string) bool {
				raw, err := os.ReadFile(filepath.Join(aside, "thesis.txt"))
				return err == nil && string(raw) == "years of work"
			}
		},
		"a symlink out of the home": func(t *testing.T, path string) func(string) bool {
			out := filepath.Join(t.TempDir(), "letter.txt")
			write(t, out, "dear friend")
			link(t, out, path)
			return func(aside string) bool {
				to, err := os.Readlink(aside)
				return err == nil && to == out && read(t, out) == "dear friend"
			}
		},
		"a symlink to nowhere": func(t *testing.T, path string) func(string) bool {
			link(t, filepath.Join(t.TempDir(), "gone"), path)
			return func(aside string) bool {
				_, err := os.Readlink(aside)
				return err == nil
			}
		},
	}
	addPipe(ways)
	return ways
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip("SKIPPED: this system makes no symlinks here: ", err)
	}
}

// Whatever stands in the place of the index, or beside it: a hook goes on, the
// next sync moves it aside whole and builds the index anew.
func TestWhatStandsInTheWayOfTheIndexIsMovedAside(t *testing.T) {
	for what, put := range inTheWay() {
		for _, name := range []string{"index.db", "index.db-wal", "index.db-shm", "index.db-journal", "index.db.scope", "index.db.shared", "index.db.damaged"} {
			t.Run(name+" is "+what, func(t *testing.T) {
				t.Parallel()
				p := marmots(t)
				path := filepath.Join(p.private(t), "index", name)
				if err := os.RemoveAll(path); err != nil {
					t.Fatal(err)
				}
				kept := put(t, path)

				hook := p.open(t, readOnly)
				r := recall(t, hook, "what is the staging host called?")
				if !strings.Contains(r.Text, "marmot") && (!slices.Contains(r.Degraded, "project index") || !hook.LateIndex()) {
					t.Errorf("the hook got %q, degraded %v, late %v", r.Text, r.Degraded, hook.LateIndex())
				}
				hook.Close()

				m := p.open(t)
				if _, err := m.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
				if !finds(t, m, "what is the staging host called?", "marmot") {
					t.Error("nothing is found after the sync")
				}
				if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
					t.Errorf("%s still stands there", info.Mode())
				}
				if !kept(path + ".aside-1") {
					t.Errorf("what stood in the way was not kept: %v", glob(t, path+".aside-*"))
				}
			})
		}
	}
}

func TestWhatStandsInTheWayOfTheIndexFolderIsMovedAside(t *testing.T) {
	ways := inTheWay()
	delete(ways, "a folder") // that is what belongs there
	ways["a file"] = func(t *testing.T, path string) func(string) bool {
		write(t, path, "years of work")
		return func(aside string) bool { return read(t, aside) == "years of work" }
	}
	for what, put := range ways {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := marmots(t)
			dir := filepath.Join(p.private(t), "index")
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			kept := put(t, dir)
			hook := p.open(t, readOnly)
			recall(t, hook, "what is the staging host called?")
			hook.Close()
			m := p.open(t)
			if _, err := m.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !finds(t, m, "what is the staging host called?", "marmot") {
				t.Error("nothing is found after the sync")
			}
			if !kept(dir + ".aside-1") {
				t.Errorf("what stood in the way was not kept: %v", glob(t, dir+".aside-*"))
			}
		})
	}
}

func TestAnIndexThatMayNotBeReadIsRebuilt(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("SKIPPED: root may read everything")
	}
	for _, name := range []string{"index", "index/index.db"} {
		t.Run(name, func(t *testing.T) {
			p := marmots(t)
			path := filepath.Join(p.private(t), name)
			if err := os.Chmod(path, 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(path, 0o700) })
			m := p.open(t)
			if _, err := m.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !finds(t, m, "what is the staging host called?", "marmot") {
				t.Error("nothing is found after the sync")
			}
		})
	}
}

// A file of ours that is something else is named and never waited for; the rest
// works.
func TestNothingWaitsForWhatIsNoFile(t *testing.T) {
	for what, put := range inTheWay() {
		for _, name := range []string{
			"memory/semantic.jsonl", "memory/episodic.jsonl", "audit.jsonl", "usage.jsonl", "sessions/s/journal.jsonl", "sessions/s/state.json",
			"memory/_candidates.md", "memory/MEMORY.md", "memory/2026-08-01.md", "run-state.json", ".store.lock", ".turn.lock", "memory/.lock",
			"index/index.db.lock", "index/index.db.sync", "project.json",
		} {
			t.Run(name+" is "+what, func(t *testing.T) {
				t.Parallel()
				p := marmots(t)
				p.prompt(t, "s", "p0", "hello there")
				path := filepath.Join(p.private(t), name)
				if err := os.RemoveAll(path); err != nil {
					t.Fatal(err)
				}
				put(t, path)
				// Each of these comes to an end. What it comes to is said elsewhere.
				m := p.open(t, readOnly)
				if s, err := m.Session(t.Context(), "s", follow.Client{Name: "test"}); err == nil {
					_, _ = s.Begin(t.Context(), "startup")
					_, _ = s.Prompt(t.Context(), "p1", "Remember that the gateway is called heron. What is the staging host called?")
					_ = s.Answer(t.Context(), "p1", "It is marmot.")
					_ = s.End(t.Context(), "other")
				}
				m.Close()
				m = p.open(t)
				_ = m.Sessions().Work(t.Context())
				_, _ = m.Sync(t.Context())
				found, err := m.Health().Examine(t.Context())
				if r := recall(t, m, "what is my editor called?"); !strings.Contains(r.Text, "helix") {
					t.Errorf("the user's space is lost too: %q, degraded %v", r.Text, r.Degraded)
				}
				said := strings.Join(append(found.Text, found.Index), "\n")
				if err != nil {
					said += err.Error()
				}
				info, lerr := os.Stat(path)
				if lerr == nil && !info.Mode().IsRegular() && !strings.Contains(said, filepath.Base(name)) {
					t.Errorf("%s is not named: %q", name, said)
				}
			})
		}
	}
}
