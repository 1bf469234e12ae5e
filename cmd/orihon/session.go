package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/follow"
	"orihon/memory"
)

func (a *app) sessionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "session",
		Short: "List past sessions, show what was done in one, score them",
		Long: "List the sessions of this project, and show what was done in one: each request\n" +
			"with the files that were changed and read, what ran and how it went, what failed\n" +
			"and was mended, what was decided and answered. Score what memory made of each.",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.sessionList(), a.sessionShow(), a.sessionScore())
	return cmd
}

func (a *app) sessionList() *cobra.Command {
	limit := 20
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the sessions in which something was asked for, the newest first",
		Args:  args(cobra.NoArgs),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			all, err := m.Sessions().List(cmd.Context())
			if err != nil {
				return err
			}
			shown := first(all, limit)
			return a.print(shown, func(w io.Writer) {
				if len(all) == 0 {
					fmt.Fprintln(w, "no session has asked for anything yet")
				}
				t := table(w)
				for _, s := range shown {
					failing := ""
					if s.Failing > 0 {
						failing = fmt.Sprintf("%d failing", s.Failing)
					}
					fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", when(s.At.Local(), time.DateOnly, "unknown"), clipped(s.Session, 40), plural(s.Requests, "request"), plural(s.Changed, "file"), failing, clipped(s.Title, 60))
				}
				t.Flush()
				a.ofAll(w, len(shown), len(all))
			})
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "most lines, 0 for all")
	return cmd
}

func (a *app) sessionShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show [SESSION]",
		Short: "Show what was done in a session, request by request, as Markdown",
		Long: "Show what was done in a session, by its ID or the beginning of it; without one,\n" +
			"in the newest. The same text lies beside the session's journal, as session.md:\n" +
			"it is derived from it, and may be deleted.",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, words []string) error {
			name := ""
			if len(words) > 0 {
				name = words[0]
			}
			told, err := m.Sessions().Told(cmd.Context(), name)
			return a.result(told, err, func(w io.Writer) { fmt.Fprint(w, told.Page) })
		}),
	}
	// The page is Markdown already; the flag says so where people expect one.
	cmd.Flags().Bool("markdown", true, "as Markdown")
	return cmd
}

func (a *app) sessionScore() *cobra.Command {
	limit := 10
	cmd := &cobra.Command{
		Use:   "score [SESSION]",
		Short: "Score what memory made of sessions, and how work went",
		Long: "Score the sessions of this project, the newest first, or one of them by its ID or\n" +
			"the beginning of it. Five parts from 0 to 1, and their mean:\n\n" +
			"  density    statements kept for what was said; one in 1,000 tokens is 0.50\n" +
			"  precision  share of what was captured that nobody undid or turned down\n" +
			"  novelty    share that was not known already\n" +
			"  cost       statements kept for what models took; one for 2,000 tokens is 0.50\n" +
			"  trust      falls with what was taken back, by its reason\n\n" +
			"Below them: how quality goes, and a setting where the evidence speaks for another;\n" +
			"and for each kind of request how often it succeeded at once, was changed again in\n" +
			"the same session, or ended unchecked. Nothing is changed by itself.",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: a.withMemory(func(cmd *cobra.Command, m *orihon.Memory, words []string) error {
			all, err := m.Sessions().Scores(cmd.Context())
			if err != nil {
				return err
			}
			if len(words) > 0 {
				all.Sessions = slices.DeleteFunc(all.Sessions, func(s follow.Score) bool { return !strings.HasPrefix(s.Session, words[0]) })
				if len(all.Sessions) == 0 {
					return fmt.Errorf("session %s: %w", words[0], memory.ErrNotFound)
				}
			}
			n := len(all.Sessions)
			all.Sessions = first(all.Sessions, limit)
			return a.print(all, func(w io.Writer) {
				a.scores(w, all)
				a.ofAll(w, len(all.Sessions), n)
			})
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "most lines, 0 for all")
	return cmd
}

func (a *app) scores(w io.Writer, all *follow.Scores) {
	if len(all.Sessions) == 0 {
		fmt.Fprintln(w, "no session has asked for anything yet")
		return
	}
	t := table(w)
	fmt.Fprintln(t, "day\tsession\tquality\tdensity\tprecision\tnovelty\tcost\ttrust\tcaptured\tknown\ttaken back")
	for i := range all.Sessions {
		s := &all.Sessions[i]
		fmt.Fprintf(t, "%s\t%s\t%.2f", when(s.At.Local(), time.DateOnly, "unknown"), clipped(s.Session, 12), s.Quality)
		for _, v := range []*float64{s.Density, s.Precision, s.Novelty, s.Cost, s.Trust} {
			if v == nil {
				fmt.Fprint(t, "\t-")
			} else {
				fmt.Fprintf(t, "\t%.2f", *v)
			}
		}
		fmt.Fprintf(t, "\t%d\t%d\t%s\n", s.Captured, s.Known, cmp.Or(byCount(s.TakenBack), "-"))
	}
	t.Flush()
	r := &all.Trend
	fmt.Fprintf(w, "\nquality  %.2f of the last sessions that brought something, %.2f of those before; it turned %s\n", r.Now, r.Before, plural(r.Swings, "time"))
	if r.Proposal != "" {
		fmt.Fprintln(w, "proposed ", r.Proposal)
	}
	t = table(w)
	fmt.Fprintln(t, "\nrequests\t\tat once\tchanged again\tunchecked")
	for i := range all.Work {
		e := &all.Work[i]
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\n", e.Kind, e.Requests, rate(e.FirstTry), rate(e.Rework), rate(e.Unchecked))
	}
	t.Flush()
	for _, line := range all.Advice {
		fmt.Fprintln(w, "note ", line)
	}
}

// rate words how often something happened, and what is to be expected of it.
func rate(r follow.Rate) string {
	if r.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d (%.2f)", r.Times, r.Of, r.Expected)
}
