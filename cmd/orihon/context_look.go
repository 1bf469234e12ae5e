package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/runs"
	"orihon/window"
	"orihon/window/inspect"
)

func (a *app) contextInspect(l *lookAt) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inspect [RUN]",
		Short: "Show what a context is made of, in tokens",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			return a.onShown(cmd.Context(), l, words, func(_ *orihon.Memory, r *runs.Run, s inspect.BuildOptions) error {
				in, err := r.Inspect(cmd.Context(), s)
				return a.result(in, err, func(w io.Writer) {
					a.inspection(w, r, in)
					a.tellComputed(w, l, r, in.Computed)
				})
			})
		},
	}
	l.building(cmd)
	return cmd
}

func (a *app) inspection(w io.Writer, r *runs.Run, in *inspect.Inspection) {
	fmt.Fprintf(w, "%s  %s, %d tokens when everything is shown\n", a.bold(r.Name), plural(in.Iterations, "iteration"), in.Whole)
	fmt.Fprintf(w, "%s at %d tokens: %d tokens (%s) in %s, %s\n", in.Strategy, in.Limit, in.Tokens, percent(in.Tokens, in.Limit), plural(in.Messages, "message"), plural(in.Folds, "fold"))
	t := table(w)
	defer t.Flush()
	fmt.Fprintln(t, "\npart\ttokens\tshare\t")
	for _, p := range in.Parts {
		fmt.Fprintf(t, "%s\t%6d\t%4s\t%s\n", p.Name, p.Tokens, percent(p.Tokens, in.Tokens), bar(p.Tokens, in.Tokens))
	}
	fmt.Fprintln(t, "\nzone\ttokens\troom\t")
	for _, z := range in.Zones {
		fmt.Fprintf(t, "%s\t%6d\t%6d\t%s\n", z.Name, z.Tokens, z.Room, bar(z.Tokens, in.Limit))
	}
}

func percent(n, of int) string {
	if of <= 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(of))
}

// bar shows a share as a line of at most 30 characters.
func bar(n, of int) string {
	if of <= 0 {
		return ""
	}
	return strings.Repeat("█", min(30, (30*n+of-1)/of))
}

func (a *app) contextShow(l *lookAt) *cobra.Command {
	var of string
	var page int
	cmd := &cobra.Command{
		Use:   "show [RUN]",
		Short: "Print the messages a model would get",
		Long: "Print the messages a model would get of the run now, with --json as chat APIs have\n" +
			"them. With --iterations, print that part of the run as it stands in the journal, word\n" +
			"for word.",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			return a.onShown(cmd.Context(), l, words, func(_ *orihon.Memory, r *runs.Run, s inspect.BuildOptions) error {
				if of != "" {
					if _, _, err := iterations("--iterations", of); err != nil {
						return err
					}
					return a.expand(cmd.Context(), r, s, of, "", page)
				}
				placed, folds, err := r.Shown(cmd.Context(), s)
				if err != nil {
					return err
				}
				var computed []string
				for i := range folds {
					computed = append(computed, folds[i].Ref())
				}
				messages := window.Messages(placed)
				if a.json {
					a.tellComputed(a.errs, l, r, computed)
				}
				return a.print(runs.Chat(messages), func(w io.Writer) {
					a.messages(w, messages)
					a.tellComputed(w, l, r, computed)
				})
			})
		},
	}
	l.building(cmd)
	cmd.Flags().StringVar(&of, "iterations", "", "print these iterations word for word: 12-20")
	cmd.Flags().IntVar(&page, "page", 1, "with --iterations: which page")
	return cmd
}

func (a *app) messages(w io.Writer, messages []window.Message) {
	sum := 0
	for i := range messages {
		m := &messages[i]
		n := window.Cost(*m, nil)
		sum += n
		fmt.Fprintf(w, "%s\n", a.bold(fmt.Sprintf("── %d %s (%d tokens)", i+1, m.Role, n)))
		for _, r := range m.Reasoning {
			fmt.Fprintf(w, "%s\n", a.dim(printable(r.Text)))
		}
		if m.Text != "" {
			fmt.Fprintln(w, printable(m.Text))
		}
		for _, c := range m.Calls {
			fmt.Fprintf(w, "→ %s %s\n", c.Tool, printable(string(c.Input)))
		}
		if m.Result != nil {
			mark := "←"
			if m.Result.Error {
				mark = "← error:"
			}
			fmt.Fprintf(w, "%s %s\n", mark, printable(m.Result.Text))
		}
	}
	fmt.Fprintf(w, "%s, %d tokens\n", plural(len(messages), "message"), sum)
}

