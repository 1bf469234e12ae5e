package main

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/internal/claudecode"
	"orihon/memory"
)

// wiring is what install and uninstall share.
type wiring struct {
	project, local, user, dryRun bool
}

// client is the one whose settings take hooks.
const client = "claude-code"

func (f *wiring) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.project, "project", false, "the project's .claude/settings.json, shared by git (install: the default)")
	cmd.Flags().BoolVar(&f.local, "local", false, "the project's .claude/settings.local.json, yours alone")
	cmd.Flags().BoolVar(&f.user, "user", false, "~/.claude/settings.json, for all your projects")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the change and make none")
	cmd.ValidArgs = []string{client}
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
