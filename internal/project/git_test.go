package project_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"orihon/internal/project"
)

// git runs the real git in dir, away from this user's own configuration.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	gitAs(t, dir, "林小明", args...)
}

// gitAs is git for who commits under that name.
func gitAs(t *testing.T, dir, committer string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: no git on this machine to make repositories with")
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=file",
		"GIT_AUTHOR_NAME=林小明", "GIT_AUTHOR_EMAIL=lin@example.com",
		"GIT_COMMITTER_NAME=" + committer, "GIT_COMMITTER_EMAIL=lin@example.com",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q in %s: %v\n%s", args, dir, err, out)
	}
}

// newRepo makes a repository with one commit on the branch main.
func newRepo(t *testing.T, dir string) string {
	t.Helper()
	mkdir(t, dir)
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "start")
	return dir
}

func mkdir(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// realDir is a temporary folder by its real name.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func resolve(t *testing.T, home, dir string) *project.Project {
	t.Helper()
	p, err := project.Resolve(home, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func register(t *testing.T, home, dir string) *project.Project {
	t.Helper()
	p := resolve(t, home, dir)
	if err := project.Register(t.Context(), p, time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	return p
}

// link is the person's yes: it ties a folder to the project it says to be.
func link(t *testing.T, home, dir string) *project.Project {
	t.Helper()
	p := resolve(t, home, dir)
	if p.Claim == nil {
		t.Fatalf("%s says to be no known project", dir)
	}
	if err := project.Link(t.Context(), p, p.Claim.ID, time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	return resolve(t, home, dir)
}
