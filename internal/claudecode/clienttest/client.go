package clienttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"orihon/internal/jsonl"
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
	model := r.Model
	if model == "" {
		model = DefaultModel
	}
	args = append([]string{"--model", model}, args...)
	cmd := exec.CommandContext(ctx, r.Binary, append(args, "-p", prompt)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = r.Project, r.Env, 5*time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		r.t.Fatalf("claude %s: %v\nstdout: %s\nstderr: %s", strings.Join(args, " "), err, &stdout, &stderr)
	}
	return stdout.String()
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
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "orihon-clienttest", Version)
	if binary, err := installed(dir); err == nil {
		return binary, nil
	}
	unlock, err := jsonl.Lock(ctx, dir+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if binary, err := installed(dir); err == nil { // by another process meanwhile
		return binary, nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", errors.New("no npm on this machine")
	}
	// npm works in a folder of its own: one that was interrupted is never used.
	work, err := os.MkdirTemp(filepath.Dir(dir), "fetch-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save",
		"--prefix", work, "@anthropic-ai/claude-code@"+Version)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm: %v: %s", err, lastLine(out))
	}
	if _, err := installed(work); err != nil {
		return "", err
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.Rename(work, dir); err != nil {
		return "", err
	}
	return installed(dir)
}

// installed finds the program for this machine: npm unpacks one package per
// platform and leaves out those that do not fit.
func installed(dir string) (string, error) {
	name := "claude"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	found, err := filepath.Glob(filepath.Join(dir, "node_modules", "@anthropic-ai", "claude-code-*", name))
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", errors.New("npm brought no program for this system")
	}
	return found[0], nil
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
