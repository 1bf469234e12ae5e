package project_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/project"
	"orihon/memory"
)

// commitFiles writes files and commits them; by is the author.
func commitFiles(t *testing.T, dir, by, subject string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	git(t, dir, "add", "-A")
	gitAs(t, dir, by, "commit", "-q", "--allow-empty", "--author", "Somebody Else <a@example.com>", "-m", subject)
}

// asked is what the questions about a folder are answered.
func asked(t *testing.T, dir string, paths ...string) (files, subjects []string, by map[string]string) {
	t.Helper()
	files, err := project.Tracked(t.Context(), dir, 100)
	if err != nil && !errors.Is(err, memory.ErrNotFound) {
		t.Error(err)
	}
	if subjects, err = project.Subjects(t.Context(), dir, 100); err != nil {
		t.Error(err)
	}
	found, err := project.Committers(t.Context(), dir, paths)
	if err != nil {
		t.Error(err)
	}
	by = make(map[string]string, len(found))
	for p, c := range found {
		by[p] = c.Name
		if c.At.Year() < 2000 {
			t.Errorf("%s was committed at %s", p, c.At)
		}
	}
	return files, subjects, by
}

// history makes a repository whose answers are known; sub is a folder in it.
func history(t *testing.T, dir string, initArgs ...string) {
	t.Helper()
	mkdir(t, dir)
	git(t, dir, append([]string{"init", "-q", "-b", "main"}, initArgs...)...)
	commitFiles(t, dir, "Ann", "feat: first\n\nmore", map[string]string{"b.go": "b", "名.go": "n", "a.go": "a", "sub/x.md": "x", "sub/y.md": "y", "gone.md": "g"})
	if err := os.Remove(filepath.Join(dir, "gone.md")); err != nil {
		t.Fatal(err)
	}
	commitFiles(t, dir, "林\u202e小\u200b明"+strings.Repeat("長", 100), "fix: second", map[string]string{"sub/y.md": "y2"})
	if err := os.Symlink("a.go", filepath.Join(dir, "link.go")); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	commitFiles(t, dir, "Ben", "試試", map[string]string{"z.go": "z"})
	write(t, filepath.Join(dir, "new.go"), "untracked")
	write(t, filepath.Join(dir, "gone.md"), "here again, but nobody's commit")
}

var (
	historyFiles    = []string{"a.go", "b.go", "sub/x.md", "sub/y.md", "z.go", "名.go"}
	historySubjects = []string{"試試", "fix: second", "feat: first"}
	historyPaths    = []string{"a.go", "sub/y.md", "名.go", "z.go", "new.go", "gone.md", "sub", "../up"}
	historyBy       = map[string]string{"a.go": "Ann", "名.go": "Ann", "sub/y.md": "林小明" + strings.Repeat("長", 77), "z.go": "Ben"}
)

func wantHistory(t *testing.T, dir string) {
	t.Helper()
	files, subjects, by := asked(t, dir, historyPaths...)
	for _, diff := range []string{cmp.Diff(historyFiles, files), cmp.Diff(historySubjects, subjects), cmp.Diff(historyBy, by)} {
		if diff != "" {
			t.Errorf("%s (-want +got):\n%s", dir, diff)
		}
	}
}

func TestGitTellsFilesSubjectsAndCommitters(t *testing.T) {
	for _, tt := range []struct {
		name  string
		init  []string
		after func(t *testing.T, dir string)
	}{
		{"as it is", nil, nil},
		{"packed", nil, func(t *testing.T, dir string) {
			git(t, dir, "gc", "-q")
			git(t, dir, "pack-refs", "--all")
		}},
		{"with a commit graph", nil, func(t *testing.T, dir string) { git(t, dir, "commit-graph", "write", "--reachable") }},
		{"with the longer hash", []string{"--object-format=sha256"}, nil},
		{"detached", nil, func(t *testing.T, dir string) { git(t, dir, "checkout", "-q", "--detach") }},
		{"index of format 3", nil, func(t *testing.T, dir string) {
			git(t, dir, "add", "-N", "new.go")
			git(t, dir, "reset", "-q", "new.go")
			git(t, dir, "update-index", "--skip-worktree", "b.go")
		}},
		{"index of format 4", nil, func(t *testing.T, dir string) { git(t, dir, "update-index", "--index-version", "4") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(realDir(t), "repo")
			history(t, dir, tt.init...)
			if tt.after != nil {
				tt.after(t, dir)
			}
			wantHistory(t, dir)
			files, subjects, by := asked(t, filepath.Join(dir, "sub"), "y.md", "x.md", "a.go")
			if !slices.Equal(files, []string{"x.md", "y.md"}) || !slices.Equal(subjects, historySubjects) || len(by) != 2 || by["x.md"] != "Ann" {
				t.Errorf("below the top: %q, %q, %v", files, subjects, by)
			}
		})
	}
}

