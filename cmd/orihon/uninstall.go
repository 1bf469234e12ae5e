package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/internal/claudecode"
	"orihon/internal/histories"
	"orihon/internal/project"
	"orihon/memory"
)

func (a *app) uninstallCommand() *cobra.Command {
	var f wiring
	var purge bool
	cmd := &cobra.Command{
		Use: "uninstall [CLIENT]", Short: "Take the hooks out of every place again, and say what memory remains",
		Long: "Take away what orihon install wrote, wherever that was, or only from the settings\n" +
			"named by a flag. Memory stays: it says where, and --purge removes that as well, once\n" +
			"you have typed the path of its folder.",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.uninstall(cmd.Context(), &f, purge) },
	}
	f.flags(cmd)
	cmd.Args = args(cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs))
	cmd.Flags().BoolVar(&purge, "purge", false, "remove all private memory of all projects too, for good")
	return cmd
}

// removed is what became of one place.
type removed struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"`
	Diff    string `json:"diff,omitempty"`
	Why     string `json:"why,omitempty"` // it could not be done

	plugin bool
	shared bool // it is a project's, which git may share
	err    error
}

// remains is memory that uninstalling leaves.
type remains struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	What  string `json:"what"`
}

func (a *app) uninstall(ctx context.Context, f *wiring, purge bool) error {
	scope, err := f.scope()
	switch {
	case err != nil:
		return err
	case purge && (scope != "" || f.dryRun):
		return fmt.Errorf("%w: --purge goes with no other flag", errUsage)
	}
	m, err := a.opened(ctx)
	if err != nil {
		return err
	}
	defer m.Close()
	home := m.Project().Home
	if purge {
		if err := a.agreeToPurge(home); err != nil {
			return err
		}
	}
	var places []removed
	if scope != "" {
		o, err := a.settingsOptions(m, scope)
		if err != nil {
			return err
		}
		places = []removed{unwired(o, f.dryRun)}
	} else {
		places = a.everyPlace(ctx, m, f.dryRun)
	}
	var failed error
	for i := range places {
		failed = errors.Join(failed, places[i].err)
	}
	if failed == nil && scope == "" && !f.dryRun {
		failed = forgetAnswer(ctx, home)
	}
	left := remaining(ctx, m)
	if purge && failed == nil {
		if failed = removeHome(ctx, home); failed == nil {
			left = slices.DeleteFunc(left, func(r remains) bool { return r.Path == home })
		}
	}
	if err := a.print(map[string]any{"places": listed(places), "dry_run": f.dryRun, "remains": listed(left), "purged": purge && failed == nil}, func(w io.Writer) {
		a.showRemoved(w, places, f.dryRun)
		if purge && failed == nil {
			fmt.Fprintf(w, "%s %s and all in it\n", a.bold("removed"), home)
		}
		if scope == "" && !f.dryRun {
			a.showRemaining(w, left)
		}
	}); err != nil {
		return err
	}
	return failed
}

func (a *app) showRemoved(w io.Writer, places []removed, dryRun bool) {
	some := false
	for i := range places {
		p := &places[i]
		switch {
		case p.err != nil || !p.Changed:
			continue
		case dryRun && p.plugin:
			fmt.Fprintf(w, "- %s\n", p.Path)
		case dryRun:
			fmt.Fprint(w, p.Diff)
		default:
			fmt.Fprintf(w, "%s %s\n", a.bold("removed from"), p.Path)
			if p.shared {
				fmt.Fprintln(w, "git may share this file with others: bring it back (git restore) unless all of you leave")
			}
		}
		if p.plugin && !dryRun {
			fmt.Fprintln(w, "if a client has installed the plugin, it has a copy: claude plugin uninstall orihon@orihon")
		}
		some = true
	}
	if !some && len(places) == 1 {
		fmt.Fprintf(w, "nothing to change in %s\n", places[0].Path)
	} else if !some {
		fmt.Fprintln(w, "nothing is installed")
	}
}

func (a *app) showRemaining(w io.Writer, left []remains) {
	for i := range left {
		fmt.Fprintf(w, "memory remains  %s (%s): %s\n", oneLine(left[i].Path), humanBytes(left[i].Bytes), left[i].What)
	}
}

// unwired takes the hooks out of one settings file.
func unwired(o *claudecode.Options, dryRun bool) removed {
	o.DryRun = dryRun
	r := removed{Path: o.SettingsPath}
	change, err := claudecode.Uninstall(o)
	if err != nil {
		r.err, r.Why = err, err.Error()
		return r
	}
	r.Path, r.Changed, r.Diff = change.Path, change.Changed(), change.Diff()
	return r
}

