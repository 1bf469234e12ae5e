package project_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"orihon/internal/project"
	"orihon/memory"
)

// stretch makes a repository with two commits and returns the first.
func stretch(t *testing.T) (dir, first string) {
	t.Helper()
	dir = filepath.Join(realDir(t), "repo")
	mkdir(t, dir)
	git(t, dir, "init", "-q", "-b", "main")
	commitFiles(t, dir, "Ann", "first", map[string]string{"a.txt": "one\n", "名/b.txt": "b\n", "old.txt": "old\n", ".gitignore": "*.log\n"})
	first = open(t, dir).Head()
	if err := os.Remove(filepath.Join(dir, "old.txt")); err != nil {
		t.Fatal(err)
	}
	commitFiles(t, dir, "Ann", "second", map[string]string{"a.txt": "two\n", "new.txt": "new\n"})
	return dir, first
}

func open(t *testing.T, dir string) *project.Checkout {
	t.Helper()
	c, err := project.OpenCheckout(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// says is what git prints in a folder.
func says(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func text(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestACheckoutSaysWhatIsNotCommitted(t *testing.T) {
	dir, first := stretch(t)
	write(t, filepath.Join(dir, "noise.log"), "ignored")
	c := open(t, dir)
	if dirty, err := c.Dirty(t.Context()); err != nil || len(dirty) != 0 {
		t.Errorf("a clean worktree: %q, %v", dirty, err)
	}
	if n, err := c.Files(t.Context()); err != nil || n != 4 {
		t.Errorf("%d files, %v", n, err)
	}
	if ahead, behind, err := c.Distance(t.Context(), first); err != nil || ahead != 1 || behind != 0 {
		t.Errorf("%d ahead, %d behind, %v", ahead, behind, err)
	}
	write(t, filepath.Join(dir, "a.txt"), "TWO\n") // of the same size
	write(t, filepath.Join(dir, "名", "c.txt"), "c")
	write(t, filepath.Join(dir, "new.txt"), "staged")
	git(t, dir, "add", "new.txt")
	dirty, err := c.Dirty(t.Context())
	slices.Sort(dirty)
	if want := []string{"?? 名/c.txt", "M  new.txt", "M a.txt"}; err != nil || !slices.Equal(dirty, want) {
		t.Errorf("%q, %v, want %q", dirty, err, want)
	}
}

func TestACheckoutGoesBackOnANewBranch(t *testing.T) {
	dir, first := stretch(t)
	linked := filepath.Join(filepath.Dir(dir), "linked")
	git(t, dir, "worktree", "add", "-q", "-b", "beside", linked)
	for name, at := range map[string]string{"main": dir, "linked": linked} {
		c := open(t, at)
		second := c.Head()
		if err := c.Restore(t.Context(), "restore/"+name, first); err != nil {
			t.Fatal(err)
		}
		if got := says(t, at, "status", "--porcelain"); got != "" {
			t.Errorf("%s: git sees changes: %s", name, got)
		}
		if got := says(t, at, "rev-parse", "--abbrev-ref", "HEAD") + " " + says(t, at, "rev-parse", "HEAD"); got != "restore/"+name+" "+first {
			t.Errorf("%s: on %s", name, got)
		}
		if got := text(t, filepath.Join(at, "a.txt")) + text(t, filepath.Join(at, "old.txt")); got != "one\nold\n" {
			t.Errorf("%s: files say %q", name, got)
		}
		if _, err := os.Stat(filepath.Join(at, "new.txt")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: new.txt is still there: %v", name, err)
		}
		if got := says(t, at, "rev-parse", map[string]string{"main": "main", "linked": "beside"}[name]); got != second {
			t.Errorf("%s: the branch moved to %s", name, got)
		}
		says(t, at, "fsck", "--strict")
		if err := open(t, at).Restore(t.Context(), "restore/"+name, second); !errors.Is(err, memory.ErrRefused) {
			t.Errorf("%s: a branch was taken twice: %v", name, err)
		}
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, dir string){
		"a change":   func(t *testing.T, dir string) { write(t, filepath.Join(dir, "a.txt"), "mine") },
		"a new file": func(t *testing.T, dir string) { write(t, filepath.Join(dir, "mine.txt"), "mine") },
		"an ignored file": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".git", "info", "exclude"), "old.txt\n")
			write(t, filepath.Join(dir, "old.txt"), "mine")
		},
		"git at work":         func(t *testing.T, dir string) { write(t, filepath.Join(dir, ".git", "index.lock"), "") },
		"a part checked out":  func(t *testing.T, dir string) { git(t, dir, "config", "core.sparseCheckout", "true") },
		"a file for a folder": func(t *testing.T, dir string) {},
	} {
		t.Run(name, func(t *testing.T) {
			dir, first := stretch(t)
			if name == "a file for a folder" {
				git(t, dir, "rm", "-rq", "名")
				git(t, dir, "commit", "-qm", "third")
				write(t, filepath.Join(dir, ".git", "info", "exclude"), "名\n")
				write(t, filepath.Join(dir, "名"), "mine")
			}
			prepare(t, dir)
			before, head := says(t, dir, "status", "--porcelain", "--ignored"), says(t, dir, "rev-parse", "HEAD")
			if err := open(t, dir).Restore(t.Context(), "back", first); !errors.Is(err, memory.ErrRefused) {
				t.Errorf("restored over it: %v", err)
			}
			if after := says(t, dir, "status", "--porcelain", "--ignored"); after != before || says(t, dir, "rev-parse", "HEAD") != head {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
			if _, err := os.Stat(filepath.Join(dir, ".git", "HEAD.lock")); !errors.Is(err, os.ErrNotExist) {
				t.Error("a lock is left")
			}
		})
	}
}

// Nothing that a repository configures runs, and a file that needs a filter is not
// written without it.
func TestACheckoutRunsNothingOfTheRepository(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the traps are shell scripts")
	}
	dir, first := stretch(t)
	ran := filepath.Join(filepath.Dir(dir), "ran")
	trap := filepath.Join(filepath.Dir(dir), "trap")
	write(t, trap, "#!/bin/sh\necho \"$0 $*\" >>"+ran+"\ncat\n")
	if err := os.Chmod(trap, 0o700); err != nil {
		t.Fatal(err)
	}
	commitFiles(t, dir, "Ann", "third", map[string]string{".gitattributes": "*.txt diff=evil merge=evil\n"})
	for _, hook := range []string{"post-checkout", "pre-commit", "reference-transaction", "post-index-change", "fsmonitor-watchman"} {
		if err := os.Link(trap, filepath.Join(mkdir(t, filepath.Join(dir, ".git", "hooks")), hook)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(filepath.Dir(dir), "more"), "[core]\n\tfsmonitor = "+trap+"\n")
	f, err := os.OpenFile(filepath.Join(dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString("[core]\n\tfsmonitor = " + trap + "\n\tpager = " + trap + "\n\tsshCommand = " + trap + "\n\tautocrlf = \"false\\n[core]\\nfsmonitor = " + trap + "\"\n" +
		"[diff \"evil\"]\n\ttextconv = " + trap + "\n\tcommand = " + trap + "\n[merge \"evil\"]\n\tdriver = " + trap + "\n" +
		"[filter \"evil\"]\n\tclean = " + trap + "\n\tsmudge = " + trap + "\n\tprocess = " + trap + "\n\trequired = true\n" +
		"[alias]\n\tstatus = !" + trap + "\n\tread-tree = !" + trap + "\n[include]\n\tpath = ../../more\n")
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	c := open(t, dir)
	// Touched, so that its content is looked at.
	write(t, filepath.Join(dir, "a.txt"), "two\n")
	if dirty, err := c.Dirty(t.Context()); err != nil || len(dirty) != 0 {
		t.Errorf("%q, %v", dirty, err)
	}
	if err := c.Restore(t.Context(), "back", first); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(ran); err == nil {
		t.Errorf("ran: %s", data)
	}

	dir, _ = stretch(t)
	commitFiles(t, dir, "Ann", "third", map[string]string{".gitattributes": "*.bin filter=lfs\n", "x.bin": "pointer\n"})
	filtered := open(t, dir).Head()
	git(t, dir, "rm", "-q", "x.bin")
	git(t, dir, "commit", "-qm", "fourth")
	if err := open(t, dir).Restore(t.Context(), "back", filtered); !errors.Is(err, memory.ErrRefused) || !strings.Contains(err.Error(), "filter lfs") {
		t.Errorf("a filtered file was written: %v", err)
	}
}

func TestRefsOfOurs(t *testing.T) {
	dir, first := stretch(t)
	c := open(t, dir)
	const name = "refs/orihon/checkpoints/a"
	for _, bad := range []string{"refs/../HEAD", "HEAD", "refs/heads/x.lock", "refs/a//b", "refs/-x", "refs/x y", "refs/a..b", "refs/日"} {
		if err := c.SetRef(bad, first); !errors.Is(err, memory.ErrInvalid) {
			t.Errorf("%s was set: %v", bad, err)
		}
	}
	if err := c.SetRef(name, first); err != nil || c.Ref(name) != first || says(t, dir, "rev-parse", name) != first {
		t.Fatalf("%v %s", err, c.Ref(name))
	}
	git(t, dir, "tag", "-a", "v1", "-m", "x")
	git(t, dir, "pack-refs", "--all")
	if c.Ref(name) != first {
		t.Error("a packed ref is lost")
	}
	if err := c.DeleteRef(name); err != nil || c.Ref(name) != "" {
		t.Errorf("%v %s", err, c.Ref(name))
	}
	if got := says(t, dir, "for-each-ref", "--format=%(refname)"); got != "refs/heads/main\nrefs/tags/v1" {
		t.Errorf("left: %s", got)
	}
	says(t, dir, "fsck", "--strict")
	if err := c.DeleteRef(name); err != nil {
		t.Errorf("gone already: %v", err)
	}

	// A symlink leads nobody out of the git folder.
	out := mkdir(t, filepath.Join(filepath.Dir(dir), "out"))
	if err := os.Symlink(out, filepath.Join(dir, ".git", "refs", "evil")); err != nil {
		t.Skip("SKIPPED: no symlinks here")
	}
	if err := c.SetRef("refs/evil/x", first); err == nil {
		t.Error("a symlink was followed")
	}
	if left, _ := os.ReadDir(out); len(left) > 0 {
		t.Errorf("written outside: %v", left)
	}
}

func TestWhatIsNoCheckout(t *testing.T) {
	dir := realDir(t)
	if _, err := project.OpenCheckout(dir); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("without a repository: %v", err)
	}
	git(t, dir, "init", "-q")
	if _, err := project.OpenCheckout(dir); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("without a commit: %v", err)
	}
	foreign, _ := stretch(t)
	thief := mkdir(t, filepath.Join(realDir(t), "thief"))
	write(t, filepath.Join(thief, ".git"), "gitdir: "+filepath.Join(foreign, ".git")+"\n")
	if _, err := project.OpenCheckout(thief); err == nil {
		t.Error("another folder's repository was opened")
	}
}
