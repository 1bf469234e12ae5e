package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"orihon/internal/eval"
)

const updatesHelp = "\n\nWith --task updates, the questions of category " + eval.UpdateCategory + " are asked three times:\n" +
	"of the conversations alone, with the facts noticed in the user's messages\n" +
	"(capture.notice) but none of them replaced, and as memory is. It says how often all\n" +
	"turns that ever told the answer are among the first ten and how often the latest of\n" +
	"them comes first; the questions of all other categories must not suffer."

// evalUpdates is "eval --task updates": facts that change.
func (a *app) evalUpdates(ctx context.Context, e *evaluation, words []string) error {
	if len(words) != 1 {
		return fmt.Errorf("%w: --task updates wants one file", errUsage)
	}
	path := words[0]
	o, err := a.options()
	if err != nil {
		return err
	}
	data, err := eval.Read(path)
	if err != nil {
		return err
	}
	if data, err = eval.Split(data, e.split); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "orihon-eval-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	step, end := a.progress("conversations of " + filepath.Base(path))
	u, err := eval.RunUpdates(ctx, data, &eval.Options{
		Dir: dir, Settings: o.Settings, Logger: o.Logger,
		Progress: func(done, all int) { step(done+1, all) },
	})
	end()
	if err != nil {
		return err
	}
	if e.run != "" {
		if err := createHere(e.run, func(w io.Writer) error { return u.Arms[len(u.Arms)-1].Ranking.Write(w, data) }); err != nil {
			return err
		}
	}
	return a.print(updatesJSON(path, e, u), func(w io.Writer) {
		fmt.Fprintf(w, "%s: %s; noticed: %d kept (%d replaced an older one), %d to ask about, %d dropped\n", filepath.Base(path), plural(u.Conversations, "conversation"), u.Kept, u.Replaced, u.Asked, u.Dropped)
		fmt.Fprintf(w, "%s with several versions, %d with one\n\n", plural(len(u.Questions), "update question"), u.Single)
		t := table(w)
		fmt.Fprintf(t, "supersession\tall versions in %d\t95 %%\tin %d\tcurrent first\t95 %%\tR@10 of updates\tR@10 of others\t95 %%\n", eval.UpdateDepth, 2*eval.UpdateDepth)
		for i := range u.Arms {
			r := armRow(&u.Arms[i], e.seed)
			fmt.Fprintf(t, "%s\t%.4f\t%.2f to %.2f\t%.4f\t%.4f\t%.2f to %.2f\t%.4f\t%.4f\t%.2f to %.2f\n", u.Arms[i].Name,
				r.Both, r.BothCI[0], r.BothCI[1], r.Deep, r.First, r.FirstCI[0], r.FirstCI[1], r.Updates, r.Others, r.OthersCI[0], r.OthersCI[1])
		}
		t.Flush()
	})
}

// updateRow is one way of asking in figures.
type updateRow struct {
	Name     string     `json:"supersession"`
	Both     float64    `json:"all_versions_at_10"`
	BothCI   [2]float64 `json:"all_versions_ci95"`
	Deep     float64    `json:"all_versions_at_20"`
	First    float64    `json:"current_first"`
	FirstCI  [2]float64 `json:"current_first_ci95"`
	Updates  float64    `json:"updates_recall_at_10"`
	Others   float64    `json:"others_recall_at_10"`
	OthersCI [2]float64 `json:"others_ci95"`
}

func armRow(arm *eval.Arm, seed uint64) updateRow {
	r := updateRow{Name: arm.Name}
	var ci eval.Interval
	r.Both, ci = eval.Share(arm.Both, seed)
	r.BothCI = [2]float64{ci.Low, ci.High}
	r.Deep, _ = eval.Share(arm.Deep, seed)
	r.First, ci = eval.Share(arm.First, seed)
	r.FirstCI = [2]float64{ci.Low, ci.High}
	r.Updates, _ = eval.Mean(arm.Updates, seed)
	r.Others, ci = eval.Mean(arm.Recall, seed)
	r.OthersCI = [2]float64{ci.Low, ci.High}
	return r
}

func updatesJSON(path string, e *evaluation, u *eval.Updates) any {
	rows := make([]updateRow, len(u.Arms))
	for i := range u.Arms {
		rows[i] = armRow(&u.Arms[i], e.seed)
	}
	return map[string]any{
		"data": filepath.Base(path), "split": e.split, "conversations": u.Conversations, "questions": len(u.Questions), "single": u.Single,
		"kept": u.Kept, "asked": u.Asked, "dropped": u.Dropped, "replaced": u.Replaced, "arms": rows, "version": version(),
	}
}