func TestGitTellsOfLinkedWorktreesAndSubmodules(t *testing.T) {
	dir := realDir(t)
	history(t, filepath.Join(dir, "repo"))
	git(t, filepath.Join(dir, "repo"), "worktree", "add", "-q", filepath.Join(dir, "tree"), "-b", "other")
	write(t, filepath.Join(dir, "tree", "gone.md"), "nobody's")
	wantHistory(t, filepath.Join(dir, "tree"))

	super := newRepo(t, filepath.Join(dir, "super"))
	git(t, super, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", filepath.Join(dir, "repo"), "part")
	wantHistory(t, filepath.Join(super, "part"))
}

func TestGitTellsOfAShallowCloneWhatItHas(t *testing.T) {
	dir := realDir(t)
	history(t, filepath.Join(dir, "repo"))
	git(t, dir, "clone", "-q", "--depth", "2", "file://"+filepath.ToSlash(filepath.Join(dir, "repo")), "shallow")
	files, subjects, by := asked(t, filepath.Join(dir, "shallow"), "z.go")
	if !slices.Equal(files, append(slices.Clone(historyFiles[:4]), "z.go", "名.go")) || !slices.Equal(subjects, historySubjects[:2]) || by["z.go"] != "Ben" {
		t.Errorf("%q, %q, %v", files, subjects, by)
	}
}

// What does not hold its own history tells nothing of it, and is no error.
func TestGitTellsNothingOfAHistoryThatIsElsewhere(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(t *testing.T, dir, other string)
	}{
		{"no repository", func(t *testing.T, dir, _ string) { mkdir(t, dir) }},
		{"no commit", func(t *testing.T, dir, _ string) {
			mkdir(t, dir)
			git(t, dir, "init", "-q")
		}},
		{"borrowed objects", func(t *testing.T, dir, other string) {
			git(t, filepath.Dir(dir), "clone", "-q", "--shared", other, dir)
		}},
		{"objects behind a symlink", func(t *testing.T, dir, other string) {
			git(t, filepath.Dir(dir), "clone", "-q", other, dir)
			objects := filepath.Join(dir, ".git", "objects")
			if err := errors.Join(os.RemoveAll(objects), os.Symlink(filepath.Join(other, ".git", "objects"), objects)); err != nil {
				t.Skip("SKIPPED: no symlinks here:", err)
			}
		}},
		{"a pack behind a symlink", func(t *testing.T, dir, other string) {
			git(t, filepath.Dir(dir), "clone", "-q", other, dir)
			pack := filepath.Join(dir, ".git", "objects", "pack")
			if err := errors.Join(os.RemoveAll(pack), os.Symlink(filepath.Join(other, ".git", "objects", "pack"), pack)); err != nil {
				t.Skip("SKIPPED: no symlinks here:", err)
			}
		}},
		{"a .git file that points to another repository", func(t *testing.T, dir, other string) {
			write(t, filepath.Join(dir, ".git"), "gitdir: "+filepath.Join(other, ".git")+"\n")
		}},
		{"a git folder that shares another's", func(t *testing.T, dir, other string) {
			mkdir(t, dir)
			git(t, dir, "init", "-q", "-b", "main")
			write(t, filepath.Join(dir, ".git", "commondir"), filepath.Join(other, ".git")+"\n")
		}},
		{"a bare look-alike", func(t *testing.T, dir, other string) {
			git(t, filepath.Dir(dir), "clone", "-q", "--bare", other, dir)
		}},
		{"a branch that leads out", func(t *testing.T, dir, other string) {
			git(t, filepath.Dir(dir), "clone", "-q", other, dir)
			write(t, filepath.Join(dir, ".git", "HEAD"), "ref: refs/../../../other/.git/refs/heads/main\n")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at := realDir(t)
			dir, other := filepath.Join(at, "repo"), filepath.Join(at, "other")
			history(t, other)
			tt.make(t, dir, other)
			if _, subjects, by := asked(t, dir, "a.go"); len(subjects) > 0 || len(by) > 0 {
				t.Errorf("subjects %q, committers %v", subjects, by)
			}
		})
	}
}

