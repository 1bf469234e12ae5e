package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/internal/redact"
	"orihon/memory"
)

// Exit codes.
const (
	exitOK       = 0
	exitFailure  = 1
	exitUsage    = 2
	exitNotFound = 3
	exitRefused  = 4
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

// memoryLimit is where the runtime begins to collect garbage harder.
const memoryLimit = 240 << 20

// errUsage marks errors of the command line itself.
var errUsage = errors.New("usage")

// main runs one command line and returns its exit code.
func (a *app) main(ctx context.Context, args []string) int {
	if len(args) > 0 && args[0] == "hook" && !wantsHelp(args[1:]) {
		return a.hook(ctx, args[1:])
	}
	// A first index of 100,000 items must stay below 300 MB; what it holds at
	// a time is less, and garbage is collected early enough to keep it so.
	debug.SetMemoryLimit(memoryLimit)
	cmd := a.root()
	cmd.SetArgs(args)
	cmd.SetIn(a.in)
	cmd.SetOut(a.out)
	cmd.SetErr(a.errs)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	code := exitCode(err)
	text, _ := redact.Text(strings.TrimPrefix(err.Error(), errUsage.Error()+": "))
	if a.json {
		_ = json.NewEncoder(a.errs).Encode(map[string]any{"error": text, "exit_code": code})
	} else {
		fmt.Fprintln(a.errs, "orihon:", oneLine(text))
	}
	return code
}

func exitCode(err error) int {
	switch {
	case errors.Is(err, errUsage), strings.HasPrefix(err.Error(), "unknown command"):
		return exitUsage
	case errors.Is(err, memory.ErrNotFound):
		return exitNotFound
	case errors.Is(err, memory.ErrRefused):
		return exitRefused
	case errors.Is(err, memory.ErrInvalid):
		return exitUsage
	}
	return exitFailure
}

// oneLine is a text as a line for people.
// It may be kept, as that of a detached process is in hook.log: secrets are out.
func oneLine(s string) string {
	s, _ = redact.Text(redact.Private(s))
	return shown(strings.Join(strings.Fields(s), " "))
}

func (a *app) root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "orihon",
		Short: "Long-term memory for coding agents",
		Long: "Orihon remembers what matters across sessions and recalls only what bears on\n" +
			"the prompt at hand. Everything is kept as text files; no model, server or\n" +
			"network is needed.",
		SilenceErrors: true, SilenceUsage: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%w: there is no command %q: see orihon --help", errUsage, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w: %v: see %s --help", errUsage, err, cmd.CommandPath())
	})
	f := cmd.PersistentFlags()
	f.StringVar(&a.home, "home", "", "user's home of Orihon (default $ORIHON_HOME, else ~/.orihon)")
	f.StringVar(&a.dir, "project", "", "folder of the project (default the working directory)")
	f.StringVar(&a.user, "user", "", "who you are (default $ORIHON_USER, else git's user)")
	f.BoolVar(&a.json, "json", false, "print JSON")
	f.StringArrayVar(&a.settings, "set", nil, "override a setting for this command: key=value")
	cmd.AddCommand(
		a.initCommand(), a.rememberCommand(), a.recallCommand(), a.listCommand(), a.showCommand(),
		a.forgetCommand(), a.restoreCommand(), a.statusCommand(), a.doctorCommand(), a.configCommand(),
		a.auditCommand(), a.installCommand(), a.uninstallCommand(), a.hookCommand(), a.workCommand(),
		a.syncCommand(), a.indexCommand(), a.importCommand(), a.exportCommand(), a.backupCommand(), a.demoCommand(), a.evalCommand(), a.benchCommand(), a.versionCommand(),
		a.editCommand(), a.historyCommand(), a.archiveCommand(), a.undoCommand(), a.statsCommand(), a.jobsCommand(), a.migrateCommand(), a.reviewCommand(), a.rolesCommand(), a.modelCommand(), a.contextCommand(), a.captureCommand(), a.projectCommand(),
	)
	// cobra's own command for completions takes any word for a call for help.
	cmd.InitDefaultCompletionCmd()
	for _, c := range cmd.Commands() {
		if c.Name() == "completion" {
			c.Args = args(cobra.NoArgs)
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	return cmd
}

// exactly, between and none are cobra's argument checks with our exit code.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return fmt.Errorf("%w: %v: %s", errUsage, err, cmd.UseLine())
		}
		return nil
	}
}

// options are how this command line opens a memory.
func (a *app) options() (*orihon.Options, error) {
	o := &orihon.Options{Home: a.home, Dir: a.dir, User: a.user, Env: a.env, Settings: make(map[string]string), Logger: a.logger()}
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
	if m.Apart() == "" {
		return m, nil
	}
	if err := a.tie(ctx, m); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// withMemory makes a command of a function that works on the memory, which is
// opened before it and closed behind it.
func (a *app) withMemory(run func(cmd *cobra.Command, m *orihon.Memory, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		m, err := a.open(cmd.Context())
		if err != nil {
			return err
		}
		defer m.Close()
		return run(cmd, m, args)
	}
}

// opened opens the memory and tells which settings could not be used.
func (a *app) opened(ctx context.Context) (*orihon.Memory, error) {
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	m, err := orihon.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	a.logs(m)
	for _, p := range m.Problems() {
		a.warn(p)
	}
	return m, nil
}

func (a *app) warn(text string) { fmt.Fprintln(a.errs, "orihon: warning:", oneLine(text)) }

// logs takes the level of logging from the configuration, once it is known;
// until then only warnings are logged.
func (a *app) logs(m *orihon.Memory) {
	var level slog.Level
	if level.UnmarshalText([]byte(m.Config().Log.Level)) == nil {
		a.level.Set(level)
	}
}

// cleanWriter takes secrets out of lines.
type cleanWriter struct{ to io.Writer }

func (w cleanWriter) Write(line []byte) (int, error) {
	clean, _ := redact.Text(string(line))
	_, err := io.WriteString(w.to, clean)
	return len(line), err
}

// logger writes what the engine logs to stderr, one line each.
func (a *app) logger() *slog.Logger {
	a.level.Set(slog.LevelWarn)
	return slog.New(slog.NewTextHandler(cleanWriter{a.errs}, &slog.HandlerOptions{Level: &a.level, ReplaceAttr: func(_ []string, at slog.Attr) slog.Attr {
		if at.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return at
	}}))
}

// print writes v as JSON with --json, else what human writes.
func (a *app) print(v any, human func(w io.Writer)) error {
	if !a.json {
		human(a.out)
		return nil
	}
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// style is a terminal's text attribute; empty off a terminal.
func (a *app) style(code, s string) string {
	if _, no := a.env("NO_COLOR"); !a.terminal || no {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (a *app) bold(s string) string { return a.style("1", s) }
func (a *app) dim(s string) string  { return a.style("2", s) }
