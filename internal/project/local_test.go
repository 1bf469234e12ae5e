package project_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orihon/internal/project"
	"orihon/memory"
)

// resolveLocal is resolve for a user who asks for local memory.
func resolveLocal(t *testing.T, home, dir string, now bool) *project.Project {
	t.Helper()
	p, err := project.Resolve(home, dir, &project.Options{Local: true, LocalNow: now})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestLocalFolderCountsOnlyWhereItWasMade(t *testing.T) {
	for _, tt := range []struct {
		name  string
		plant func(t *testing.T, home, local string)
	}{
		{"planted", func(*testing.T, string, string) {}},
		{"with the mark of an older version", func(t *testing.T, _, local string) {
			write(t, filepath.Join(local, "..", "..", ".git", "orihon-local"), "")
		}},
		{"with a token of its own", func(t *testing.T, _, local string) {
			write(t, filepath.Join(local, ".made-here"), "token\n")
		}},
		{"with an empty token", func(t *testing.T, home, local string) {
			write(t, filepath.Join(local, ".made-here"), "\n")
			write(t, filepath.Join(home, "local-folders.json"), `{"folders":{}}`)
		}},
		{"with a link to the token of another folder", func(t *testing.T, home, local string) {
			other := resolve(t, home, mkdir(t, filepath.Join(filepath.Dir(home), "other")))
			if err := other.MakeLocal(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(string(other.Private()), ".made-here"), filepath.Join(local, ".made-here")); err != nil {
				t.Skip("SKIPPED: no symlinks here:", err)
			}
		}},
		{"moved here from where it was made", func(t *testing.T, home, local string) {
			other := resolve(t, home, mkdir(t, filepath.Join(filepath.Dir(home), "other")))
			if err := other.MakeLocal(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(local); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(string(other.Private()), local); err != nil {
				t.Fatal(err)
			}
		}},
		{"where the home's record is torn", func(t *testing.T, home, local string) {
			write(t, filepath.Join(local, ".made-here"), "token\n")
			write(t, filepath.Join(home, "local-folders.json"), `{"folders":{"`)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			top := realDir(t)
			home, root := filepath.Join(top, "home"), filepath.Join(top, "p")
			write(t, filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/main\n")
			local := filepath.Join(root, ".orihon", "local")
			write(t, filepath.Join(local, "memory", "semantic.jsonl"), "{}\n")
			tt.plant(t, home, local)
			// A standing setting of the user asks for local memory, not for
			// what others have put there.
			for _, p := range []*project.Project{resolve(t, home, root), resolveLocal(t, home, root, false)} {
				if p.Local || p.LocalRefused == "" || strings.HasPrefix(p.PersonalMemory(), root) {
					t.Errorf("it is read from %s (%q)", p.PersonalMemory(), p.LocalRefused)
				}
				if err := p.MakeLocal(t.Context()); !errors.Is(err, memory.ErrRefused) {
					t.Errorf("making it gave %v", err)
				}
			}
		})
	}
}

func TestLocalFolderIsWhereAPersonAsksForItNow(t *testing.T) {
	top := realDir(t)
	home, root := filepath.Join(top, "home"), mkdir(t, filepath.Join(top, "p"))
	note := filepath.Join(root, ".orihon", "local", "memory", "note.md")
	write(t, note, "kept by an earlier container\n")
	p := resolveLocal(t, home, root, true)
	if !p.Local || p.LocalRefused != "" {
		t.Fatalf("asked for now, it is refused: %s", p.LocalRefused)
	}
	if err := project.Register(t.Context(), p, time.Now()); err != nil {
		t.Fatal(err)
	}
	if p := resolve(t, home, root); p.Local {
		t.Error("one time made it the user's for good")
	}
	if err := resolveLocal(t, home, root, true).MakeLocal(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := resolve(t, home, root); !p.Local {
		t.Errorf("made the user's, it is refused: %s", p.LocalRefused)
	}

	// A folder that is not there yet is made when something is written.
	fresh := mkdir(t, filepath.Join(top, "fresh"))
	q := resolveLocal(t, home, fresh, false)
	if err := project.Register(t.Context(), q, time.Now()); err != nil {
		t.Fatal(err)
	}
	if q := resolveLocal(t, home, fresh, false); !q.Local || q.LocalRefused != "" {
		t.Errorf("what we made is refused: %s", q.LocalRefused)
	}
	// In a container without a home that can be written.
	write(t, filepath.Join(top, "no home"), "a file")
	bare := resolveLocal(t, filepath.Join(top, "no home"), mkdir(t, filepath.Join(top, "bare")), true)
	if err := project.Register(t.Context(), bare, time.Now()); err != nil {
		t.Errorf("without a home: %v", err)
	}
}

func TestASymlinkInALocalFolderIsRefused(t *testing.T) {
	for _, at := range []string{
		"", "memory", "memory/semantic.jsonl", "sessions", "index", "index/index.db", "audit.jsonl", "usage.jsonl",
		"config.yaml", ".turn.lock", "hook.log", "sessions/s1", "memory/role.md",
		// Below the two levels that a hook looks at.
		"sessions/s1/journal.jsonl", "sessions/s1/io/1.txt", "memory/archive/2026_01.jsonl.gz",
	} {
		for _, target := range []string{"outside", "missing", "p/inside"} {
			t.Run(at+" to "+target, func(t *testing.T) {
				top := realDir(t)
				home, root := filepath.Join(top, "home"), mkdir(t, filepath.Join(top, "p"))
				mkdir(t, filepath.Join(top, "outside"))
				mkdir(t, filepath.Join(root, "inside"))
				made := resolve(t, home, root)
				if err := made.MakeLocal(t.Context()); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(string(made.Private()), filepath.FromSlash(at))
				if at == "" {
					if err := os.RemoveAll(path); err != nil {
						t.Fatal(err)
					}
				}
				mkdir(t, filepath.Dir(path))
				if err := os.Symlink(filepath.Join(top, target), path); err != nil {
					t.Skip("SKIPPED: no symlinks here:", err)
				}
				p := resolve(t, home, root)
				if strings.Count(at, "/") > 1 {
					if !p.Local {
						t.Errorf("a hook looked deeper than it has time for: %s", p.LocalRefused)
					}
					if left, err := p.CheckLocal(""); err != nil || !left {
						t.Errorf("looked through, it is still used (%v)", err)
					}
				} else if err := made.LocalStillClean(); !errors.Is(err, memory.ErrRefused) {
					t.Errorf("an open handle goes on: %v", err)
				}
				if p.Local || p.LocalRefused == "" || strings.HasPrefix(string(p.Private()), root) {
					t.Errorf("private memory is kept in %s (%q)", p.Private(), p.LocalRefused)
				}
				if err := p.MakeLocal(t.Context()); !errors.Is(err, memory.ErrRefused) {
					t.Errorf("making it again gave %v", err)
				}
			})
		}
	}
}
