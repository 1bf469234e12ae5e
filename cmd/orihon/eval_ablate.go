package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/eval"
)

// ablation is what one stage of ranking is worth: by how much each metric is
// better with it than without.
type ablation struct {
	Stage string
	Worth map[string]eval.Difference
}

// ablate runs the data once more without each stage.
func (a *app) ablate(ctx context.Context, e *evaluation, data []eval.Conversation, whole *eval.Scores, o *eval.Options) ([]ablation, error) {
	stages := eval.Stages()
	step, end := a.progress("stages")
	defer end()
	var out []ablation
	for i, stage := range stages {
		step(i+1, len(stages))
		less := *o
		less.Dir = filepath.Join(o.Dir, "without-"+stage)
		less.Settings = maps.Clone(o.Settings) // of the command line, never nil
		less.Settings["recall.without"] = stage
		r, err := eval.Run(ctx, data, &less)
		if err != nil {
			return nil, fmt.Errorf("without %s: %w", stage, err)
		}
		out = append(out, ablation{stage, whole.Against(r.Scores, e.seed)})
	}
	return out, nil
}

// ablationTable prints, in points, what each stage is worth.
func ablationTable(w io.Writer, list []ablation) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(w, "\nwhat each stage is worth: with it less without it, in points, 95 % of paired draws")
	shown := slices.DeleteFunc([]string{"R@5", "R@10", "R@tok1024", "R@tok2048"}, func(m string) bool {
		_, ok := list[0].Worth[m]
		return !ok
	})
	t := table(w)
	fmt.Fprintln(t, "stage\t"+strings.Join(shown, "\t"))
	for _, x := range list {
		fmt.Fprint(t, x.Stage)
		for _, m := range shown {
			d := x.Worth[m]
			fmt.Fprintf(t, "\t%+.1f (%+.1f to %+.1f)", 100*d.Mean, 100*d.Low, 100*d.High)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}
