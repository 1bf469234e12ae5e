package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// memoryLimit is where the runtime begins to collect garbage harder.
const memoryLimit = 150 << 20

// rarely is how much garbage there may be beside what is held, in percent, in a process
// that ends with its work: below [memoryLimit] collecting it would cost a tenth of that.
const rarely = 300

// main runs one command line and returns its exit code.
func (a *app) main(ctx context.Context, args []string) int {
	if len(args) > 0 && args[0] == "hook" && !wantsHelp(args[1:]) {
		return a.hook(ctx, args[1:])
	}
	if len(args) == 1 && args[0] == pluginVerb {
		return a.contextPlugin(ctx)
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
	if a.json {
		text, _ := redact.Text(strings.TrimPrefix(err.Error(), errUsage.Error()+": "))
		_ = json.NewEncoder(a.errs).Encode(map[string]any{"error": text, "exit_code": code})
		return code
	}
	for _, one := range joined(err) {
		text, _ := redact.Text(strings.TrimPrefix(one.Error(), errUsage.Error()+": "))
		fmt.Fprintln(a.errs, "orihon:", oneLine(text))
	}
	return code
}

// joined are the errors that stand in one a line each; others that wrap several are one.
func joined(err error) []error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		if all := several.Unwrap(); errors.Join(all...).Error() == err.Error() {
			return all
		}
	}
	return []error{err}
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

// flagKinds say what a flag takes, by the type of its value.
var flagKinds = map[string]string{
	"int": "a whole number", "int64": "a whole number", "float64": "a number", "bool": "true or false", "duration": "a time such as 90s or 2h",
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
		why := err.Error()
		var value *pflag.InvalidValueError
		if errors.As(err, &value) {
			if want, known := flagKinds[value.GetFlag().Value.Type()]; known {
				why = fmt.Sprintf("--%s %q: want %s", value.GetFlag().Name, value.GetValue(), want)
			}
		}
		return fmt.Errorf("%w: %s: see %s --help", errUsage, why, cmd.CommandPath())
	})
	f := cmd.PersistentFlags()
	f.StringVar(&a.home, "home", "", "user's home of Orihon (default $ORIHON_HOME, else ~/.orihon)")
	f.StringVar(&a.dir, "project", "", "folder of the project (default the working directory)")
	f.StringVar(&a.user, "user", "", "who you are (default $ORIHON_USER, else git's user)")
	f.BoolVar(&a.json, "json", false, "print JSON")
	f.StringArrayVar(&a.settings, "set", nil, "override a setting for this command: key=value")
	cmd.AddCommand(
		a.initCommand(),
		a.rememberCommand(),
		a.recallCommand(),
		a.listCommand(),
		a.showCommand(),
		a.forgetCommand(),
		a.restoreCommand(),
		a.statusCommand(),
		a.doctorCommand(),
		a.configCommand(),
		a.auditCommand(),
		a.installCommand(),
		a.uninstallCommand(),
		a.hookCommand(),
		a.workCommand(),
		a.syncCommand(),
		a.indexCommand(),
		a.memoryIndexCommand(),
		a.importCommand(),
		a.exportCommand(),
		a.backupCommand(),
		a.demoCommand(),
		a.evalCommand(),
		a.benchCommand(),
		a.versionCommand(),
		a.editCommand(),
		a.historyCommand(),
		a.archiveCommand(),
		a.undoCommand(),
		a.statsCommand(),
		a.jobsCommand(),
		a.phrasesCommand(),
		a.migrateCommand(),
		a.reviewCommand(),
		a.rolesCommand(),
		a.modelCommand(),
		a.contextCommand(),
		a.handoffCommand(),
		a.resumeCommand(),
		a.compactCommand(),
		a.captureCommand(),
		a.peekCommand(),
		a.sessionCommand(),
		a.evolveCommand(),
		a.checkpointCommand(),
		a.fixCommand(),
		a.howCommand(),
		a.blameCommand(),
		a.projectCommand(),
		a.instinctCommand(),
		a.mcpCommand(),
		a.runCommand(),
		a.agentsCommand(),
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