func (a *app) contextSimulate(l *lookAt) *cobra.Command {
	var of, as string
	cmd := &cobra.Command{
		Use:   "simulate [RUN]",
		Short: "Say what a strategy would save, cache and lose",
		Long: "Run a strategy over a run as if it happened now: before each iteration a request is\n" +
			"built of what was known. Before is what all requests would cost with everything\n" +
			"shown each time, after is what they cost as built; the cache share is how many of\n" +
			"their tokens stand in an unchanged beginning. Nothing is written.",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			from, to := 0, 0
			if of != "" {
				var err error
				if from, to, err = iterations("--range", of); err != nil {
					return err
				}
			}
			if as != "" && !slices.Contains(window.Summarizers(), summarizer(as)) {
				return fmt.Errorf("%w: --summarizer %q: want one of %s", errUsage, as, strings.Join(forms(), ", "))
			}
			return a.onShown(cmd.Context(), l, words, func(_ *orihon.Memory, r *runs.Run, s inspect.BuildOptions) error {
				if as != "" {
					auto := &s.Options.AutoSummarize
					auto.Enabled, auto.Summarizer, auto.Options.Program = true, summarizer(as), window.CustomOptions{}
				}
				_, end := a.progress("simulating")
				sim, err := r.Simulate(cmd.Context(), s, from, to)
				end()
				return a.result(sim, err, func(w io.Writer) { a.simulation(w, sim) })
			})
		},
	}
	l.building(cmd)
	cmd.Flags().StringVar(&of, "range", "", "only these iterations: 1-200")
	cmd.Flags().StringVar(&as, "summarizer", "", "call this one every 50 iterations or 50,000 tokens: "+strings.Join(forms(), ", "))
	return cmd
}

func (a *app) simulation(w io.Writer, s *inspect.Simulation) {
	fmt.Fprintf(w, "%s at %d tokens, iterations %d to %d\n\n", a.bold(s.Strategy), s.Limit, s.Iterations[0], s.Iterations[1])
	t := table(w)
	fmt.Fprintf(t, "\tbefore\tafter\tsaved\t\n")
	fmt.Fprintf(t, "all requests\t%d\t%d\t%.0f %%\t\n", s.Before, s.After, 100*s.Saved)
	fmt.Fprintf(t, "the last one\t%d\t%d\t%.0f %%\t\n", s.Whole, s.Last, 100*(1-float64(s.Last)/float64(max(1, s.Whole))))
	t.Flush()
	fmt.Fprintf(w, "\ncache share  %.1f %%\nlargest      %d tokens (%s of the window)\n", 100*s.Cached, s.Largest, percent(s.Largest, s.Limit))
	if st := s.Stats; st != (window.Stats{}) {
		fmt.Fprintf(w, "folding      %s, %d refused, %d recalled, %d of %d reads of what lies in folds foreseen\n", plural(st.Epochs, "epoch"), st.Refused, st.Recalls, st.ForeseenExpands, st.ForeseenExpands+st.MissedExpands)
	}
	if len(s.Epochs) > 0 {
		const most = 20
		fmt.Fprintln(t, "\nrewritten at\tbefore\tafter\tnot in the cache\tfolds\t")
		for _, e := range last(s.Epochs, most) {
			fmt.Fprintf(t, "iteration %d\t%d\t%d\t%d\t%d\t\n", e.Iteration, e.Before, e.After, e.Rewritten, e.Blocks)
		}
		t.Flush()
		if more := len(s.Epochs) - most; more > 0 {
			fmt.Fprintf(w, "and %d before\n", more)
		}
	}
	fmt.Fprintln(t, "\nout of view\tkept\tof\tfor example\t")
	for _, lost := range s.Lost {
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t\n", lost.Kind, lost.Kept, lost.All, clipped(printable(strings.Join(lost.Names, ", ")), 70))
	}
	t.Flush()
}

func (a *app) contextTimeline(l *lookAt) *cobra.Command {
	return &cobra.Command{
		Use:   "timeline [RUN]",
		Short: "List the iterations of a run",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			return a.onRun(cmd.Context(), l, words, func(r *runs.Run) error {
				moments, err := r.Timeline(cmd.Context())
				return a.result(moments, err, func(w io.Writer) { a.timeline(w, moments) })
			})
		},
	}
}

func (a *app) timeline(w io.Writer, moments []inspect.Moment) {
	t := table(w)
	defer t.Flush()
	fmt.Fprintln(t, "iteration\ttime\ttokens\tfold\twhat")
	for i := range moments {
		m := &moments[i]
		what := clipped(printable(m.Said), 60)
		if m.Prompt {
			what = "“" + what + "”"
		}
		if len(m.Tools) > 0 {
			what = strings.TrimSpace(what + " → " + clipped(strings.Join(m.Tools, ", "), 40))
		}
		if m.Errors > 0 {
			what += fmt.Sprintf("  [%s]", plural(m.Errors, "error"))
		}
		if m.Bookmark != "" {
			what += "  ★ " + clipped(printable(m.Bookmark), 40)
		}
		if m.Event != "" {
			what += "  (" + m.Event + ")"
		}
		fmt.Fprintf(t, "%d\t%s\t%d\t%s\t%s\n", m.Iteration, when(m.At, "01-02 15:04", ""), m.Tokens, m.Fold, what)
	}
}
