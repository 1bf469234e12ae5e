package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"orihon/internal/eval"
	"orihon/memory"
)

// evaluated is what one set came to.
type evaluated struct {
	name      string
	result    *eval.Result
	intervals map[string]eval.Interval
	json      any
	show      func(io.Writer)
}

// evalSets measures each set and prints them; of several, a table of all follows.
func (a *app) evalSets(ctx context.Context, e *evaluation, words []string) error {
	sets, folder, err := dataSets(words)
	if err != nil {
		return err
	}
	if len(sets) > 1 && e.run != "" {
		return fmt.Errorf("%w: --run takes what one set found: give one file", errUsage)
	}
	var all []*evaluated
	for _, path := range sets {
		e.data = path
		done, err := a.eval(ctx, e)
		if errors.Is(err, eval.ErrShape) && folder[path] {
			a.warn(err.Error() + "; left out")
			continue
		}
		if err != nil {
			return err
		}
		all = append(all, done)
		if !a.json {
			if len(all) > 1 {
				fmt.Fprintln(a.out)
			}
			done.show(a.out)
		}
	}
	switch {
	case len(all) == 0:
		return fmt.Errorf("%s: %w: no set among its files", strings.Join(words, ", "), memory.ErrInvalid)
	case len(sets) == 1:
		return a.print(all[0].json, func(io.Writer) {})
	}
	lines := make([]any, len(all))
	for i, s := range all {
		lines[i] = s.json
	}
	return a.print(map[string]any{"sets": lines}, func(w io.Writer) { setsTable(w, all) })
}

// dataSets are the files named, those of a folder in order of name; folder holds
// the ones that only stand in one.
func dataSets(words []string) (sets []string, folder map[string]bool, err error) {
	folder = make(map[string]bool)
	for _, path := range words {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			sets = append(sets, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, nil, err
		}
		for _, d := range entries {
			if name := strings.TrimSuffix(d.Name(), ".gz"); !d.IsDir() && strings.HasSuffix(name, ".jsonl") {
				file := filepath.Join(path, d.Name())
				sets, folder[file] = append(sets, file), true
			}
		}
	}
	if len(sets) == 0 {
		return nil, nil, fmt.Errorf("%s: %w: no file ends in .jsonl or .jsonl.gz", strings.Join(words, ", "), memory.ErrNotFound)
	}
	return sets, folder, nil
}

// named are the metrics that tables of intervals show.
func named(metrics []string) []string {
	var out []string
	for _, m := range []string{"R@5", "R@10", "R@tok1024"} {
		if slices.Contains(metrics, m) {
			out = append(out, m)
		}
	}
	return out
}

func setsTable(w io.Writer, all []*evaluated) {
	fmt.Fprintln(w, "\nall sets, with 95 % intervals")
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	shown := named(all[0].result.Scores.Metrics)
	fmt.Fprintf(t, "set\tn\t%s\t\n", strings.Join(shown, "\t"))
	for _, s := range all {
		fmt.Fprintf(t, "%s\t%d\t", s.name, s.result.Scores.Groups[0].N)
		for _, m := range shown {
			fmt.Fprint(t, within(s.result.Scores.Value(m), s.intervals[m]), "\t")
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

func within(v float64, in eval.Interval) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.4f (%.4f–%.4f)", v, in.Low, in.High)
}

// intervalTables prints every metric over all questions, and some by category.
func intervalTables(w io.Writer, s *eval.Scores, intervals []map[string]eval.Interval) {
	fmt.Fprintln(w, "\n95 % confidence")
	for _, m := range s.Metrics {
		if v, ok := intervals[0][m]; ok {
			fmt.Fprintf(w, "  %-10s %.4f to %.4f\n", m, v.Low, v.High)
		}
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	shown := named(s.Metrics)
	fmt.Fprintf(t, "category\tn\t%s\t\n", strings.Join(shown, "\t"))
	for i, g := range s.Groups {
		fmt.Fprintf(t, "%s\t%d\t", g.Category, g.N)
		for _, m := range shown {
			fmt.Fprint(t, within(g.Values[slices.Index(s.Metrics, m)], intervals[i][m]), "\t")
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

func pairs(intervals map[string]eval.Interval) map[string][2]float64 {
	out := make(map[string][2]float64)
	for m, v := range intervals {
		out[m] = [2]float64{v.Low, v.High}
	}
	return out
}

// fusionRow compares a model's ranking with recall in one metric.
type fusionRow struct {
	Model  string     `json:"model"`
	N      int        `json:"n"`
	Metric string     `json:"metric"`
	Dense  float64    `json:"dense"`
	Ours   float64    `json:"ours"`
	Fused  float64    `json:"fused"`
	Gain   float64    `json:"gain"` // of the fused over the dense
	CI95   [2]float64 `json:"ci95"` // of the gain
}

func fusionRows(r *eval.Result, seed uint64) []fusionRow {
	var out []fusionRow
	for i := range r.Fused {
		f := &r.Fused[i]
		gain := f.Both.Against(f.Dense, seed)
		for _, m := range []string{"R@5", "R@10"} {
			d := gain[m]
			out = append(out, fusionRow{f.Model, f.Dense.Groups[0].N, m, f.Dense.Value(m), f.Ours.Value(m), f.Both.Value(m), d.Mean, [2]float64{d.Low, d.High}})
		}
	}
	return out
}

func fusionTable(w io.Writer, rows []fusionRow) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintln(w, "\nfused with rankings of embedding models; gain over the ranking with its 95 % interval (paired)")
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "model\tn\tmetric\tdense\tours\tfused\tgain\t")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%d\t%s\t%.4f\t%.4f\t%.4f\t%+.4f (%+.4f to %+.4f)\t\n", r.Model, r.N, r.Metric, r.Dense, r.Ours, r.Fused, r.Gain, r.CI95[0], r.CI95[1])
	}
	t.Flush()
}
