package main

import (
	"context"
	"fmt"
	"io"

	"orihon/internal/lives"
)

const forgetHelp = "\n\nWith --task forget, DATA are folders of sheets: what memory holds, and what is typed later,\n" +
	"some of it requests to forget:\n\n" +
	"  {\"memory\": [{\"id\", \"text\"}], \"prompts\": [{\"text\", \"forget\": [id]}]}"

// evalForget is "eval --task forget": what becomes of requests to forget.
func (a *app) evalForget(ctx context.Context, data []string, t *livesTask) error {
	sheets, err := lives.ReadForgets(data...)
	if err != nil {
		return err
	}
	o := new(lives.Options)
	var r *lives.ForgetReport
	if err := a.play(t, o, "sheets", func() (err error) { r, err = lives.RunForgets(ctx, sheets, o); return err }); err != nil {
		return err
	}
	r.Missed, r.Wrong = r.Missed[:min(len(r.Missed), t.missed)], r.Wrong[:min(len(r.Wrong), t.missed)]
	return a.print(map[string]any{"forget": r, "version": version()}, func(w io.Writer) {
		tab := table(w)
		row := func(name string, n, of int) {
			fmt.Fprintf(tab, "%s\t%d\t%.3f\n", name, n, float64(n)/float64(max(1, of)))
		}
		fmt.Fprintf(tab, "asked to forget\t%d\t\n", r.Requests)
		row("  what was meant went, and nothing else", r.Done, r.Requests)
		row("  the agent is told what may be meant", r.Told, r.Requests)
		row("  something else went", r.Astray, r.Requests)
		fmt.Fprintf(tab, "other prompts\t%d\t\n", r.Others)
		row("  something went", r.Lost, r.Others)
		row("  the agent is made an offer", r.Named, r.Others)
		tab.Flush()
		for _, m := range r.Missed {
			fmt.Fprintf(w, "missed: %s\n", m)
		}
		for _, m := range r.Wrong {
			fmt.Fprintf(w, "wrong: %s\n", m)
		}
	})
}
