package follow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"orihon/guard"
	"orihon/internal/child"
	"orihon/internal/home"
	"orihon/internal/project"
)

// hookEvents are the events of guard.hooks by what the guardian calls them.
var hookEvents = map[guard.Kind]string{guard.Began: "start", guard.Asked: "prompt", guard.Acting: "before", guard.Acted: "after", guard.Stopping: "stop"}

// hooksFor are the commands for an event that may run.
func (s *Session) hooksFor(event string) []home.Command {
	if s.off(guard.OthersRule) {
		return nil
	}
	var out []home.Command
	for _, h := range s.v.Commands("guard.hooks") {
		if h.Event == event {
			out = append(out, h)
		}
	}
	return out
}

// hookQuestion is what a command is told, as JSON on its standard input.
type hookQuestion struct {
	Event   string   `json:"event"`
	Session string   `json:"session"`
	Agent   string   `json:"agent,omitempty"`
	Project string   `json:"project"`
	Call    string   `json:"call,omitempty"`
	Command string   `json:"command,omitempty"`
	Files   []string `json:"files,omitempty"`
	Failed  bool     `json:"failed,omitempty"`
	Page    string   `json:"page,omitempty"` // path of a page that is about to be written
	Text    string   `json:"text,omitempty"` // and what it would hold
}

// runHooks are the verdicts of the commands for an event.
func (s *Session) runHooks(ctx context.Context, e *guard.Event) []guard.Verdict {
	hooks := s.hooksFor(hookEvents[e.Kind])
	if len(hooks) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.v.Config.Guard.HookTimeout)
	defer cancel()
	q := hookQuestion{Event: hookEvents[e.Kind], Session: s.start.ID, Agent: e.Agent, Call: e.Call.Name, Command: e.Call.Command, Files: e.Call.Files, Failed: e.Call.Failed}
	var out []guard.Verdict
	for i := range hooks {
		if v, ok := s.runHook(ctx, &hooks[i], q); ok {
			out = append(out, v)
		}
	}
	return out
}

// runHook is the verdict of one command: what it prints is said, and with exit
// code 2 it blocks, for the reason on its standard error. Whatever else it ends
// with is one line in the log.
func (s *Session) runHook(ctx context.Context, h *home.Command, q hookQuestion) (guard.Verdict, bool) {
	v := guard.Verdict{Do: guard.Say}
	stdout, stderr, code, err := s.run(ctx, h, q)
	switch {
	case err == nil && code == 0:
		v.Text = stdout
	case err == nil && code == blocks:
		v.Do, v.Text = guard.Block, stderr
	case err == nil:
		err = fmt.Errorf("exit code %d: %s", code, stderr)
		fallthrough
	default:
		s.v.Log.Warn("session: a command of the guardian left out", "command", h.Entry, "err", err)
	}
	v.Why = "by " + h.Entry + ": " + v.Text
	return v, v.Text != ""
}

// checkPage is what the project's own checks say against a page.
func (s *Session) checkPage(ctx context.Context, p *guard.Page) string {
	ctx, cancel := context.WithTimeout(ctx, s.v.Config.Guard.HookTimeout)
	defer cancel()
	for _, h := range s.v.Commands("guard.content_checks") {
		stdout, stderr, code, err := s.run(ctx, &h, hookQuestion{Event: "page", Session: s.start.ID, Page: p.Path, Text: p.Text})
		switch {
		case err != nil:
			s.v.Log.Warn("session: a check of the guardian left out", "command", h.Entry, "err", err)
		case code != 0:
			return strings.TrimSpace(stderr + " " + stdout)
		}
	}
	return ""
}

// blocks is the exit code of a command that blocks.
const blocks = 2

// maxSaying bounds what is read of a command's output, in bytes.
const maxSaying = 1 << 10

// run runs a command in the project's folder. An exit code of its own is no
// error.
func (s *Session) run(ctx context.Context, h *home.Command, q hookQuestion) (stdout, stderr string, code int, err error) {
	q.Project = s.v.Project.Root
	question, err := json.Marshal(q)
	if err != nil {
		return "", "", 0, err
	}
	program, err := s.v.Program(h)
	if err != nil {
		return "", "", 0, err
	}
	out, errs, err := child.Run(ctx, child.Command{
		Path: program, Args: h.Words[1:], Dir: s.v.Project.Root, Stdin: question,
		Env:     append(child.Environ(), "ORIHON_CHILD=1", "PATH="+project.Path(s.v.Project.Root)),
		Timeout: s.v.Config.Guard.HookTimeout, MaxOutput: maxSaying, Beginning: true, Linger: 100 * time.Millisecond,
	})
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() && ctx.Err() == nil {
		code, err = exit.ExitCode(), nil
	}
	return strings.TrimSpace(string(out)), strings.TrimSpace(string(errs[:min(len(errs), maxSaying)])), code, err
}