// everyPlace uninstalls wherever anything was installed: what records say, the
// settings of every known project and of the user, plugins.
func (a *app) everyPlace(ctx context.Context, m *orihon.Memory, dryRun bool) []removed {
	roots := []string{m.Project().Root}
	if records, err := project.List(m.Project().Home); err == nil {
		for i := range records {
			roots = append(roots, records[i].Paths...)
		}
	}
	var out []removed
	installed := claudecode.Installed(recordDir(m))
	seen := make(map[string]bool)
	take := func(path, within string) {
		if seen[path] {
			return
		}
		seen[path] = true
		if w, err := claudecode.Status(path); err == nil && len(w.Hooks) == 0 && within != m.Project().Root && !claudecode.Recorded(recordDir(m), path) {
			return
		}
		r := unwired(&claudecode.Options{SettingsPath: path, Within: within, RecordDir: recordDir(m)}, dryRun)
		r.shared = within != "" && filepath.Base(path) == "settings.json"
		out = append(out, r)
	}
	for i, root := range roots {
		for scope, path := range a.settingsFiles(root) {
			switch _, err := os.Stat(root); {
			case scope == claudecode.UserScope && i == 0:
				take(path, "")
			case scope != claudecode.UserScope && err == nil:
				take(path, root)
			}
		}
	}
	for _, p := range installed {
		take(p.Settings, "")
	}
	for _, p := range installed {
		for _, dir := range p.Dirs {
			if !dryRun {
				_ = os.Remove(dir) // only an empty one goes, and another file may have been in it
			}
		}
	}
	out = slices.DeleteFunc(out, func(r removed) bool { return r.err == nil && !r.Changed })
	return append(append(out, a.removePlugins(m, dryRun)...), removeEvolved(ctx, m, dryRun)...)
}

// removeEvolved takes away what orihon evolve has copied to where clients read it.
// What was changed by hand stays.
func removeEvolved(ctx context.Context, m *orihon.Memory, dryRun bool) []removed {
	var out []removed
	gone, err := m.Evolve().UninstallAll(ctx, dryRun)
	for _, g := range gone {
		if g.Removed {
			out = append(out, removed{Path: g.Path, Changed: true, Diff: "- " + g.Path + "\n"})
		}
	}
	if err != nil {
		out = append(out, removed{Why: err.Error(), err: err})
	}
	return out
}

// forgetAnswer takes back the yes to reading past sessions, so that nothing goes on
// by itself. What was read is still known.
func forgetAnswer(ctx context.Context, home string) error {
	if _, err := os.Stat(histories.Path(home)); err != nil {
		return nil
	}
	return histories.Update(ctx, home, func(rec *histories.Record) { rec.Answer = "" })
}

// remaining lists the memory that is there.
func remaining(ctx context.Context, m *orihon.Memory) []remains {
	var out []remains
	p := m.Project()
	shared := []string{p.Folder}
	list, err := m.Projects(ctx)
	if err == nil {
		for i := range list {
			for _, dir := range list[i].Folders {
				shared = append(shared, filepath.Join(dir, string(project.ByFolder)))
			}
		}
	}
	if n := project.Size(p.Home); n > 0 {
		what := "your own memory"
		if len(list) > 0 {
			what = fmt.Sprintf("your own memory of %s", plural(len(list), "project"))
		}
		out = append(out, remains{p.Home, n, what + "; orihon uninstall --purge removes it"})
	}
	slices.Sort(shared)
	for _, dir := range slices.Compact(shared) {
		if n := project.Size(dir); n > 0 && !project.Within(p.Home, dir) {
			out = append(out, remains{dir, n, "what the project shares, which is git's"})
		}
	}
	return out
}

// agreeToPurge has a person type the name of the folder that is to go.
func (a *app) agreeToPurge(home string) error {
	if err := purgeable(home); err != nil {
		return err
	}
	if !a.asks || a.json {
		return fmt.Errorf("%w: nobody is there to type its path; delete %s yourself", memory.ErrRefused, home)
	}
	fmt.Fprintf(a.errs, "orihon: all private memory of all projects goes, for good:\n    %s (%s)\nType the path of that folder to remove it: ", oneLine(home), humanBytes(project.Size(home)))
	line, err := bufio.NewReader(io.LimitReader(a.in, 8<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if strings.TrimRight(line, "\r\n") != home {
		return fmt.Errorf("%w: that is not its path; nothing was removed", memory.ErrRefused)
	}
	return nil
}

// removeHome removes the folder and, where it is a symlink, what that names. Whoever
// reads histories, which are not wanted any more, has stopped before.
func removeHome(ctx context.Context, home string) error {
	const longest = time.Minute // a batch is read
	real, err := filepath.EvalSymlinks(home)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	stopped, err := histories.Lock(ctx, home)
	if err != nil {
		return fmt.Errorf("%s is left: past sessions are being read into it: %w", home, err)
	}
	stopped()
	return errors.Join(os.RemoveAll(real), os.RemoveAll(home))
}

// purgeable refuses folders that cannot be a home of Orihon, or hold more than
// that: the home may be named by a variable.
func purgeable(home string) error {
	real, err := filepath.EvalSymlinks(home)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w: there is no memory to remove", home, memory.ErrNotFound)
	}
	if err != nil {
		return err
	}
	user, _ := os.UserHomeDir()
	wd, _ := os.Getwd()
	for _, inside := range []string{user, wd} {
		if inside != "" && project.Within(real, inside) {
			return fmt.Errorf("%w: %s holds more than memory; delete yourself what is to go", memory.ErrRefused, home)
		}
	}
	if _, err := os.Stat(project.User(home).Registry()); err != nil {
		return fmt.Errorf("%w: %s does not look like a home of Orihon", memory.ErrRefused, home)
	}
	return nil
}
