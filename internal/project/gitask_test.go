package project

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=ann", "-c", "user.email=ann@example.com"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestGitTellsFilesAndSubjects(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: git is not installed")
	}
	dir, ctx := t.TempDir(), context.Background()
	if _, err := Tracked(ctx, dir, 10); err == nil {
		t.Error("a folder that is no repository has tracked files")
	}
	git(t, dir, "init", "-q")
	if got, err := Subjects(ctx, dir, 10); err == nil && len(got) > 0 {
		t.Errorf("a repository without commits has subjects %v", got)
	}
	ran := filepath.Join(dir, "ran")
	git(t, dir, "config", "core.fsmonitor", "touch "+ran+";false")
	for _, name := range []string{"b.go", "名.go", "a.go"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("package a\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "-c", "core.fsmonitor=false", "add", ".")
	git(t, dir, "-c", "core.fsmonitor=false", "commit", "-qm", "feat: first\n\nmore")
	git(t, dir, "-c", "core.fsmonitor=false", "commit", "-q", "--allow-empty", "-m", "fix: second")
	files, err := Tracked(ctx, dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.go", "b.go"}, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	subjects, err := Subjects(ctx, dir, 10)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"fix: second", "feat: first"}, subjects); diff != "" {
		t.Errorf("subjects (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the repository's own configuration ran a program")
	}
}
