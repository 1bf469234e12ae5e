package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/checkpoint"
)

func (a *app) checkpointCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "Keep a commit under a name, and say later whether the work got better",
		Long: "Keep the commit that is checked out under a name, with what the project measures\n" +
			"there: whether it builds, how many tests pass, how much of it they cover. Later work\n" +
			"is held against it. Build and tests are the project's own code: they run when you\n" +
			"ask for create or verify, and at no other time. What they are is shown by the\n" +
			"project's files, or said by the settings below checkpoint.",
		Example: "  orihon checkpoint create before-refactoring\n  orihon checkpoint verify before-refactoring",
		Args:    args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.checkpointCreate(), a.checkpointVerify(), a.checkpointRestore(), a.checkpointList(), a.checkpointClear())
	return cmd
}

// measuring adds the flag that both measuring commands have.
func (a *app) measuring(cmd *cobra.Command) *checkpoint.Options {
	o := &checkpoint.Options{Tell: func(what, command string) {
		if !a.json {
			fmt.Fprintln(a.errs, a.dim(fmt.Sprintf("%s: %s", what, oneLine(command))))
		}
	}}
	cmd.Flags().BoolVar(&o.Skip, "no-measures", false, "run nothing; only count files")
	return o
}

func (a *app) checkpointCreate() *cobra.Command {
	var o *checkpoint.Options
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Measure the commit that is checked out, and keep it",
		Long: "Build and test the project as it is committed and keep that under a name. Nothing may\n" +
			"be uncommitted. Git keeps the commit from then on, under refs/orihon/checkpoints.",
		Args: args(cobra.ExactArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, words []string) error {
			if err := m.Register(cmd.Context()); err != nil {
				return err
			}
			p, err := m.Checkpoints().Create(cmd.Context(), words[0], o)
			return a.result(p, err, func(w io.Writer) {
				fmt.Fprintf(w, "%s %s · %.12s%s\n", a.bold("checkpoint"), p.Name, p.Commit, onBranch(p.Branch))
				t := table(w)
				for _, row := range rows(&p.Now) {
					fmt.Fprintf(t, "%s\t%s\n", row.name, row.value)
				}
				t.Flush()
			})
		}),
	}
	o = a.measuring(cmd)
	return cmd
}

func onBranch(name string) string {
	if name == "" {
		return ""
	}
	return " on " + oneLine(name)
}

func (a *app) checkpointVerify() *cobra.Command {
	var o *checkpoint.Options
	var code bool
	cmd := &cobra.Command{
		Use:   "verify NAME",
		Short: "Measure the work as it is now, and hold it against a checkpoint",
		Long: "Build and test the project as it lies there, committed or not, and compare that with\n" +
			"the checkpoint: progress, regression or unchanged. What is unknown on one side is\n" +
			"not compared. One thing that became worse outweighs all that became better.",
		Args: args(cobra.ExactArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, words []string) error {
			c, err := m.Checkpoints().Verify(cmd.Context(), words[0], o)
			if err := a.result(c, err, func(w io.Writer) { a.showComparison(w, c) }); err != nil {
				return err
			}
			if code && c.Verdict == checkpoint.Regression {
				return fmt.Errorf("regression since %s: %s", c.Then.Name, strings.Join(c.Reasons, ", "))
			}
			return nil
		}),
	}
	o = a.measuring(cmd)
	cmd.Flags().BoolVar(&code, "exit-code", false, "exit with 1 on a regression")
	return cmd
}

func (a *app) showComparison(w io.Writer, c *checkpoint.Comparison) {
	since := plural(c.Ahead, "commit") + " later"
	if c.Commit == c.Then.Commit {
		since = "the same commit"
	}
	if c.Behind > 0 {
		since += fmt.Sprintf(", without %d of its own", c.Behind)
	}
	if c.Dirty > 0 {
		since += fmt.Sprintf(", %s not committed", plural(c.Dirty, "file"))
	}
	fmt.Fprintf(w, "%s %s of %s · %.12s → %.12s (%s)\n", a.bold("checkpoint"), c.Then.Name, c.Then.At.Local().Format("2006-01-02 15:04"), c.Then.Commit, c.Commit, since)
	then, now := rows(&c.Then.Now), rows(&c.Now)
	t := table(w)
	fmt.Fprintln(t, "\tthen\tnow\tchange")
	for i := range now {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", now[i].name, then[i].value, now[i].value, change(then[i], now[i]))
	}
	t.Flush()
	why := ""
	if len(c.Reasons) > 0 {
		why = ": " + strings.Join(c.Reasons, ", ")
	}
	fmt.Fprintf(w, "%s%s\n", a.bold(string(c.Verdict)), why)
}

// row is a measure in words, with its number where it has one.
type row struct {
	name, value string
	number      float64
	counted     bool
	digits      int
}

