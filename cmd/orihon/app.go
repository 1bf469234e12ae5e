package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/internal/redact"
)

// app is what the commands share.
type app struct {
	in        io.Reader
	out, errs io.Writer
	env       func(string) (string, bool)
	terminal  bool // out is one: colours may be used
	asks      bool // a person sits there: in and out are terminals

	home, dir, user string
	json            bool
	settings        []string
	level           slog.LevelVar
	inline          bool // hooks wait for the work they leave
}

// options are how this command line opens a memory.
func (a *app) options() (*orihon.Options, error) {
	if info, err := os.Stat(a.dir); a.dir != "" && (err != nil || !info.IsDir()) {
		return nil, fmt.Errorf("%w: --project %s: there is no such folder", errUsage, a.dir)
	}
	o := &orihon.Options{Home: a.home, Dir: a.dir, User: a.user, Env: a.env, Settings: make(map[string]string), PluginHost: pluginHost(), Logger: a.logger()}
	if o.Home == "" {
		o.Home, _ = a.env("ORIHON_HOME")
	}
	if o.User == "" {
		o.User, _ = a.env("ORIHON_USER")
	}
	for _, s := range a.settings {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, fmt.Errorf("%w: --set %s: want key=value", errUsage, s)
		}
		o.Settings[key] = value
	}
	if o.Home != "" {
		abs, err := filepath.Abs(o.Home)
		if err != nil {
			return nil, err
		}
		o.Home = abs
	}
	if xdg, ok := a.env("XDG_CONFIG_HOME"); ok && xdg != "" {
		if home, err := os.UserHomeDir(); err == nil {
			o.GitConfig = []string{filepath.Join(home, ".gitconfig"), filepath.Join(xdg, "git", "config")}
		}
	}
	return o, nil
}

// likewise is the command line of another process of this program: a command in
// a folder, with the home, user and settings of this one.
func (a *app) likewise(o *orihon.Options, dir string, command ...string) []string {
	args := append(command, "--project", dir)
	if o.Home != "" {
		args = append(args, "--home", o.Home)
	}
	if o.User != "" {
		args = append(args, "--user", o.User)
	}
	for _, set := range a.settings {
		args = append(args, "--set", set)
	}
	return args
}

// opened opens the memory and tells which settings could not be used.
func (a *app) opened(ctx context.Context) (*orihon.Memory, error) {
	m, err := a.openQuietly(ctx)
	if err != nil {
		return nil, err
	}
	a.logs(m)
	a.warn(m.Problems()...)
	return m, nil
}

// open opens the memory, and asks or says so when its folder is kept apart from
// a project that it says to be.
func (a *app) open(ctx context.Context) (*orihon.Memory, error) {
	m, err := a.opened(ctx)
	if err != nil {
		return nil, err
	}
	if text := m.Project().LocalRefused; text != "" {
		a.warn(text)
	}
	if text := m.Moved(); text != "" {
		a.warn(text)
	}
	if m.Apart() == "" {
		return m, nil
	}
	if err := a.tie(ctx, m); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// onMemory is what a command does with the memory.
type onMemory func(cmd *cobra.Command, m *orihon.Memory, args []string) error

// withMemory makes a command of a function that works on the memory, which is
// opened before it and closed behind it. What can be wrong with flags alone is
// told before, by PreRunE.
func (a *app) withMemory(run onMemory) func(*cobra.Command, []string) error { return with(a.open, run) }

// withOpened is withMemory for commands that say themselves how the folder and
// its project stand.
func (a *app) withOpened(run onMemory) func(*cobra.Command, []string) error {
	return with(a.opened, run)
}

func with(open func(context.Context) (*orihon.Memory, error), run onMemory) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		m, err := open(cmd.Context())
		if err != nil {
			return err
		}
		defer m.Close()
		return run(cmd, m, args)
	}
}

// openQuietly opens the memory for commands that tell themselves what is wrong
// with it.
func (a *app) openQuietly(ctx context.Context) (*orihon.Memory, error) {
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	return orihon.Open(ctx, o)
}

// logs takes the level of logging from the configuration, once it is known;
// until then only warnings are logged.
func (a *app) logs(m *orihon.Memory) {
	var level slog.Level
	if level.UnmarshalText([]byte(setting(m, "log.level"))) == nil {
		a.level.Set(level)
	}
}

// setting is the value of a setting of which there is one by this name.
func setting(m *orihon.Memory, name string) string {
	value, _, _ := m.Setting(name)
	return value
}

// number is a setting that is a whole number.
func number(m *orihon.Memory, name string) int {
	n, _ := strconv.Atoi(setting(m, name)) // settings are checked as they are read
	return n
}

// logger writes what the engine logs to stderr, one line each.
func (a *app) logger() *slog.Logger {
	a.level.Set(slog.LevelWarn)
	return slog.New(plainly{a, slog.NewTextHandler(cleanWriter{a.errs}, &slog.HandlerOptions{Level: &a.level, ReplaceAttr: func(_ []string, at slog.Attr) slog.Attr {
		if at.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return at
	}})})
}

// plainly tells warnings that are one sentence, such as why a strategy failed, as
// those of this program.
type plainly struct {
	a *app
	slog.Handler
}

// Handle implements [slog.Handler].
func (p plainly) Handle(ctx context.Context, r slog.Record) error {
	if r.Level != slog.LevelWarn || r.NumAttrs() > 0 {
		return p.Handler.Handle(ctx, r)
	}
	text, _ := redact.Text(r.Message)
	p.a.warn(text)
	return nil
}

// cleanWriter takes secrets out of lines.
type cleanWriter struct{ to io.Writer }

func (w cleanWriter) Write(line []byte) (int, error) {
	clean, _ := redact.Text(string(line))
	_, err := io.WriteString(w.to, clean)
	return len(line), err
}
