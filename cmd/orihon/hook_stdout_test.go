package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"orihon/internal/claudecode"
)

// hooked is a project with something to recall, and the client's side of it.
type hooked struct {
	t             *testing.T
	home, project string
}

func newHooked(t *testing.T) *hooked {
	h := &hooked{t, filepath.Join(t.TempDir(), "home"), t.TempDir()}
	if err := os.MkdirAll(h.home, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := h.command("orihon", "remember", "We deploy with make ship, never with kubectl").CombinedOutput(); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	t.Cleanup(func() {
		if err := ended(filepath.Join(h.home, "running")); err != nil {
			t.Log(err)
		}
	})
	return h
}

func (h *hooked) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = h.project
	cmd.Env = append(os.Environ(), "HOME="+h.home, "USERPROFILE="+h.home, "ORIHON_USER=mia", "RUNNING="+filepath.Join(h.home, "running"))
	return cmd
}

// event is a prompt with an answer, of a session of its own.
func (h *hooked) event(session string) io.Reader {
	return strings.NewReader(fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":%q,"prompt_id":"p","cwd":%q,"prompt":"how do we deploy?"}`, session, h.project))
}

func (h *hooked) log() string {
	data, _ := os.ReadFile(filepath.Join(h.home, ".orihon", "hook.log"))
	return string(data)
}

// A client that went away, a full disk, files that are not open: none of it is
// the user's business.
func TestAHookEndsWellWhateverItsStandardFilesAre(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: standard files are closed by a POSIX shell here")
	}
	h := newHooked(t)
	for name, tc := range map[string]struct {
		redirect string // by the shell that becomes the hook
		gone     bool   // nobody reads the answer
		logged   string
	}{
		"the client has gone":      {"", true, "broken pipe"},
		"a full disk":              {">/dev/full", false, "no space left"},
		"no standard output":       {">&-", false, ""},
		"no standard input":        {"<&-", false, "invalid hook event"},
		"no standard error":        {"2>&-", false, ""},
		"none of the three":        {"<&- >&- 2>&-", false, "invalid hook event"},
		"gone without an error":    {"2>&-", true, "broken pipe"},
		"output is not for writes": {"1</dev/null", false, "bad file descriptor"},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(tc.redirect, "/dev/full") {
				if _, err := os.Stat("/dev/full"); err != nil {
					t.Skip("SKIPPED: no /dev/full on this machine")
				}
			}
			before := len(h.log())
			cmd := h.command("sh", "-c", "exec orihon hook "+tc.redirect)
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			cmd.Stdin, cmd.Stdout, cmd.Stderr = h.event(strings.ReplaceAll(name, " ", "-")), w, &stderr
			if tc.gone {
				r.Close()
			}
			err = cmd.Start()
			w.Close()
			if err != nil {
				t.Fatal(err)
			}
			if !tc.gone {
				out, err := io.ReadAll(r)
				if err != nil {
					t.Error(err)
				}
				if s := string(out); s != "" && !strings.HasPrefix(s, `{"hookSpecificOutput"`) {
					t.Errorf("printed %q", s)
				}
				r.Close()
			}
			if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
				t.Errorf("ended with %v, stderr %q", err, &stderr)
			}
			if said := h.log()[before:]; !strings.Contains(said, tc.logged) || tc.logged == "" && said != "" {
				t.Errorf("hook.log says %q, want %q in it", said, tc.logged)
			}
		})
	}
	out, err := h.command("orihon", "recall", "how do we deploy?").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "make ship") {
		t.Errorf("memory afterwards: %s %v", out, err)
	}
}

// Too little of anything for a Go program to start: as it is installed, the
// hook still ends with 0 and says nothing.
func TestTheInstalledHookEndsWellWhenItsProgramCannotStart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: limits are set by a POSIX shell here")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("SKIPPED: no bash on this machine to set limits with")
	}
	found, err := exec.LookPath("orihon")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(found)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() // open to others, as the folder it was found in is not
	program := filepath.Join(dir, "orihon")
	if err := errors.Join(os.WriteFile(program, data, 0o755), os.Chmod(dir, 0o755), os.Chmod(filepath.Dir(dir), 0o755)); err != nil {
		t.Fatal(err)
	}
	h := newHooked(t)
	installed := claudecode.Command(program, runtime.GOOS)
	for _, tc := range []struct {
		limit, wants string
		user         uint32 // a limit on processes does not bind root
	}{
		{"ulimit -v 400000", "", 0}, {"ulimit -v 100000", "", 0}, {"ulimit -v 30000", "", 0},
		{"ulimit -s 64", "", 0},
		{"ulimit -u 1", "root", 65533}, {"ulimit -u 3", "root", 65532},
	} {
		t.Run(tc.limit, func(t *testing.T) {
			cmd := h.command(bash, "-c", tc.limit+` 2>/dev/null || exit 77; exec sh -c "$0"`, installed)
			if tc.wants == "root" {
				if os.Getuid() != 0 {
					t.Skip("SKIPPED: only root can become a user that runs nothing else")
				}
				asUser(cmd, tc.user)
				cmd.Dir = "/"
			}
			var stdout, stderr bytes.Buffer
			cmd.Stdin, cmd.Stdout, cmd.Stderr = h.event("limits"), &stdout, &stderr
			err := cmd.Run()
			if cmd.ProcessState.ExitCode() == 77 {
				t.Skip("SKIPPED: the system does not take this limit")
			}
			if err != nil || stderr.Len() > 0 {
				t.Errorf("ended with %v, stderr %q", err, &stderr)
			}
			if s := stdout.String(); s != "" && !strings.HasPrefix(s, `{"hookSpecificOutput"`) {
				t.Errorf("printed %q", s)
			}
		})
	}
	// A client that goes away is no news to the shell either.
	cmd := h.command("sh", "-c", installed)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = h.event("gone"), w, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Errorf("without a client: %v, stderr %q", err, &stderr)
	}
	w.Close()
}
