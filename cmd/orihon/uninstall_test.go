package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon/internal/histories"
	"orihon/internal/project"
)

// TestPurgeWantsThePathTyped has a person at the terminal, whom scripts cannot be.
func TestPurgeWantsThePathTyped(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, project, user := filepath.Join(top, "home"), filepath.Join(top, "project"), filepath.Join(top, "user")
	for _, dir := range []string{project, user} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", user)
	t.Setenv("USERPROFILE", user)
	t.Chdir(project)
	run := func(answer string, args ...string) (code int, out, errs string) {
		t.Helper()
		var o, e bytes.Buffer
		a := &app{in: strings.NewReader(answer), out: &o, errs: &e, asks: true, env: func(name string) (string, bool) { return "ann", name == "ORIHON_USER" }}
		code = a.main(t.Context(), append(args, "--home", home))
		return code, o.String(), e.String()
	}
	if code, _, errs := run("", "remember", "The valve is green"); code != exitOK {
		t.Fatal(errs)
	}
	if code, _, errs := run("no\n", "install", "claude-code"); code != exitOK {
		t.Fatal(errs)
	}
	for _, answer := range []string{"", "yes\n", filepath.Base(home) + "\n"} {
		if code, _, errs := run(answer, "uninstall", "--purge"); code != exitRefused || !strings.Contains(errs, home) {
			t.Errorf("answered %q it ended with %d: %s", answer, code, errs)
		}
	}
	for _, path := range []string{filepath.Join(home, "projects.json"), filepath.Join(project, ".claude", "settings.json")} {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("refused, it took away %s", path)
		}
	}
	code, out, errs := run(home+"\n", "uninstall", "--purge")
	if code != exitOK || !strings.Contains(out, "removed from") || !strings.Contains(out, home) {
		t.Errorf("it ended with %d: %s%s", code, out, errs)
	}
	for _, path := range []string{home, filepath.Join(project, ".claude")} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	if code, _, _ := run(home+"\n", "uninstall", "--purge"); code != exitNotFound {
		t.Errorf("a second time it ended with %d", code)
	}
}

// Who keeps the home on another disk has a symlink in its place.
func TestPurgeFollowsTheLinkToTheHome(t *testing.T) {
	top := t.TempDir()
	home, link := filepath.Join(top, "disk", "home"), filepath.Join(top, "link")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	ledger := filepath.Join(home, "semantic.jsonl")
	if err := os.WriteFile(ledger, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(home, link); err != nil {
		t.Skip("SKIPPED: no symlinks here: ", err)
	}
	if n := project.Size(link); n != 4096 {
		t.Errorf("it says that %d bytes go", n)
	}
	if err := removeHome(t.Context(), link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{ledger, home, link} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
}

// TestPurgeTakesNoOtherFolder names folders that are no home of ours, or hold more.
func TestPurgeTakesNoOtherFolder(t *testing.T) {
	user := t.TempDir()
	t.Setenv("HOME", user)
	t.Setenv("USERPROFILE", user)
	other := t.TempDir()
	for _, dir := range []string{user, filepath.Dir(user), other} {
		if err := purgeable(dir); err == nil {
			t.Errorf("%s may be removed", dir)
		}
	}
}

// Who takes back that histories are read, or removes the home, while that goes on
// in another process, has it end at the next batch, and nothing come back.
func TestReadingHistoriesStopsWhenTheyAreNotWanted(t *testing.T) {
	for name, end := range map[string]func(home string) error{
		"answer taken back": func(home string) error { return forgetAnswer(t.Context(), home) },
		"home removed":      func(home string) error { return removeHome(t.Context(), home) },
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			home, folder := filepath.Join(top, "home"), filepath.Join(top, "project")
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			p := &pastProject{Folder: folder}
			for i := range batchFiles + 1 {
				path := filepath.Join(top, fmt.Sprintf("s-%d.jsonl", i))
				line := fmt.Sprintf(`{"type":"user","sessionId":"s-%d","cwd":%q,"uuid":"u","promptId":"p","timestamp":"2026-08-01T09:00:00Z","message":{"content":"why is the valve red?"}}`+"\n", i, folder)
				if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
					t.Fatal(err)
				}
				p.unread = append(p.unread, pastFile{histories.File{Path: path, Size: int64(len(line))}, "claude-code", false})
			}
			if err := histories.Update(t.Context(), home, func(r *histories.Record) { r.Answer = histories.Yes }); err != nil {
				t.Fatal(err)
			}
			a := &app{home: home, errs: io.Discard, env: func(string) (string, bool) { return "", false }}
			steps, gone := 0, false
			r, err := a.readPast(t.Context(), home, []*pastProject{p, {Folder: folder, unread: p.unread[:1:1]}}, func(int, int) {
				steps++
				if err := end(home); err != nil {
					t.Skip("SKIPPED: files that are open cannot be removed here: ", err)
				}
				_, err := os.Stat(home)
				gone = err != nil
			})
			if err != nil || steps != 1 || r.Files != batchFiles || len(r.Problems) != 1 {
				t.Errorf("after %d batches: %+v, %v", steps, r, err)
			}
			if histories.Wanted(home) {
				t.Error("the yes is back")
			}
			if _, err := os.Stat(home); gone != (err != nil) {
				t.Errorf("home removed %v, then: %v", gone, err)
			}
		})
	}
}
