package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/internal/claudecode"
	"orihon/internal/project"
	"orihon/memory"
)

// wiring is what install and uninstall share.
type wiring struct {
	project, local, user, dryRun bool
}

func (f *wiring) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.project, "project", false, "the project's .claude/settings.json, shared by git")
	cmd.Flags().BoolVar(&f.local, "local", false, "the project's .claude/settings.local.json, yours alone")
	cmd.Flags().BoolVar(&f.user, "user", false, "~/.claude/settings.json, for all your projects")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the change and make none")
	cmd.ValidArgs = []string{"claude-code"}
}

// scope is the one that was asked for; empty for none.
func (f *wiring) scope() (claudecode.Scope, error) {
	switch {
	case f.project && f.local || f.project && f.user || f.local && f.user:
		return "", fmt.Errorf("%w: give only one of --project, --local and --user", errUsage)
	case f.local:
		return claudecode.LocalScope, nil
	case f.user:
		return claudecode.UserScope, nil
	case f.project:
		return claudecode.ProjectScope, nil
	}
	return "", nil
}

func (a *app) installCommand() *cobra.Command {
	var f wiring
	var plugin string
	var yes bool
	cmd := &cobra.Command{
		Use: "install CLIENT", Short: "Give a coding agent this memory (claude-code)",
		Long: "Write hooks into the client's settings, beside what is there; orihon uninstall\n" +
			"takes exactly them away again. Settings that git shares name orihon by PATH and stay\n" +
			"silent on a machine that has none.\n\n" +
			"With --plugin a plugin is written instead: hooks, the MCP server, skills and slash\n" +
			"commands in one folder, for Claude Code, Codex and Copilot.\n\n" +
			"Past sessions that lie on this machine are shown, and read after one yes.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			scope, err := f.scope()
			switch {
			case err != nil:
				return err
			case cmd.Flags().Changed("plugin") && scope != "":
				return fmt.Errorf("%w: a plugin belongs to no settings: give --plugin or --%s", errUsage, scope)
			case cmd.Flags().Changed("plugin"):
				return a.installPlugin(cmd.Context(), plugin, f.dryRun, yes)
			case scope == "":
				scope = claudecode.ProjectScope
			}
			return a.install(cmd.Context(), scope, f.dryRun, yes)
		},
	}
	f.flags(cmd)
	cmd.Args = args(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs))
	cmd.Flags().StringVar(&plugin, "plugin", "", "write a plugin into this folder (default plugin in the home of Orihon)")
	cmd.Flags().Lookup("plugin").NoOptDefVal = " "
	cmd.Flags().BoolVar(&yes, "yes", false, "read past sessions without a question")
	return cmd
}

func (a *app) install(ctx context.Context, scope claudecode.Scope, dryRun, yes bool) error {
	// The persistent --project names a folder; here the flag of the same name
	// chooses the settings, and the working directory is the project.
	m, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	o, err := a.settingsOptions(m, scope)
	if err != nil {
		return err
	}
	o.DryRun = dryRun
	if o.Command, err = hookCommandFor(scope); err != nil {
		return err
	}
	change, err := claudecode.Install(o)
	if err != nil {
		return err
	}
	past, offer, err := a.pastOffer(m)
	if err != nil {
		return err
	}
	if err := a.print(map[string]any{"path": change.Path, "changed": change.Changed(), "dry_run": dryRun, "diff": change.Diff(), "past": past}, func(w io.Writer) {
		switch {
		case dryRun && change.Changed():
			fmt.Fprint(w, change.Diff())
		case !change.Changed():
			fmt.Fprintf(w, "nothing to change in %s\n", change.Path)
		default:
			fmt.Fprintf(w, "%s %s\n", a.bold("installed in"), change.Path)
		}
	}); err != nil || dryRun {
		return err
	}
	if scope == claudecode.ProjectScope {
		if _, err := project.Program(programName, m.Project().Root); err != nil {
			a.warn("no orihon is on your PATH, which the shared settings name: put a link to this program there; until then the hooks are silent")
		}
	}
	return offer(ctx, yes)
}

// programName is what shared files call this program.
const programName = "orihon"

// hookCommandFor is the hook of a scope: what git shares names the program by PATH,
// and nothing of this machine.
func hookCommandFor(scope claudecode.Scope) (string, error) {
	if scope == claudecode.ProjectScope {
		return claudecode.Command(programName, runtime.GOOS), nil
	}
	self, err := installedProgram()
	if err != nil {
		return "", err
	}
	return claudecode.Command(self, runtime.GOOS), nil
}

// installedProgram is this program, where it really lies.
func installedProgram() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(self)
}

// recordDir remembers what was installed where.
func recordDir(m *orihon.Memory) string { return filepath.Join(m.Project().Home, "installed") }

// settingsOptions are those of the settings of a scope.
func (a *app) settingsOptions(m *orihon.Memory, scope claudecode.Scope) (*claudecode.Options, error) {
	path, err := a.settingsPath(scope, m.Project().Root)
	if err != nil {
		return nil, err
	}
	within := m.Project().Root
	if scope == claudecode.UserScope {
		within = "" // dot files are often kept elsewhere
	}
	return &claudecode.Options{SettingsPath: path, Within: within, RecordDir: recordDir(m)}, nil
}

// wired reports whether any of the client's settings run our hooks.
func (a *app) wired(root string) bool {
	for _, path := range a.settingsFiles(root) {
		if w, err := claudecode.Status(path); err == nil && len(w.Hooks) > 0 {
			return true
		}
	}
	return false
}

// settingsFiles are the client's settings that can be there: without a home, none
// of the user's.
func (a *app) settingsFiles(root string) iter.Seq2[claudecode.Scope, string] {
	return func(yield func(claudecode.Scope, string) bool) {
		for _, scope := range []claudecode.Scope{claudecode.ProjectScope, claudecode.LocalScope, claudecode.UserScope} {
			if path, err := a.settingsPath(scope, root); err == nil && !yield(scope, path) {
				return
			}
		}
	}
}

func (a *app) settingsPath(scope claudecode.Scope, root string) (string, error) {
	home, err := os.UserHomeDir()
	if err != nil && scope == claudecode.UserScope {
		return "", fmt.Errorf("%w: no home folder is known", memory.ErrNotFound)
	}
	configDir, _ := a.env("CLAUDE_CONFIG_DIR")
	return claudecode.SettingsPath(scope, root, home, configDir)
}
