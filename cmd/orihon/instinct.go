package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/instincts"
	"orihon/memory"
)

func (a *app) instinctCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "instinct",
		Short: "Habits that were learned of how you work",
		Long: "Habits that were learned of how you work: what you corrected more than once, steps\n" +
			"that belong together, what mends an error. Those at 0.5 and above are told to the\n" +
			"agent where they fit, at 0.7 and above as rules; what is less sure is only listed\n" +
			"here. Each is a Markdown file with the places at which it was seen.",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.instinctStatusCommand(), a.instinctListCommand(), a.instinctShowCommand(), a.instinctExportCommand(),
		a.instinctImportCommand(), a.instinctForgetCommand(), a.instinctLearnCommand(), a.instinctObservationsCommand())
	return cmd
}

// known lists the instincts and warns of files that cannot be read.
func (a *app) knownInstincts(m *orihon.Memory) ([]instincts.Instinct, error) {
	all, problems, err := m.Instincts().List()
	for _, p := range problems {
		a.warn(p.Text)
	}
	return all, err
}

func (a *app) instinctStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "How many habits are known, by what they are about, and the surest", Args: args(cobra.NoArgs),
		RunE: a.withMemory(func(_ *cobra.Command, m *orihon.Memory, _ []string) error {
			all, err := a.knownInstincts(m)
			domains := instincts.Domains(all)
			return a.result(map[string]any{"domains": domains, "instincts": len(all), "surest": first(orEmpty(all), 10)}, err, func(w io.Writer) {
				if len(all) == 0 {
					fmt.Fprintln(w, "no habits are known yet: they are looked for behind each session, or now by orihon instinct learn")
					return
				}
				t := table(w)
				fmt.Fprintln(t, "ABOUT\tHABITS\tMEAN CONFIDENCE")
				for _, d := range domains {
					fmt.Fprintf(t, "%s\t%d\t%.2f\n", d.Domain, d.Count, d.Confidence)
				}
				t.Flush()
				fmt.Fprintln(w)
				a.printInstincts(w, first(all, 10))
			})
		}),
	}
}

func (a *app) instinctListCommand() *cobra.Command {
	var domain string
	var least float64
	cmd := &cobra.Command{
		Use: "list", Short: "List the habits, the surest first", Args: args(cobra.NoArgs),
		RunE: a.withMemory(func(_ *cobra.Command, m *orihon.Memory, _ []string) error {
			all, err := a.knownInstincts(m)
			out := []instincts.Instinct{}
			for _, in := range all {
				if in.Confidence >= least && (domain == "" || in.Domain == domain) {
					out = append(out, in)
				}
			}
			return a.result(out, err, func(w io.Writer) { a.printInstincts(w, out) })
		}),
	}
	cmd.Flags().StringVar(&domain, "domain", "", "only those about this")
	cmd.Flags().Float64Var(&least, "min-confidence", 0, "only those as sure as this, 0 to 1")
	return cmd
}

func (a *app) printInstincts(w io.Writer, all []instincts.Instinct) {
	if len(all) == 0 {
		fmt.Fprintln(w, "none")
		return
	}
	guesses := false
	for i := range all {
		in := &all[i]
		if in.Confidence < memory.InjectConfidence && !guesses {
			guesses = true
			fmt.Fprintln(w, a.dim("only guesses so far, which no agent is told:"))
		}
		seen := plural(len(in.Evidence), "time")
		if !in.Last().IsZero() {
			seen += ", last " + in.Last().Local().Format(time.DateOnly)
		}
		where := ""
		if in.Everywhere {
			where = ", in several projects"
		}
		fmt.Fprintf(w, "%.2f  %s  %s\n      %s\n", in.Confidence, a.bold(in.ID), a.dim("seen "+seen+where), oneLine(instincts.Sentence(in.Trigger, in.Action)))
	}
}

func (a *app) instinctShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "A habit with the turns that prove it", Args: args(cobra.ExactArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, words []string) error {
			s, err := m.Instincts().Show(cmd.Context(), words[0])
			return a.result(s, err, func(w io.Writer) {
				fmt.Fprintf(w, "%s  %.2f %s  %s, %s\n\n%s\n%s\n", a.bold(s.ID), s.Confidence, memory.Level(s.Confidence), s.Domain, s.Source, s.Trigger, s.Action)
				a.printTurns(w, "Seen", s.Turns)
				a.printTurns(w, "Taken back", s.Back)
				if s.Notes != "" {
					fmt.Fprintf(w, "\n%s\n", s.Notes)
				}
			})
		}),
	}
}

