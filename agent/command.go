package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/child"
	"orihon/internal/project"
	"orihon/llm"
	"orihon/memory"
	"orihon/window"
)

// Bounds of a command that its definition leaves open.
const (
	commandTime   = time.Minute
	commandOutput = 256 << 10 // bytes
)

// command is a tool that is a program.
type command struct {
	def   *ToolDef
	place place
}

// place is where the tools of a run work.
type place struct {
	home    string // the agent's folder; empty when it has none
	work    string // the working directory
	run     string // the run's name
	journal string // of the run: programs may read it
	env     []string
}

// Spec implements [Tool].
func (c command) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: c.def.Name, Description: c.def.Description, Schema: schemaOf(c.def.Parameters)}
}

// Call runs the program once. What it printed is the answer, also when it failed.
func (c command) Call(ctx context.Context, call Call) (string, error) {
	work := filepath.Join(c.place.work, c.def.WorkDir)
	if c.def.WorkDir != "" {
		if err := within(c.place.work, c.def.WorkDir); err != nil {
			return "", err
		}
	}
	in, err := c.def.inject(call.Input, work)
	if err != nil {
		return "", err
	}
	path, args, err := c.place.program(c.def)
	if err != nil {
		return "", err
	}
	timeout := cmp.Or(c.def.Timeout, commandTime)
	most := cmp.Or(c.def.MaxOutput, commandOutput)
	out, _, err := child.Run(ctx, child.Command{
		Path: path, Args: append(args, in.args...), Dir: work, Stdin: in.stdin, Timeout: timeout, MaxOutput: most, Together: true,
		Env: slices.Concat(c.place.environment(c.def), in.env, []string{"ORIHON_CALL=" + call.ID, "ORIHON_IDEMPOTENCY_KEY=" + call.Key}),
	})
	text := strings.ToValidUTF8(strings.ReplaceAll(string(out), "\x00", "\ufffd"), "\ufffd")
	return text, c.failure(ctx, err, timeout)
}

// failure words for the model how a program ended.
func (c command) failure(ctx context.Context, err error, timeout time.Duration) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("it was stopped after %s, with all it had started", timeout)
	case errors.Is(err, child.ErrTooMuch):
		return fmt.Errorf("it wrote more than %d bytes and was stopped; the beginning is shown", cmp.Or(c.def.MaxOutput, commandOutput))
	case errors.As(err, &exit):
		return errors.New("it ended with " + exit.String())
	}
	return err
}

// program is what a tool starts, with the arguments before those that a call
// gives. A name without a slash is looked for on the PATH outside of the working
// directory, so that no project decides what is run.
func (p place) program(t *ToolDef) (path string, args []string, err error) {
	if t.Shell {
		path, err := project.Program("sh", p.work)
		return path, []string{"-c", t.Command[0], t.Name}, err
	}
	for _, word := range t.Command[1:] {
		args = append(args, p.expand(word))
	}
	name := p.expand(t.Command[0])
	switch {
	case !strings.ContainsAny(name, `/\`):
		name, err = project.Program(name, p.work)
	case filepath.IsAbs(name):
	case p.home == "":
		err = fmt.Errorf("%w command %q: an agent without a folder names programs by the PATH", memory.ErrInvalid, name)
	default:
		if err = within(p.home, name); err == nil {
			name = filepath.Join(p.home, name)
		}
	}
	return name, args, err
}

func (p place) expand(word string) string { return strings.ReplaceAll(word, "${AGENT_HOME}", p.home) }

// passed are the variables that every program gets of the runner's environment;
// keys and tokens are not among them.
var passed = []string{"HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "TZ", "SHELL",
	"SystemRoot", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP", "PATHEXT", "ComSpec"}

// environment is what a tool's program gets: little of the runner's, what its
// definition says, and where it runs.
func (p place) environment(t *ToolDef) []string {
	out := []string{"PATH=" + project.Path(p.work)}
	for _, v := range p.env {
		name, _, _ := strings.Cut(v, "=")
		if slices.Contains(passed, name) || slices.Contains(t.PassEnv, name) && validVariable(name) {
			out = append(out, v)
		}
	}
	for name, value := range t.Env {
		out = append(out, name+"="+p.expand(value))
	}
	out = append(out, "AGENT_HOME="+p.home, "ORIHON_RUN="+p.run)
	return window.JournalEnv(out, p.journal)
}

// workFolder is the working directory of a run, absolute.
func workFolder(dir string) (string, error) {
	dir, err := filepath.Abs(cmp.Or(dir, "."))
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("working directory %w: %s", memory.ErrNotFound, dir)
	}
	return dir, nil
}