func rows(m *checkpoint.Measures) []row {
	tests := row{name: "tests", value: result(&m.Tests.Result)}
	if t := &m.Tests; t.Counted {
		tests.value, tests.number, tests.counted = fmt.Sprintf("%d of %d pass", t.Passed, t.Passed+t.Failed), float64(t.Passed), true
		if t.Skipped > 0 {
			tests.value += fmt.Sprintf(", %d skipped", t.Skipped)
		}
	}
	cover := row{name: "coverage", value: result(&m.Coverage.Result)}
	if m.Coverage.Counted {
		cover.value, cover.number, cover.counted, cover.digits = fmt.Sprintf("%.1f %%", m.Coverage.Percent), m.Coverage.Percent, true, 1
	}
	return []row{
		{name: "files", value: fmt.Sprint(m.Files), number: float64(m.Files), counted: true},
		{name: "build", value: result(&m.Build)}, tests, cover,
	}
}

func result(r *checkpoint.Result) string {
	if r.Why == "" {
		return string(r.State)
	}
	return string(r.State) + ": " + clipped(oneLine(r.Why), 60)
}

func change(then, now row) string {
	switch {
	case then.counted && now.counted && then.number != now.number:
		return fmt.Sprintf("%+.*f", now.digits, now.number-then.number)
	case then.value == now.value:
		return "="
	case then.counted && now.counted:
		return "="
	}
	return ""
}

func (a *app) checkpointRestore() *cobra.Command {
	return &cobra.Command{
		Use:   "restore NAME",
		Short: "Go back to a checkpoint, on a new branch",
		Long: "Check the commit of a checkpoint out on a new branch, restore/NAME. Nothing may be\n" +
			"uncommitted, and the branch you are on stays as it is. No hook runs; a file that\n" +
			"goes through a filter of git's, such as LFS, is refused.",
		Args: args(cobra.ExactArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, words []string) error {
			r, err := m.Checkpoints().Restore(cmd.Context(), words[0])
			return a.result(r, err, func(w io.Writer) {
				fmt.Fprintf(w, "%s %s: on the new branch %s at %.12s\n", a.bold("restored"), r.Checkpoint.Name, r.Branch, r.Checkpoint.Commit)
				back := r.FromBranch
				if back == "" {
					back = "--detach " + r.From
				}
				fmt.Fprintf(w, "back      git switch %s\n", oneLine(back))
			})
		}),
	}
}

func (a *app) checkpointList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the checkpoints, newest first", Args: args(cobra.NoArgs),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			all, err := m.Checkpoints().List(cmd.Context())
			return a.result(all, err, func(w io.Writer) {
				if len(all) == 0 {
					fmt.Fprintln(w, "there is no checkpoint: orihon checkpoint create NAME makes one")
				}
				t := table(w)
				for i := range all {
					p := &all[i]
					fmt.Fprintf(t, "%s\t%s\t%.12s\t%s\t%s\n", p.Name, p.At.Local().Format("2006-01-02 15:04"), p.Commit, standing(p), measured(&p.Now))
				}
				t.Flush()
			})
		}),
	}
}

// standing words where a checkpoint is, seen from the present.
func standing(p *checkpoint.Listed) string {
	switch {
	case p.Problem != "":
		return oneLine(p.Problem)
	case p.Current:
		return "current"
	case p.Behind == 0:
		return plural(p.Ahead, "commit") + " behind"
	}
	return fmt.Sprintf("%d behind, %d beside", p.Ahead, p.Behind)
}

func measured(m *checkpoint.Measures) string {
	var parts []string
	if m.Build.State != checkpoint.Unknown {
		parts = append(parts, "build "+string(m.Build.State))
	}
	for _, r := range rows(m)[2:] {
		if r.counted {
			parts = append(parts, r.name+" "+r.value)
		}
	}
	return strings.Join(parts, ", ")
}

func (a *app) checkpointClear() *cobra.Command {
	keep := checkpoint.DefaultKeep
	cmd := &cobra.Command{
		Use: "clear", Short: "Forget old checkpoints; the newest 5 stay", Args: args(cobra.NoArgs),
		PreRunE: func(*cobra.Command, []string) error {
			if keep < 0 {
				return fmt.Errorf("%w: --keep %d: want 0 or more", errUsage, keep)
			}
			return nil
		},
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			gone, err := m.Checkpoints().Clear(cmd.Context(), keep)
			return a.result(gone, err, func(w io.Writer) {
				for i := range gone {
					fmt.Fprintf(w, "forgotten %s (%.12s)\n", gone[i].Name, gone[i].Commit)
				}
				if len(gone) == 0 {
					fmt.Fprintln(w, "nothing to clear")
				}
			})
		}),
	}
	cmd.Flags().IntVar(&keep, "keep", keep, "how many stay")
	return cmd
}