func TestACommitThatIsMissingEndsTheHistory(t *testing.T) {
	dir := filepath.Join(realDir(t), "repo")
	history(t, dir)
	cmd := exec.Command("git", "-C", dir, "rev-parse", "HEAD~2")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	id := strings.TrimSpace(string(out))
	if err := os.Remove(filepath.Join(dir, ".git", "objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}
	_, subjects, by := asked(t, dir, "z.go", "a.go")
	if !slices.Equal(subjects, historySubjects[:len(subjects)]) || by["a.go"] != "" {
		t.Errorf("%q, %v", subjects, by)
	}
}

func TestAFileMayBeCalledAnything(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: Windows has no such names")
	}
	dir := newRepo(t, filepath.Join(realDir(t), "repo"))
	names := []string{"1700000000 Management", ":100644 100644 aa bb M", "a\nb", "\n:x", " lead", "-n1"}
	files := map[string]string{}
	for _, name := range names {
		files[name] = name
	}
	commitFiles(t, dir, "Ann", "names", files)
	_, _, by := asked(t, dir, names...)
	for _, name := range names {
		if by[name] != "Ann" {
			t.Errorf("%q: %q", name, by[name])
		}
	}
}

func TestWhatTheProjectHoldsIsNoProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the programs here are shell scripts")
	}
	root := realDir(t)
	inside, outside := mkdir(t, filepath.Join(root, "project", "bin")), mkdir(t, filepath.Join(root, "bin"))
	program := func(dir string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "helper"), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program(inside)
	t.Chdir(inside)
	for _, path := range []string{inside, ".", "", "bin", inside + ":.", filepath.Join(root, "project", "nothing", "..", "bin")} {
		t.Setenv("PATH", path)
		if got, err := project.Program("helper", filepath.Join(root, "project")); !errors.Is(err, memory.ErrNotFound) {
			t.Errorf("PATH=%q finds %q, %v", path, got, err)
		}
	}
	program(outside)
	t.Setenv("PATH", fmt.Sprintf("%s:.:%s", inside, outside))
	if got, err := project.Program("helper", filepath.Join(root, "project")); err != nil || got != filepath.Join(outside, "helper") {
		t.Errorf("found %q, %v", got, err)
	}
	// A folder that holds the home is not somebody else's project.
	t.Setenv("HOME", filepath.Join(root, "project"))
	if got, err := project.Program("helper", filepath.Join(root, "project")); err != nil || got != filepath.Join(outside, "helper") {
		t.Errorf("with the home as project: %q, %v", got, err)
	}
}

func TestTrackedStopsWhereItIsTold(t *testing.T) {
	dir := filepath.Join(realDir(t), "repo")
	history(t, dir)
	if got, err := project.Tracked(t.Context(), dir, 2); err != nil || !slices.Equal(got, historyFiles[:2]) {
		t.Errorf("%q, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := project.Tracked(ctx, dir, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	index := filepath.Join(dir, ".git", "index")
	data, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range [][]byte{nil, []byte("DIRC"), append([]byte("DIRC\x00\x00\x00\x09"), data[8:]...), data[:len(data)/2]} {
		if err := os.WriteFile(index, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := project.Tracked(t.Context(), dir, 100); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), index) {
			t.Errorf("%d bytes: %v", len(broken), err)
		}
	}
}
