package claudecode_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"orihon/internal/claudecode"
)

// guarded is what is installed now, command what was before there was a guard.
const guarded = "{ trap 'exit 0' 0; /opt/orihon/bin/orihon hook; } 2>/dev/null"

func TestAnOldCommandGetsTheGuard(t *testing.T) {
	for name, tc := range map[string]struct{ old, want string }{
		"as it was":         {command, guarded},
		"another place":     {"/old/orihon hook", guarded},
		"quoted":            {"'/old dir/orihon' hook", guarded},
		"arguments":         {"/old/orihon hook --user mei", "{ trap 'exit 0' 0; /opt/orihon/bin/orihon hook --user mei; } 2>/dev/null"},
		"variables":         {"ORIHON_USER=mei /old/orihon hook", "{ trap 'exit 0' 0; ORIHON_USER=mei /opt/orihon/bin/orihon hook; } 2>/dev/null"},
		"guarded already":   {guarded, guarded},
		"guarded elsewhere": {"{ trap 'exit 0' 0; '/old dir/orihon' hook; } 2>/dev/null", guarded},
		"guarded, extended": {"{ trap 'exit 0' 0; /old/orihon hook --user mei; } 2>/dev/null", "{ trap 'exit 0' 0; /opt/orihon/bin/orihon hook --user mei; } 2>/dev/null"},
		"Windows' guard":    {`"C:/My Tools/orihon.exe" hook; exit 0`, guarded},
		"a guard of theirs": {"/old/orihon hook || true", "/opt/orihon/bin/orihon hook || true"},
	} {
		t.Run(name, func(t *testing.T) {
			quoted, _ := json.Marshal(tc.old)
			before := `{"hooks": {"Stop": [{"hooks": [{"timeout": 3, "command": ` + string(quoted) + `, "type": "command"}]}]}}`
			o := place(t, before)
			o.Command = guarded
			install(t, o)
			w, err := claudecode.Status(o.SettingsPath)
			if err != nil || len(w.Hooks) != 10 || w.Hooks[0].Command != tc.want {
				t.Errorf("status = %+v, %v, want first %q", w, err, tc.want)
			}
			if c := install(t, o); c.Changed() {
				t.Errorf("installing again changed\n%s", c.Diff())
			}
			write(t, o.SettingsPath, read(t, o.SettingsPath)+"\n") // as somebody's editor does
			uninstall(t, o)
			if got := read(t, o.SettingsPath); strings.Contains(got, "orihon") {
				t.Errorf("left %s", got)
			}
		})
	}
}

func TestBothFormsAreTakenOutAgain(t *testing.T) {
	const own = "{\n  \"model\": \"opus\"\n}\n"
	for _, old := range []string{command, "'/a b/orihon' hook", guarded, `"C:/My Tools/orihon.exe" hook; exit 0`} {
		o := place(t, own)
		o.Command = old
		install(t, o)
		if err := os.RemoveAll(o.RecordDir); err != nil { // another machine's, or lost
			t.Fatal(err)
		}
		uninstall(t, o)
		if got := read(t, o.SettingsPath); got != own {
			t.Errorf("after %q there is %q left", old, got)
		}

		o = place(t, own)
		o.Command = old
		install(t, o)
		o.Command = guarded
		install(t, o)
		if got := read(t, o.SettingsPath); strings.Count(got, `"`+guarded+`"`) != 10 {
			t.Errorf("%q was not replaced: %s", old, got)
		}
		uninstall(t, o)
		if got := read(t, o.SettingsPath); got != own {
			t.Errorf("after %q and its update there is %q left", old, got)
		}
	}
}

// Whatever becomes of the program, the client sees code 0, what the program
// printed, and nothing else.
func TestTheGuardHoldsWhateverBecomesOfTheProgram(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's a dir")
	program := filepath.Join(dir, "orihon")
	for _, shell := range []string{"sh", "dash", "bash", "zsh", "ksh", "busybox"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("SKIPPED: no %s on this machine", shell)
			continue
		}
		for name, tc := range map[string]struct {
			file string // of the program; empty for none
			mode os.FileMode
			want string
		}{
			"fine":           {"#!/bin/sh\ncat; echo said: $1\n", 0o755, "told\nsaid: hook\n"},
			"gone":           {"", 0, ""},
			"not executable": {"#!/bin/sh\necho said\n", 0o644, ""},
			"not a program":  {"\x7fELF\x02\x01\x01 of another machine\x00\x00", 0o755, ""},
			"no interpreter": {"#!/nowhere/sh\n", 0o755, ""},
			"fails":          {"#!/bin/sh\necho fatal error >&2\nexit 2\n", 0o755, ""},
			"killed":         {"#!/bin/sh\nkill -9 $$\n", 0o755, ""},
			"crashes":        {"#!/bin/sh\nkill -SEGV $$\n", 0o755, ""},
			"hangs up":       {"#!/bin/sh\nkill -HUP $$\n", 0o755, ""},
		} {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if tc.file != "" {
				if err := os.WriteFile(program, []byte(tc.file), tc.mode); err != nil {
					t.Fatal(err)
				}
			}
			args := []string{"-c", claudecode.Command(program, "linux")}
			if shell == "busybox" {
				args = append([]string{"sh"}, args...)
			}
			cmd := exec.Command(path, args...)
			var stdout, stderr bytes.Buffer
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("told\n"), &stdout, &stderr
			if err := cmd.Run(); err != nil || stderr.Len() > 0 || name != "not a program" && stdout.String() != tc.want {
				t.Errorf("%s, %s: %v, stdout %q, stderr %q", shell, name, err, &stdout, &stderr)
			}
		}
	}
}
