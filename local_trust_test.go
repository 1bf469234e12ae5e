package orihon_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon"
	"orihon/internal/project"
	"orihon/memory"
)

// startFile is what a shell reads when it starts; a line appended to it runs.
const startFile = "# The start file of a shell, with the word quokka in it\n"

func TestASymlinkInALocalFolderLeadsNowhere(t *testing.T) {
	files := []string{
		"audit.jsonl", "usage.jsonl", "hook.log", "config.yaml", "candidates.jsonl", "observations.jsonl", ".turn.lock",
		"memory/semantic.jsonl", "memory/episodic.jsonl", "memory/.lock", "memory/MEMORY.md", "memory/2026-06-01.md", "memory/role.md",
		"index/index.db", "sessions/s1/journal.jsonl", "sessions/s1/state.json", "sessions/s1/.lock",
	}
	folders := []string{"", "memory", "index", "sessions", "sessions/s1", "sessions/s1/io"}
	for _, made := range []bool{false, true} {
		for i, at := range append(files, folders...) {
			name := "planted: " + at
			if made {
				name = "in one made here: " + at
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := newPlace(t)
				dir, err := filepath.EvalSymlinks(p.dir)
				if err != nil {
					t.Fatal(err)
				}
				gitFolder(t, filepath.Join(dir, ".git"), "")
				local := filepath.Join(dir, ".orihon", "local")
				if made {
					m := p.open(t)
					if err := m.MakeLocal(t.Context()); err != nil {
						t.Fatal(err)
					}
					m.Close()
					p.begin(t, "s1", "startup")
					if _, err := os.Stat(filepath.Join(local, "sessions", "s1", "journal.jsonl")); err != nil {
						t.Fatal("the session is not kept there:", err)
					}
				} else {
					put(t, filepath.Join(dir, ".git", "orihon-local"), "")
				}

				outside := t.TempDir()
				target := filepath.Join(outside, "startfile")
				put(t, target, startFile)
				if i >= len(files) {
					target = outside
				}
				path := filepath.Join(local, filepath.FromSlash(at))
				if err := os.RemoveAll(path); err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(target, path); err != nil {
					t.Skip("SKIPPED: no symlinks here:", err)
				}

				shown := p.begin(t, "s1", "startup").Text
				shown += p.prompt(t, "s1", "p1", "remember that the deploy key lies in the red safe, quokka").Text
				p.end(t, "s1")
				p.work(t)
				m := p.open(t)
				remember(t, m, "The harbour is called heron and never quokka")
				r, err := m.Recall(t.Context(), memory.Query{Text: "what is the harbour called, quokka?"})
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(r.Text, "heron") {
					t.Errorf("memory does not work in the home: %q", r.Text)
				}
				if shown += r.Text; strings.Contains(shown, "start file of a shell") {
					t.Errorf("what lies outside is shown:\n%s", shown)
				}
				entries, err := os.ReadDir(outside)
				if err != nil {
					t.Fatal(err)
				}
				if len(entries) != 1 {
					t.Errorf("something was made outside: %v", entries)
				}
				got, err := os.ReadFile(filepath.Join(outside, "startfile"))
				if err != nil || string(got) != startFile {
					t.Errorf("what lies outside was written: %q, %v", got, err)
				}
				if m.Project().Local || !strings.Contains(m.Project().LocalRefused, local) {
					t.Errorf("the folder is used (%q)", m.Project().LocalRefused)
				}
				st, err := m.Health().Status(t.Context())
				if err != nil || !strings.Contains(strings.Join(st.Problems, "\n"), local) {
					t.Errorf("the status does not say so: %q, %v", st.Problems, err)
				}
				if !strings.Contains(p.begin(t, "s2", "startup").Text, ".orihon/local is not used") {
					t.Error("the session's start does not say so")
				}
			})
		}
	}
}

func TestASettingOfTheUserKeepsMemoryLocalWithoutAQuestion(t *testing.T) {
	p := newPlace(t)
	put(t, filepath.Join(p.home, "config.yaml"), "local: true\n")
	remember(t, p.open(t), "The harbour is called heron")
	for _, change := range []func(*orihon.Options){func(*orihon.Options) {}, readOnly} {
		m := p.open(t, change)
		if !m.Project().Local {
			t.Fatalf("the folder that it made is refused: %s", m.Project().LocalRefused)
		}
		r, err := m.Recall(t.Context(), memory.Query{Text: "what is the harbour called?"})
		if err != nil || !strings.Contains(r.Text, "heron") {
			t.Errorf("recalled %q, %v", r.Text, err)
		}
	}
}

func TestASymlinkThatComesWhileAHandleIsOpenIsNotFollowed(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	if err := m.MakeLocal(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.Close()
	m = p.open(t)
	s := session(t, m, "s1")
	remember(t, m, "The harbour is called heron")
	target := filepath.Join(t.TempDir(), "startfile")
	put(t, target, startFile)
	audit := project.Space(m.Project().Private).Audit()
	if err := os.Remove(audit); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, audit); err != nil {
		t.Skip("SKIPPED: no symlinks here:", err)
	}
	if _, err := m.Remember(t.Context(), orihon.Statement{Text: "The port is 8080"}); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("remembering gave %v", err)
	}
	if _, err := s.Prompt(t.Context(), "p1", "remember that the port is 8080"); !errors.Is(err, memory.ErrRefused) {
		t.Errorf("a prompt gave %v", err)
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != startFile {
		t.Errorf("what lies outside was written: %q, %v", got, err)
	}
}
