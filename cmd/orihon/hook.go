package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/internal/claudecode"
	"orihon/llm/provider"
)

// hookCommand only documents the hook: main runs it before cobra is built.
func (a *app) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook",
		Short: "Answer one event of a coding agent (run by the client)",
		Long:  "Read one event as JSON from standard input and write the answer to standard\noutput. Whatever goes wrong is written to hook.log in the home; the exit code is\nalways 0 and nothing is printed then.",
		Args:  args(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { a.hook(cmd.Context(), nil); return nil },
	}
}

// Bounds of a hook: its time, what it gets to end when that is over, and the
// memory beyond which it collects garbage.
const (
	hookTime   = 8 * time.Second
	hookGrace  = time.Second
	hookMemory = 192 << 20
)

// wantsHelp reports whether somebody typed the command, rather than a client.
func wantsHelp(args []string) bool {
	return slices.Contains(args, "--help") || slices.Contains(args, "-h")
}

// hookFlags reads the flags that all commands share, without building a command
// line. What is none is passed over: a hook never fails.
func (a *app) hookFlags(args []string) {
	flags := map[string]*string{"--home": &a.home, "--project": &a.dir, "--user": &a.user, "--set": nil}
	for len(args) > 0 {
		name, value, joined := strings.Cut(args[0], "=")
		args = args[1:]
		at, ours := flags[name]
		if !ours {
			continue
		}
		if !joined {
			if len(args) == 0 {
				return
			}
			value, args = args[0], args[1:]
		}
		if at != nil {
			*at = value
		} else {
			a.settings = append(a.settings, value)
		}
	}
}

// hook answers one event and never breaks its client.
func (a *app) hook(ctx context.Context, args []string) (code int) {
	a.hookFlags(args)
	if _, child := a.env(provider.ChildVariable); child {
		return exitOK // a session of our own making
	}
	// A client that stops listening is no reason to die of a signal.
	signal.Ignore(syscall.SIGPIPE)
	// The process ends before collecting would pay; the limit is for events
	// as large as the client's largest.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(hookMemory)
	growStack()
	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	o, err := a.options()
	if err != nil {
		home, _ := a.env("ORIHON_HOME")
		(&hookLog{path: hookLogPath(cmp.Or(a.home, home)), now: time.Now}).write(err.Error())
		return exitOK
	}
	log := &hookLog{path: hookLogPath(o.Home), now: time.Now}
	// The last resort: a client waits for its hooks, and none of them may fail.
	late := time.AfterFunc(hookTime+hookGrace, func() {
		log.write("the hook did not come to an end")
		os.Exit(exitOK)
	})
	defer late.Stop()
	// Files that are mapped into memory may be cut short by others.
	debug.SetPanicOnFault(true)
	defer func() {
		if p := recover(); p != nil {
			log.write("panic: " + fmt.Sprint(p))
		}
		code = exitOK
	}()
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: &a.level}))
	plugin, _ := a.env("CLAUDE_PLUGIN_ROOT")
	h := &claudecode.Handler{
		Logger: logger, Plugin: plugin,
		Open: func(ctx context.Context, dir string) (*orihon.Memory, error) {
			o.Logger, o.ReadOnly = logger, true
			o.Dir = cmp.Or(o.Dir, dir)
			m, err := orihon.Open(ctx, o)
			if err == nil {
				a.logs(m)
				a.inline = setting(m, "hooks.detach") == "false"
			}
			return m, err
		},
		Detach: func(left *claudecode.Left) error { return a.detach(ctx, o, left) },
	}
	if err := h.Run(ctx, a.in, a.out); err != nil {
		log.write(err.Error())
	}
	return exitOK
}

// detach starts the work in a process that outlives the hook. Its log is the
// hook's.
func (a *app) detach(ctx context.Context, o *orihon.Options, left *claudecode.Left) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := a.likewise(o, left.Dir, "work")
	if left.Transcript != "" {
		args = append(args, "--session", left.Session, "--transcript", left.Transcript)
	}
	logPath := hookLogPath(o.Home)
	if info, err := os.Stat(logPath); err == nil && !info.Mode().IsRegular() {
		logPath = os.DevNull // a pipe could wait for ever
	}
	log, err := os.OpenFile(logPath, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	if a.inline {
		cmd := exec.CommandContext(ctx, self, args...)
		cmd.Stdout, cmd.Stderr = log, log
		return cmd.Run()
	}
	cmd := exec.Command(self, append(args, "--rest", left.Rest.String())...)
	cmd.Stdout, cmd.Stderr = log, log
	detached(cmd)
	// It must not take the processors from the hooks that come while it is at it.
	if err := gently(cmd.Start); err != nil {
		return fmt.Errorf("start %s: %w", self, err)
	}
	return cmd.Process.Release()
}

// growStack makes the stack as large as SQLite's calls need it while there is
// little on it: to grow it later, step by step, copies frame after frame.
//
//go:noinline
func growStack() byte {
	var room [32 << 10]byte
	return room[len(os.Args)%len(room)]
}

// hookAnswer is what a client reads of a hook's answer.
type hookAnswer struct {
	SystemMessage string `json:"systemMessage"`
	Specific      struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

func parseHookAnswer(out []byte, event string) (hookAnswer, error) {
	var answer hookAnswer
	if len(out) == 0 {
		return answer, nil
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return answer, err
	}
	if of := answer.Specific.Event; of != "" && of != event {
		return answer, fmt.Errorf("it is for %s, not for %s", of, event)
	}
	return answer, nil
}
