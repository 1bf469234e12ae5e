package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	if err := removeHome(link); err != nil {
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
