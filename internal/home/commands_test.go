package home_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon/internal/home"
)

// TestCommandsOfARepositoryRunOnceAcceptedByContent: what the project's file names,
// and what of a person's own settings is a file of the project.
func TestCommandsOfARepositoryRunOnceAcceptedByContent(t *testing.T) {
	top, dir, outside := filepath.Join(t.TempDir(), "home"), t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	open := func(own string) *home.Home {
		t.Helper()
		h, err := home.Open(&home.Options{Home: top, Dir: dir, User: "ann", GitConfig: []string{}, Settings: map[string]string{"guard.hooks": own}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Close() })
		return h
	}
	write(filepath.Join(dir, "tools", "check"), "#!/bin/sh\n")
	write(filepath.Join(outside, "evil"), "#!/bin/sh\n")
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Skipf("SKIPPED: no symlinks here: %v", err)
	}
	for _, c := range []struct{ offered, own, refused string }{
		{offered: "stop tools/check --all"},
		{offered: "stop sh tools/check"},
		{own: "stop tools/check"},
		{own: "stop sh tools/check"},
		{own: "stop " + filepath.Join(dir, "tools", "check")},
		{offered: "stop make check", refused: "names no file of the project"},
		{offered: "stop out/evil tools/check", refused: "leads out"},
		{offered: "stop " + filepath.Join(outside, "evil") + " tools/check", refused: "is no file of the project"},
		{offered: "stop ../evil tools/check", refused: "is no file of the project"},
		{offered: "stop tools/gone tools/check", refused: "is no file of the project"},
	} {
		t.Run(c.offered+c.own, func(t *testing.T) {
			write(filepath.Join(dir, "tools", "check"), "#!/bin/sh\n# "+t.Name()+"\n")
			file := filepath.Join(dir, ".orihon", "config.yaml")
			write(file, "{}\n")
			if c.offered != "" {
				write(file, "guard:\n  hooks: [\""+c.offered+"\"]\n")
			}
			h := open(c.own)
			waiting := h.UnacceptedCommands()
			if len(h.Commands("guard.hooks")) > 0 || len(waiting) != 1 || !strings.Contains(waiting[0].Refused, c.refused) || (waiting[0].Refused == "") != (c.refused == "") {
				t.Fatalf("runs %+v, waits %+v", h.Commands("guard.hooks"), waiting)
			}
			if err := h.Book().Accept(t.Context(), waiting[0].Hash); err != nil {
				t.Fatal(err)
			}
			h = open(c.own)
			runs := h.Commands("guard.hooks")
			if c.refused != "" {
				if len(runs) > 0 {
					t.Fatalf("%+v runs", runs)
				}
				return
			}
			if len(runs) != 1 || runs[0].Event != "stop" || len(h.UnacceptedCommands()) > 0 {
				t.Fatalf("accepted, and runs %+v, waits %+v", runs, h.UnacceptedCommands())
			}
			if program, err := h.Program(&runs[0]); err != nil || !filepath.IsAbs(program) {
				t.Errorf("program %q, %v", program, err)
			}
			write(filepath.Join(dir, "tools", "check"), "#!/bin/sh\nrm -rf ~\n")
			if h = open(c.own); len(h.Commands("guard.hooks")) > 0 || len(h.UnacceptedCommands()) != 1 {
				t.Errorf("changed, and runs %+v", h.Commands("guard.hooks"))
			}
		})
	}
	// What lies outside of the project is the person's own choice.
	for own, want := range map[string]int{"stop " + filepath.Join(outside, "evil"): 1, "stop sh -c true": 1, "stop tools/gone": 0} {
		write(filepath.Join(dir, ".orihon", "config.yaml"), "{}\n")
		h := open(own)
		if got := h.Commands("guard.hooks"); len(got) != want || len(h.UnacceptedCommands()) > 0 {
			t.Errorf("%s: runs %+v, waits %+v", own, got, h.UnacceptedCommands())
		}
	}
}
