package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

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

// eval measures one set.
func (a *app) eval(ctx context.Context, e *evaluation) (*evaluated, error) {
	o, err := a.options()
	if err != nil {
		return nil, err
	}
	score, err := e.score()
	if err != nil {
		return nil, err
	}
	var dense []eval.Dense
	if e.dense != "" {
		if dense, err = eval.ReadDense(e.dense); err != nil {
			return nil, err
		}
	}
	var asked time.Time
	if err := readDay(e.asked, &asked); err != nil {
		return nil, err
	}
	data, err := eval.Read(e.data)
	if err != nil {
		return nil, err
	}
	if data, err = eval.Split(data, e.split); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "orihon-eval-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	step, end := a.progress("conversations of " + filepath.Base(e.data))
	r, err := eval.Run(ctx, data, &eval.Options{
		Dir: dir, Settings: o.Settings, Score: score, Asked: asked, Dense: dense, Logger: o.Logger,
		Progress: func(done, all int) { step(done+1, all) },
	})
	end()
	if err != nil {
		return nil, err
	}
	if e.run != "" {
		if err := createHere(e.run, func(w io.Writer) error { return r.Ranking.Write(w, data) }); err != nil {
			return nil, err
		}
	}
	var ablated []ablation
	if e.ablate {
		if ablated, err = a.ablate(ctx, e, data, r.Scores, &eval.Options{Dir: dir, Settings: o.Settings, Score: score, Asked: asked, Logger: o.Logger}); err != nil {
			return nil, err
		}
	}
	var fusion []fusionRow
	if e.dense != "" {
		if fusion = fusionRows(r, e.seed); len(fusion) == 0 {
			return nil, fmt.Errorf("%s: %w: no ranking names a question of %s", e.dense, memory.ErrInvalid, e.data)
		}
	}
	intervals := r.Scores.GroupIntervals(e.seed)
	return &evaluated{filepath.Base(e.data), r, intervals[0], e.json(r, intervals, ablated, fusion), func(w io.Writer) {
		fmt.Fprintf(w, "%s: %s, %s, %s; indexed in %.1f s\n", filepath.Base(e.data), plural(r.Conversations, "conversation"), plural(r.Turns, "turn"), plural(r.Questions, "question"), r.Indexed.Seconds())
		scoreTables(w, r.Scores)
		if e.ci {
			intervalTables(w, r.Scores, intervals)
		}
		injectionTable(w, r)
		if e.curve {
			curveTable(w, r.Curve)
		}
		ablationTable(w, ablated)
		fusionTable(w, fusion)
	}}, nil
}

func (e *evaluation) score() (*eval.ScoreOptions, error) {
	o := &eval.ScoreOptions{Budgets: []int{}, Skip: orEmpty(fields(e.skip))}
	for _, s := range fields(e.budgets) {
		n, err := strconv.Atoi(s)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("%w: --budgets %s: want numbers of tokens", errUsage, e.budgets)
		}
		o.Budgets = append(o.Budgets, n)
	}
	return o, nil
}

func (e *evaluation) json(r *eval.Result, intervals []map[string]eval.Interval, ablated []ablation, fusion []fusionRow) any {
	var groups []map[string]any
	for n, g := range r.Scores.Groups {
		metrics := make(map[string]any)
		for i, m := range r.Scores.Metrics {
			if v := g.Values[i]; !math.IsNaN(v) {
				metrics[m] = math.Round(v*1e5) / 1e5
			}
		}
		groups = append(groups, map[string]any{"category": g.Category, "n": g.N, "metrics": metrics, "ci95": pairs(intervals[n])})
	}
	var injected []map[string]any
	for _, g := range r.Injection {
		row := map[string]any{"questions": g.Kind, "n": g.Questions, "with_any": g.Given, "passages": g.Passages, "tokens": g.Tokens}
		if g.Kind == eval.Answerable {
			row["precision"], row["recall"] = g.Precision, g.Recall
		}
		injected = append(injected, row)
	}
	out := map[string]any{
		"data": filepath.Base(e.data), "split": e.split, "conversations": r.Conversations, "turns": r.Turns, "questions": r.Questions,
		"scores": groups, "ci95": pairs(intervals[0]), "injection": injected, "indexed_ms": ms(r.Indexed), "version": version(),
	}
	if e.curve {
		out["curve"] = r.Curve
	}
	if e.ablate {
		out["ablation"] = ablated
	}
	if e.dense != "" {
		out["fusion"] = fusion
	}
	if len(r.Took) > 0 {
		out["recall_ms"] = map[string]float64{"p50": ms(eval.Percentile(r.Took, 50)), "p95": ms(eval.Percentile(r.Took, 95))}
	}
	return out
}