func (a *app) printTurns(w io.Writer, title string, turns []instincts.Turn) {
	if len(turns) == 0 {
		return
	}
	const most = 6
	fmt.Fprintf(w, "\n%s\n", a.bold(title))
	for _, t := range turns {
		fmt.Fprintf(w, "%s  session %s, event %d\n", t.At.Local().Format("2006-01-02 15:04"), shortID(t.Session), t.Event)
		switch {
		case t.Gone:
			fmt.Fprintf(w, "    %s\n    (the session is not there any more)\n", oneLine(t.Text))
			continue
		case t.Said != "":
			fmt.Fprintf(w, "    you: %s\n", oneLine(t.Said))
		}
		for _, d := range first(t.Did, most) {
			fmt.Fprintf(w, "    %s\n", oneLine(d))
		}
		if n := len(t.Did) - most; n > 0 {
			fmt.Fprintf(w, "    … and %s\n", plural(n, "call"))
		}
	}
}

func (a *app) instinctExportCommand() *cobra.Command {
	var domain, out string
	var least float64
	cmd := &cobra.Command{
		Use: "export", Short: "Write the habits to a file that others can import, without what was said", Args: args(cobra.NoArgs),
		RunE: a.withMemory(func(_ *cobra.Command, m *orihon.Memory, _ []string) error {
			path, n, err := m.Instincts().Export(out, domain, least)
			return a.result(map[string]any{"path": path, "instincts": n}, err, func(w io.Writer) {
				fmt.Fprintf(w, "%s written to %s\n", plural(n, "habit"), path)
			})
		}),
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write (default exports/instincts-TIME.json of the project)")
	cmd.Flags().StringVar(&domain, "domain", "", "only those about this")
	cmd.Flags().Float64Var(&least, "min-confidence", memory.InjectConfidence, "only those as sure as this, 0 to 1")
	return cmd
}

func (a *app) instinctImportCommand() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Read habits that orihon instinct export wrote; they begin at 0.5 and replace none of yours", Args: args(cobra.ExactArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, words []string) error {
			f, err := os.Open(words[0])
			if err != nil {
				return err
			}
			defer f.Close()
			r, err := m.Instincts().Import(cmd.Context(), words[0], f, dryRun)
			for _, line := range r.Refused {
				a.warn("left out: " + line)
			}
			return a.result(r, err, func(w io.Writer) {
				verb := "imported"
				if dryRun {
					verb = "would be imported"
				}
				fmt.Fprintf(w, "%s %s, %d known already, %d left out\n", plural(len(r.Added), "habit"), verb, len(r.Known), len(r.Refused))
			})
		}),
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be imported")
	return cmd
}

func (a *app) instinctForgetCommand() *cobra.Command {
	return &cobra.Command{
		Use: "forget ID", Short: "Forget a habit, and do not learn it again", Args: args(cobra.ExactArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, words []string) error {
			in, err := m.Instincts().Forget(cmd.Context(), words[0])
			return a.result(in, err, func(w io.Writer) {
				fmt.Fprintf(w, "forgotten: %s: %s\n", oneLine(in.Trigger), oneLine(in.Action))
			})
		}),
	}
}

func (a *app) instinctLearnCommand() *cobra.Command {
	return &cobra.Command{
		Use: "learn", Short: "Look for habits now, in all sessions of the project", Args: args(cobra.NoArgs),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			debug.SetGCPercent(rarely)
			_, end := a.progress("looking for habits")
			l, err := m.Instincts().Learn(cmd.Context())
			end()
			return a.result(l, err, func(w io.Writer) {
				fmt.Fprintf(w, "%s in %s: %d habits seen, %d written, %d dropped\n", plural(l.Observations, "call"), plural(l.Sessions, "session"), l.Found, l.Changed, l.Dropped)
			})
		}),
	}
}

func (a *app) instinctObservationsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "observations SESSION", Short: "What was done with tools in a session, and what came of it", Args: args(cobra.ExactArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, words []string) error {
			all, err := m.Instincts().Observations(cmd.Context(), words[0])
			return a.result(all, err, func(w io.Writer) {
				t := table(w)
				for i := range all {
					o := &all[i]
					line := o.Line()
					if o.Correction != "" {
						line += "  ← " + o.Correction
					}
					fmt.Fprintf(t, "%s\t%s\t%s\n", o.At.Local().Format("15:04:05"), o.Outcome, oneLine(strings.TrimSuffix(line, " ("+string(o.Outcome)+")")))
				}
				t.Flush()
			})
		}),
	}
}
