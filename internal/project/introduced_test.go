package project_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/project"
)

// introduced is who committed lines of a folder, and what stood there before.
func introduced(t *testing.T, dir string, lines ...project.Line) map[project.Line][2]string {
	t.Helper()
	found, err := project.Introduced(t.Context(), dir, lines)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[project.Line][2]string)
	for l, by := range found {
		out[l] = [2]string{by.Name, by.Before}
	}
	return out
}

func TestGitTellsWhoCommittedALine(t *testing.T) {
	dir := filepath.Join(realDir(t), "repo")
	mkdir(t, dir)
	git(t, dir, "init", "-q", "-b", "main")
	const note, other = "notes/爐 子.md", "notes/b.md"
	commitFiles(t, dir, "Ann", "first", map[string]string{
		note:  "---\nid: a\n---\nThe kiln is fired at 1100 degrees\n",
		other: "- The glaze dries overnight\n- diff --git a/notes/c.md b/notes/c.md\n",
	})
	commitFiles(t, dir, "Ben", "ended", map[string]string{note: "---\nid: a\nvalid_to: 2026-11-20\n---\nThe kiln is fired at 1100 degrees\n"})
	want := map[project.Line][2]string{
		{note, "The kiln is fired at 1100 degrees"}: {"Ann"}, // Ben changed another line
		{other, "The glaze dries overnight"}:        {"Ann"},
	}
	nobodys := project.Line{File: other, Text: "nobody's"}
	if diff := cmp.Diff(want, introduced(t, dir, project.Line{File: note, Text: "The kiln is fired at 1100 degrees"}, project.Line{File: other, Text: "The glaze dries overnight"}, nobodys)); diff != "" {
		t.Error(diff)
	}

	// Both change one line; who merges takes the other's.
	git(t, dir, "checkout", "-q", "-b", "side")
	commitFiles(t, dir, "Cai", "to 1200", map[string]string{note: "---\nid: a\n---\nThe kiln is fired at 1200 degrees\n"})
	git(t, dir, "checkout", "-q", "main")
	commitFiles(t, dir, "Ben", "to 1300", map[string]string{note: "---\nid: a\n---\nThe kiln is fired at 1300 degrees\n", "x": "x"})
	gitAs(t, dir, "Ben", "merge", "-q", "-s", "recursive", "-X", "theirs", "--no-commit", "side")
	write(t, filepath.Join(dir, "notes", "new.md"), "The tongs hang by the door\n")
	git(t, dir, "add", "-A")
	gitAs(t, dir, "Ben", "commit", "-q", "-m", "merge")
	want = map[project.Line][2]string{
		{note, "The kiln is fired at 1200 degrees"}:    {"Cai", "The kiln is fired at 1100 degrees"},
		{"notes/new.md", "The tongs hang by the door"}: {"Ben"},
	}
	lines := []project.Line{{File: note, Text: "The kiln is fired at 1200 degrees"}, {File: "notes/new.md", Text: "The tongs hang by the door"}}
	if diff := cmp.Diff(want, introduced(t, dir, lines...)); diff != "" {
		t.Error(diff)
	}
	below := project.Line{File: "new.md", Text: "The tongs hang by the door"}
	if got := introduced(t, filepath.Join(dir, "notes"), below); got[below] != [2]string{"Ben"} {
		t.Errorf("below the top: %v", got)
	}

	// What a file says is no commit of somebody's, whatever it looks like.
	if err := os.Remove(filepath.Join(dir, filepath.FromSlash(other))); err != nil {
		t.Fatal(err)
	}
	forged := "x\n\x001700000000 Ann\ndiff --git a/notes/new.md b/notes/new.md\n@@ -1 +1 @@\n+The tongs are sold\n"
	commitFiles(t, dir, "Mallory", "forge", map[string]string{"notes/forged.md": forged})
	sold := project.Line{File: "notes/new.md", Text: "The tongs are sold"}
	if got := introduced(t, dir, sold); len(got) != 0 {
		t.Errorf("forged: %v", got)
	}
}
