package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"orihon/journal"
	"orihon/memory"
	"orihon/runs"
	"orihon/window/inspect"
)

func (a *app) contextEvents(l *lookAt) *cobra.Command {
	var types []string
	var of, since, until string
	var q inspect.EventQuery
	limit := 0
	cmd := &cobra.Command{
		Use:   "events [RUN]",
		Short: "List the events of a run by type, time, iteration or name",
		Long: "List the events of a run that answer to all of the flags, the newest last. Types are\n" +
			typeNames() + ".",
		Example: "  orihon context events --type user_message\n  orihon context events --entity cart/total.go --iterations 20-50\n" +
			"  orihon context events --since 2026-11-20 --json",
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			for _, name := range types {
				t := journal.Type(strings.ToUpper(name))
				if !slices.Contains(journal.Types(), t) {
					return fmt.Errorf("%w: --type %q: want one of %s", errUsage, name, typeNames())
				}
				q.Types = append(q.Types, t)
			}
			if limit < 1 {
				return fmt.Errorf("%w: --limit %d: want at least 1", errUsage, limit)
			}
			var err error
			if of != "" {
				if q.From, q.To, err = iterations("--iterations", of); err != nil {
					return err
				}
			}
			if err := cmp.Or(readDay(since, &q.Since), readDay(until, &q.Until)); err != nil {
				return err
			}
			if isDay(until) {
				q.Until = q.Until.AddDate(0, 0, 1) // the day itself is meant, too
			}
			if err := inOrder(&q.Since, &q.Until); err != nil {
				return err
			}
			return a.onRun(cmd.Context(), l, words, func(r *runs.Run) error {
				found := r.Events(q)
				if len(found) == 0 {
					return fmt.Errorf("events: %w: none in this run answers to that", memory.ErrNotFound)
				}
				return a.print(found, func(w io.Writer) { a.events(w, found, limit) })
			})
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&types, "type", nil, "only of these types")
	f.StringVar(&of, "iterations", "", "only in these: 20-50")
	f.StringVar(&since, "since", "", "only since this day (YYYY-MM-DD)")
	f.StringVar(&until, "until", "", "only until this day, it included")
	f.StringVar(&q.Entity, "entity", "", "only those that name this file, identifier, commit or URL")
	f.IntVar(&limit, "limit", 50, "most to list, the newest; --json has all")
	return cmd
}

// typeNames are the types of events as flags name them.
func typeNames() string {
	var out []string
	for _, t := range journal.Types() {
		out = append(out, strings.ToLower(string(t)))
	}
	return strings.Join(out, ", ")
}

func (a *app) events(w io.Writer, all []inspect.Event, limit int) {
	shown := last(all, limit)
	t := table(w)
	fmt.Fprintln(t, "event\titeration\ttime\ttype\ttext")
	for i := range shown {
		e := &shown[i]
		fmt.Fprintf(t, "%d\t%d\t%s\t%s\t%s\n", e.Seq, e.Iteration, when(e.At, "01-02 15:04", ""), strings.ToLower(string(e.Type)), clipped(printable(e.Text), 80))
	}
	t.Flush()
	if more := len(all) - len(shown); more > 0 {
		fmt.Fprintf(w, "and %d before\n", more)
	}
}
