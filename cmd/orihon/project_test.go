package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon/projects"
)

// TestATerminalAsksOnce has a person at the terminal, whom scripts cannot be.
func TestATerminalAsksOnce(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		args         []string
		nobody       bool
		asked        bool
		tied         bool
		again        bool // the next command asks, too
	}{
		{name: "yes", answer: "yes\n", asked: true, tied: true},
		{name: "YES", answer: " YES \n", asked: true, tied: true},
		{name: "no", answer: "no\n", asked: true},
		{name: "y alone", answer: "y\n", asked: true, again: true},
		{name: "nothing", answer: "", asked: true, again: true},
		{name: "nobody", answer: "yes\n", nobody: true, again: true},
		{name: "JSON", answer: "yes\n", args: []string{"--json"}, again: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home, top := filepath.Join(t.TempDir(), "home"), t.TempDir()
			for _, dir := range []string{"shop", "copy"} {
				for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "[remote \"origin\"]\n\turl = https://git.example.com/acme/shop\n"} {
					path := filepath.Join(top, dir, ".git", name)
					if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			run := func(dir, answer string, asks bool, args ...string) (out, errs string) {
				t.Helper()
				var o, e bytes.Buffer
				a := &app{in: strings.NewReader(answer), out: &o, errs: &e, asks: asks, env: func(string) (string, bool) { return "", false }}
				if code := a.main(t.Context(), append(args, "--home", home, "--project", filepath.Join(top, dir), "--user", "ann")); code != exitOK {
					t.Fatalf("%q ended with %d: %s", args, code, &e)
				}
				return o.String(), e.String()
			}
			run("shop", "", false, "remember", "The signing key lies in the blue safe")
			out, errs := run("copy", tt.answer, !tt.nobody, append([]string{"recall", "where does the signing key lie?"}, tt.args...)...)
			if asked := strings.Contains(errs, "[yes/no]"); asked != tt.asked {
				t.Errorf("asked: %v, want %v\n%s", asked, tt.asked, errs)
			}
			if tt.asked {
				for _, want := range []string{filepath.Join(top, "copy"), "shop", "git.example.com/acme/shop", filepath.Join(top, "shop")} {
					real, err := filepath.EvalSymlinks(want)
					if err != nil {
						real = want
					}
					if !strings.Contains(errs, real) {
						t.Errorf("the question does not show %s:\n%s", real, errs)
					}
				}
			}
			if got := strings.Contains(out, "blue safe"); got != tt.tied {
				t.Errorf("tied: %v, want %v\n%s%s", got, tt.tied, out, errs)
			}
			_, errs = run("copy", "", true, "list")
			if got := strings.Contains(errs, "[yes/no]"); got != tt.again {
				t.Errorf("the next command asks: %v, want %v\n%s", got, tt.again, errs)
			}
			if _, errs = run("copy", "", false, "list"); strings.Contains(errs, "kept apart") != tt.again {
				t.Errorf("the next one that nobody watches says %q", errs)
			}
		})
	}
}

func TestAQuestionSteersNoTerminal(t *testing.T) {
	var out bytes.Buffer
	a := &app{out: &out, env: func(string) (string, bool) { return "", false }}
	a.describeProject(&out, &projects.Known{ID: "0123456789ab", Name: "a\x1b[2Jb", Remotes: []string{"h/a\u202eb"}, Folders: []string{"/x\x1b]0;y\a"}, Says: "dir:/\u2028"})
	if text := out.String(); strings.ContainsAny(text, "\x1b\a\u202e\u2028") {
		t.Errorf("it is shown as %q", text)
	}
}
