package main

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"orihon/internal/lives"
)

const pairsHelp = "\n\nWith --task pairs, DATA are pairs: something told in passing, something told in a later\n" +
	"session that ends it or only looks so, and what is asked in a third, one JSON object a line:\n\n" +
	"  {\"kind\": \"replaced\" or \"alike\", \"old\", \"new\", \"ask\", \"old_value\", \"new_value\": the parts\n" +
	"   that tell the two apart, \"need\": \"old\", \"new\" or \"both\"}\n\n" +
	"They are played like lives, twenty pairs of a file to a memory. What counts is whether the\n" +
	"later saying comes first, with the older one not as current; with --start what the\n" +
	"session begins with comes before all else."

// evalPairs is "eval --task pairs": sayings that end an earlier one.
func (a *app) evalPairs(ctx context.Context, data []string, t *livesTask) error {
	pairs, err := lives.ReadPairs(data...)
	if err != nil {
		return err
	}
	o := &lives.Options{Start: t.start, Workers: runtime.NumCPU()}
	save := func() error { return nil }
	if t.asks+t.answers != "" {
		if save, err = t.agent(a, o); err != nil {
			return err
		}
	}
	var r *lives.PairReport
	if err := a.play(t, o, "stores", func() (err error) { r, err = lives.RunPairs(ctx, pairs, o); return err }); err != nil {
		return err
	}
	if err := save(); err != nil {
		return err
	}
	r.Missed = r.Missed[:min(len(r.Missed), t.missed)]
	return a.print(map[string]any{"pairs": r, "version": version()}, func(w io.Writer) { pairsTables(w, r) })
}

func pairsTables(w io.Writer, r *lives.PairReport) {
	t := table(w)
	row := func(what string, n, of int) {
		fmt.Fprintf(t, "  %s\t%d\t%.3f\n", what, n, float64(n)/float64(max(1, of)))
	}
	fmt.Fprintf(t, "replaced\t%d\t\n", r.Replaced)
	row("the later one first, the older one not as current", r.Current, r.Replaced)
	row("both, the older one as current", r.Both, r.Replaced)
	row("the older one alone", r.Old, r.Replaced)
	row("neither", r.Neither, r.Replaced)
	fmt.Fprintf(t, "alike\t%d\t\n", r.Alike)
	row("all that is needed", r.Needed, r.Alike)
	row("the older one wrongly ended", r.Ended, r.Alike)
	row("the older one said to be older", r.Marked, r.Alike)
	t.Flush()
	fmt.Fprintf(w, "\nthe later one first: 95 %% %.3f–%.3f; %.2f passages an ask; %s\n", r.CurrentCI.Low, r.CurrentCI.High, r.Passages, plural(r.Stores, "store"))
	for _, m := range r.Missed {
		fmt.Fprintf(w, "\n%s: %s\n  needs: %s\n", m.ID, m.Ask, m.New)
		for _, g := range m.Got {
			fmt.Fprintf(w, "  got:   %s\n", g)
		}
	}
}
