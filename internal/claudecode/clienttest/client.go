package clienttest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"orihon/internal/npmtest"
)

// Version is the client that is run: the one whose hooks were recorded.
const Version = "2.1.329"

// Runner runs the client. Home, ConfigDir and Project are fresh folders of the
// test; nothing of the user's is seen by the client.
type Runner struct {
	Binary    string
	Home      string
	ConfigDir string // where user settings and transcripts are
	Project   string // the working directory
	Env       []string
	Model     string // empty: DefaultModel

	t testing.TB
}

// DefaultModel is what a [Runner] asks for.
const DefaultModel = "claude-opus-5-5"

// Client makes a runner whose API is the server. It skips the test, saying why,
// where the client cannot be had; the first run on a machine downloads it.
func Client(t testing.TB, api *Server) *Runner {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: the client is not run with -short")
	}
	binary, err := fetch(t.Context())
	if err != nil {
		t.Skipf("SKIPPED: Claude Code %s cannot be had here: %v", Version, err)
	}
	dir := t.TempDir()
	r := &Runner{
		Binary: binary, Home: filepath.Join(dir, "home"), ConfigDir: filepath.Join(dir, "home", ".claude"),
		Project: filepath.Join(dir, "project"), t: t,
	}
	for _, d := range []string{r.ConfigDir, r.Project} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r.Env = append(inherited(),
		"HOME="+r.Home, "USERPROFILE="+r.Home, "CLAUDE_CONFIG_DIR="+r.ConfigDir,
		"ANTHROPIC_BASE_URL="+api.URL, "ANTHROPIC_API_KEY=sk-ant-none", "NO_PROXY=127.0.0.1",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1",
		"DISABLE_BUG_COMMAND=1", "DISABLE_COST_WARNINGS=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1",
		"GIT_CONFIG_NOSYSTEM=1", "LANG=C.UTF-8", "TERM=dumb",
	)
	return r
}

// inherited is what a program needs of our environment in order to start.
func inherited() []string {
	var kept []string
	for _, entry := range (&exec.Cmd{}).Environ() {
		name, _, _ := strings.Cut(entry, "=")
		switch strings.ToUpper(name) {
		case "PATH", "PATHEXT", "SYSTEMROOT", "COMSPEC", "TMPDIR", "TEMP", "TMP", "CLAUDE_CODE_GIT_BASH_PATH":
			kept = append(kept, entry)
		}
	}
	return kept
}

// Run gives the client one prompt and returns what it printed. args go before
// the prompt, such as "--continue" or "--settings", file. It fails the test
// when the client fails or takes longer than a minute.
func (r *Runner) Run(prompt string, args ...string) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	args = append([]string{"--model", r.model()}, args...)
	cmd := exec.CommandContext(ctx, r.Binary, append(args, "-p", prompt)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = r.Project, r.Env, 5*time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		r.t.Fatalf("claude %s: %v\nstdout: %s\nstderr: %s", strings.Join(args, " "), err, &stdout, &stderr)
	}
	return stdout.String()
}

func (r *Runner) model() string {
	if r.Model == "" {
		return DefaultModel
	}
	return r.Model
}

// Sitting is one process of the client that is given one prompt after another,
// as somebody does who sits before it.
type Sitting struct {
	t      testing.TB
	in     io.WriteCloser
	out    *bufio.Scanner
	cmd    *exec.Cmd
	stderr bytes.Buffer
}

// Sit starts the client; args are such as "--session-id", id. A sitting of more
// than two minutes is ended and fails the test.
func (r *Runner) Sit(args ...string) *Sitting {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*time.Minute)
	r.t.Cleanup(cancel)
	args = append([]string{"--model", r.model(), "-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"}, args...)
	s := &Sitting{t: r.t, cmd: exec.CommandContext(ctx, r.Binary, args...)}
	s.cmd.Dir, s.cmd.Env, s.cmd.WaitDelay, s.cmd.Stderr = r.Project, r.Env, 5*time.Second, &s.stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	s.out = bufio.NewScanner(out)
	s.out.Buffer(nil, 16<<20)
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		r.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	return s
}

// Say gives the client a prompt and returns when it has answered.
func (s *Sitting) Say(prompt string) {
	s.t.Helper()
	line, err := json.Marshal(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": prompt}})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		s.t.Fatalf("%q: %v\nstderr: %s", prompt, errors.Join(err, s.End()), &s.stderr)
	}
	for s.out.Scan() {
		var said struct {
			Type    string `json:"type"`
			IsError bool   `json:"is_error"`
		}
		if err := json.Unmarshal(s.out.Bytes(), &said); err != nil {
			s.t.Fatalf("%v: %s", err, s.out.Bytes())
		}
		if said.Type == "result" {
			if said.IsError {
				s.t.Fatalf("%q: %s", prompt, s.out.Bytes())
			}
			return
		}
	}
	s.t.Fatalf("%q: the client ended without an answer: %v\nstderr: %s", prompt, errors.Join(s.out.Err(), s.End()), &s.stderr)
}

// End ends the process, and with it the session.
func (s *Sitting) End() error {
	return errors.Join(s.in.Close(), s.cmd.Wait())
}

// Transcripts returns the transcripts that the client has written.
func (r *Runner) Transcripts() []string {
	r.t.Helper()
	paths, err := filepath.Glob(filepath.Join(r.ConfigDir, "projects", "*", "*.jsonl"))
	if err != nil {
		r.t.Fatal(err)
	}
	return paths
}

// fetch returns the client's program, which npm installs once per machine.
func fetch(ctx context.Context) (string, error) {
	modules, err := npmtest.Package(ctx, "@anthropic-ai/claude-code@"+Version)
	if err != nil {
		return "", err
	}
	return installed(modules)
}

// installed finds the program for this machine: npm unpacks one package per
// platform and leaves out those that do not fit.
func installed(modules string) (string, error) {
	name := "claude"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	found, err := filepath.Glob(filepath.Join(modules, "@anthropic-ai", "claude-code-*", name))
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", errors.New("npm brought no program for this system")
	}
	return found[0], nil
}
