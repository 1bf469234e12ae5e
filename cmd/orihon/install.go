package main

import (
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"orihon/internal/claudecode"
	"orihon/memory"
)

// wiring is what install and uninstall share.
type wiring struct {
	project, local, user, dryRun bool
}

func (f *wiring) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.project, "project", false, "the project's .claude/settings.json, shared by git (default)")
	cmd.Flags().BoolVar(&f.local, "local", false, "the project's .claude/settings.local.json, yours alone")
	cmd.Flags().BoolVar(&f.user, "user", false, "~/.claude/settings.json, for all your projects")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the change and make none")
}

func (f *wiring) scope() (claudecode.Scope, error) {
	switch {
	case f.project && f.local || f.project && f.user || f.local && f.user:
		return "", fmt.Errorf("%w: give only one of --project, --local and --user", errUsage)
	case f.local:
		return claudecode.LocalScope, nil
	case f.user:
		return claudecode.UserScope, nil
	}
	return claudecode.ProjectScope, nil
}

func (a *app) installCommand() *cobra.Command {
	return a.wiringCommand(&cobra.Command{
		Use: "install CLIENT", Short: "Give a coding agent this memory (claude-code)",
		Long: "Write hooks into the client's settings, beside what is there; orihon uninstall\ntakes exactly them away again.",
	}, claudecode.Install, "installed in")
}

func (a *app) uninstallCommand() *cobra.Command {
	return a.wiringCommand(&cobra.Command{
		Use: "uninstall CLIENT", Short: "Take the hooks out of a coding agent's settings again",
	}, claudecode.Uninstall, "removed from")
}

func (a *app) wiringCommand(cmd *cobra.Command, do func(*claudecode.Options) (claudecode.Change, error), done string) *cobra.Command {
	var f wiring
	cmd.ValidArgs = []string{"claude-code"}
	cmd.Args = args(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.wire(cmd, &f, do, done) }
	f.flags(cmd)
	return cmd
}

func (a *app) wire(cmd *cobra.Command, f *wiring, do func(*claudecode.Options) (claudecode.Change, error), done string) error {
	scope, err := f.scope()
	if err != nil {
		return err
	}
	// The persistent --project names a folder; here the flag of the same name
	// chooses the settings, and the working directory is the project.
	m, err := a.open(cmd.Context())
	if err != nil {
		return err
	}
	defer m.Close()
	path, err := a.settingsPath(scope, m.Project().Root)
	if err != nil {
		return err
	}
	self, err := installedProgram()
	if err != nil {
		return err
	}
	within := m.Project().Root
	if scope == claudecode.UserScope {
		within = "" // dot files are often kept elsewhere
	}
	change, err := do(&claudecode.Options{
		SettingsPath: path, Within: within, Command: claudecode.Command(self, runtime.GOOS),
		RecordDir: filepath.Join(m.Project().Home, "installed"), DryRun: f.dryRun,
	})
	if err != nil {
		return err
	}
	return a.print(map[string]any{"path": change.Path, "changed": change.Changed(), "dry_run": f.dryRun, "diff": change.Diff()}, func(w io.Writer) {
		switch {
		case f.dryRun && change.Changed():
			fmt.Fprint(w, change.Diff())
		case !change.Changed():
			fmt.Fprintf(w, "nothing to change in %s\n", change.Path)
		default:
			fmt.Fprintf(w, "%s %s\n", a.bold(done), change.Path)
		}
	})
}

// installedProgram is this program, where it really lies.
func installedProgram() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(self)
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
