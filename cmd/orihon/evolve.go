package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/evolve"
)

func (a *app) evolveCommand() *cobra.Command {
	var o evolve.Options
	var install string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "evolve",
		Short: "Make commands, skills, agents and rules of habits that belong together",
		Long: "Put instincts together that are alike, and show what each group would become: a\n" +
			"slash command, a skill, an agent or a rule, with its text. Nothing is written\n" +
			"before --execute, which writes below evolved/ in the project's private folder;\n" +
			"--install copies the files to where Claude Code reads them, your own folder or, with\n" +
			"--install=project, the project's. A file that you changed is never overwritten.",
		Example: "  orihon evolve\n  orihon evolve --domain git --execute\n  orihon evolve --install\n  orihon evolve uninstall",
		Args:    args(cobra.NoArgs),
		PreRunE: func(*cobra.Command, []string) error {
			o.Install = evolve.Scope(install)
			switch {
			case o.Least < 2 || o.Least > 1000:
				return fmt.Errorf("%w: --threshold %d: want 2 to 1000 instincts", errUsage, o.Least)
			case install != "" && o.Install != evolve.User && o.Install != evolve.Project:
				return fmt.Errorf("%w: --install %s: want user or project", errUsage, install)
			case dryRun && (o.Write || install != ""):
				return fmt.Errorf("%w: --dry-run writes nothing: leave out --execute and --install", errUsage)
			}
			o.Write = o.Write || install != ""
			return nil
		},
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			o.ClientDir = a.clientDir()
			out, err := m.Evolve().Evolve(cmd.Context(), o)
			if err != nil {
				return err
			}
			a.warn(out.Problems...)
			return a.print(out, func(w io.Writer) { a.showEvolved(w, out) })
		}),
	}
	f := cmd.Flags()
	f.StringVar(&o.Domain, "domain", "", "only instincts of this domain")
	f.IntVar(&o.Least, "threshold", evolve.DefaultLeast, "how many instincts make a group")
	f.BoolVar(&dryRun, "dry-run", false, "write nothing, which is the default")
	f.BoolVar(&o.Write, "execute", false, "write the files")
	f.StringVar(&install, "install", "", "write the files, and copy them to where the client reads them: user or project")
	f.Lookup("install").NoOptDefVal = string(evolve.User)
	f.BoolVar(&o.Imported, "imported", false, "take imported instincts too that were not seen here yet")
	cmd.AddCommand(a.evolveUninstallCommand())
	return cmd
}

func (a *app) evolveUninstallCommand() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "uninstall [NAME...]",
		Short: "Take away what evolve --install has copied",
		Long: "Remove the copies that orihon evolve --install made, and the folders it made for\n" +
			"them. A copy that was changed by hand stays. The files below evolved/ stay.",
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, names []string) error {
			gone, err := m.Evolve().Uninstall(cmd.Context(), dryRun, names...)
			return a.result(gone, err, func(w io.Writer) {
				word := "removed"
				if dryRun {
					word = "would remove"
				}
				for _, g := range gone {
					if g.Removed {
						fmt.Fprintf(w, "%s %s\n", word, oneLine(g.Path))
					} else {
						fmt.Fprintf(w, "left %s: %s\n", oneLine(g.Path), oneLine(g.Problem))
					}
				}
				if len(gone) == 0 {
					fmt.Fprintln(w, "nothing is installed")
				}
			})
		}),
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would go")
	return cmd
}

// clientDir is the folder in which the client keeps what is the user's; empty
// without a home.
func (a *app) clientDir() string {
	if dir, ok := a.env("CLAUDE_CONFIG_DIR"); ok && dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".claude")
}

func (a *app) showEvolved(w io.Writer, out *evolve.Outcome) {
	if len(out.Proposals) == 0 {
		fmt.Fprintf(w, "nothing to evolve: %s, and it takes %d that are alike\n", plural(out.Instincts, "instinct"), out.Least)
	}
	fresh := 0
	for i := range out.Proposals {
		p := &out.Proposals[i]
		a.showProposal(w, p, out.Written)
		if p.Refused == "" && (p.State == evolve.Unwritten || p.State == evolve.Changed) {
			fresh++
		}
	}
	if out.LeftOut > 0 {
		fmt.Fprintln(w, a.dim(fmt.Sprintf("left out: %s that were imported and not seen here yet; --imported takes them too", plural(out.LeftOut, "instinct"))))
	}
	switch {
	case len(out.Proposals) == 0:
	case out.Written && fresh == 0:
		fmt.Fprintln(w, "nothing to write")
	case !out.Written && fresh > 0:
		fmt.Fprintln(w, a.dim("nothing was written: orihon evolve --execute writes them, --install also where the client reads them"))
	}
}

// showProposal shows what a group became or would become, with its text where
// there is something to decide.
func (a *app) showProposal(w io.Writer, p *evolve.Proposal, written bool) {
	fmt.Fprintf(w, "%s %s · %s of %s · mean confidence %.2f\n", p.Kind, a.bold(p.Name), state(p, written), plural(len(p.Habits), "instinct"), p.Confidence)
	if !written || p.State != evolve.Unchanged {
		fmt.Fprintf(w, "  why       %s (%s)\n", oneLine(p.Why), oneLine(p.By))
		for i := range p.Habits {
			h := &p.Habits[i]
			imported := ""
			if h.Imported {
				imported = ", imported"
			}
			fmt.Fprintf(w, "  instinct  %s (%.2f, %s%s): %s\n", h.ID, h.Confidence, times(h.Evidence), imported, clipped(oneLine(h.Trigger), 80))
		}
	}
	if p.Clash != "" {
		fmt.Fprintf(w, "  name      %s\n", oneLine(p.Clash))
	}
	if p.Refused != "" {
		fmt.Fprintf(w, "  left out  %s\n\n", oneLine(p.Refused))
		return
	}
	fmt.Fprintf(w, "  file      %s\n", oneLine(p.File))
	for _, in := range p.Installed {
		if in.Problem != "" {
			fmt.Fprintf(w, "  not at    %s: %s\n", oneLine(in.Path), oneLine(in.Problem))
		} else {
			fmt.Fprintf(w, "  installed %s\n", oneLine(in.Path))
		}
	}
	if !written && p.State != evolve.Unchanged {
		for line := range strings.Lines(p.Text) {
			fmt.Fprintln(w, "  | "+oneLineKeepingIndent(strings.TrimSuffix(line, "\n")))
		}
	}
	fmt.Fprintln(w)
}

// state words what happened to a file.
func state(p *evolve.Proposal, written bool) string {
	switch {
	case p.Refused != "":
		return "left out,"
	case p.State == evolve.Edited:
		return "kept as you changed it, "
	case p.State == evolve.Unchanged:
		return "unchanged,"
	case written && p.State == evolve.Changed:
		return "rewritten,"
	case written:
		return "written,"
	case p.State == evolve.Changed:
		return "would be rewritten,"
	}
	return "would be written,"
}

func times(n int) string {
	switch n {
	case 0:
		return "without evidence"
	case 1:
		return "seen once"
	}
	return fmt.Sprintf("seen %d times", n)
}
