package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"orihon/internal/eval"
	"orihon/memory"
)

// evaluation is what one run of eval was asked for.
type evaluation struct {
	data, run, split     string
	dense                string
	skip, budgets, asked string
	ci, curve, ablate    bool
	seed                 uint64
}

func (a *app) evalCommand() *cobra.Command {
	var e evaluation
	cmd := &cobra.Command{
		Use:   "eval DATA...",
		Short: "Measure how well recall finds, on a data set",
		Long: "Measure how well recall finds. DATA is a file of conversations with questions, one\n" +
			"JSON object per line (.gz too):\n\n" +
			"  {\"id\", \"turns\": [{\"id\", \"session\", \"date\", \"speaker\", \"text\", \"caption\"}],\n" +
			"   \"questions\": [{\"id\", \"question\", \"category_name\", \"evidence\": [turn ids]}]}\n\n" +
			"Every conversation is written into a temporary home of its own and indexed as\n" +
			"sessions are. Speakers \"user\" and \"assistant\" are just those, any other is a\n" +
			"person; a turn without a session is remembered as a statement. Your own memory\n" +
			"is neither read nor changed.\n\n" +
			"Of several files, or of a folder, each is measured by itself and a table of all\n" +
			"follows. With --dense, RANKINGS holds what embedding models found, as lines of\n" +
			"{\"model\", \"id\": question, \"ranked\": [turn ids, nearest first]}: each is fused with\n" +
			"recall as the vectors of a strong model are.",
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error { return a.evalSets(cmd.Context(), &e, words) },
	}
	f := cmd.Flags()
	f.StringVar(&e.run, "run", "", "write what was found to this file: question_id rank turn_id")
	f.StringVar(&e.split, "split", "all", "all, dev (first half of the lines) or test (the rest)")
	f.StringVar(&e.skip, "skip", "adversarial", "categories to leave out of the ranking, with commas between")
	f.StringVar(&e.budgets, "budgets", "256,512,1024,2048,4096", "token budgets for recall within a budget")
	f.StringVar(&e.asked, "asked", "", "day on which the questions are asked (default the day after each conversation's last turn)")
	f.StringVar(&e.dense, "dense", "", "fuse recall with these rankings of embedding models")
	f.BoolVar(&e.ci, "ci", false, "print 95 % confidence intervals (bootstrap over the questions)")
	f.BoolVar(&e.curve, "curve", false, "print what would be injected at each threshold of relevance")
	f.BoolVar(&e.ablate, "ablate", false, "run once more without each stage of ranking, and print what it was worth")
	f.Uint64Var(&e.seed, "seed", 1, "seed of the confidence intervals")
	a.addFolds(cmd)
	a.addUpdates(cmd, &e)
	a.addSecrets(cmd, &e)
	return cmd
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
	if e.asked != "" {
		if asked, err = parseDay(e.asked); err != nil {
			return nil, err
		}
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
		if err := writeRanking(e.run, r.Ranking, data); err != nil {
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
		a.scores(w, r.Scores)
		if e.ci {
			intervalTables(w, r.Scores, intervals)
		}
		a.injection(w, r)
		if e.curve {
			curveTable(w, r.Curve)
		}
		ablationTable(w, ablated)
		fusionTable(w, fusion)
	}}, nil
}

func (e *evaluation) score() (*eval.ScoreOptions, error) {
	o := &eval.ScoreOptions{Budgets: []int{}, Skip: []string{}}
	for _, s := range fields(e.budgets) {
		n, err := strconv.Atoi(s)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("%w: --budgets %s: want numbers of tokens", errUsage, e.budgets)
		}
		o.Budgets = append(o.Budgets, n)
	}
	o.Skip = append(o.Skip, fields(e.skip)...)
	return o, nil
}

// fields are the parts between commas.
func fields(list string) []string {
	var out []string
	for s := range strings.SplitSeq(list, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func writeRanking(path string, r eval.Ranking, data []eval.Conversation) error {
	if err := confinedHere(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err := r.Write(f, data); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// scores prints the metrics, too many for one table, in three.
func (a *app) scores(w io.Writer, s *eval.Scores) {
	within := func(prefixes ...string) func(string) bool {
		return func(m string) bool {
			return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(m, p) })
		}
	}
	budgets := within("R@tok")
	for _, part := range []func(string) bool{
		func(m string) bool { return within("R@", "MRR", "nDCG")(m) && !budgets(m) },
		within("all@", "any@"),
		within("tok@", "R@tok"),
	} {
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
		fmt.Fprint(w, "\n")
		fmt.Fprint(t, "category\tn\t")
		for _, m := range s.Metrics {
			if part(m) {
				fmt.Fprint(t, m, "\t")
			}
		}
		fmt.Fprintln(t)
		for _, g := range s.Groups {
			fmt.Fprintf(t, "%s\t%d\t", g.Category, g.N)
			for i, m := range s.Metrics {
				switch {
				case !part(m):
				case strings.HasPrefix(m, "tok@"):
					fmt.Fprintf(t, "%.0f\t", g.Values[i])
				default:
					fmt.Fprintf(t, "%.4f\t", g.Values[i])
				}
			}
			fmt.Fprintln(t)
		}
		t.Flush()
	}
}

// injection prints what an agent would get, and how long it takes.
func (a *app) injection(w io.Writer, r *eval.Result) {
	fmt.Fprintln(w, "\ninjected with the settings in effect (threshold, intent and budget on)")
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "questions\tn\twith any\tpassages\ttokens\tprecision\trecall\t")
	for _, g := range r.Injection {
		right := "-\t-"
		if g.Kind == eval.Answerable {
			right = fmt.Sprintf("%.4f\t%.4f", g.Precision, g.Recall)
		}
		fmt.Fprintf(t, "%s\t%d\t%.4f\t%.2f\t%.0f\t%s\t\n", g.Kind, g.Questions, g.Given, g.Passages, g.Tokens, right)
	}
	t.Flush()
	if len(r.Took) > 0 {
		fmt.Fprintf(w, "\nrecall in process: p50 %.2f ms, p95 %.2f ms\n", ms(eval.Percentile(r.Took, 50)), ms(eval.Percentile(r.Took, 95)))
	}
}

// curveTable prints injection by threshold.
func curveTable(w io.Writer, points []eval.Point) {
	fmt.Fprintln(w, "\nat a fixed threshold, without budget; tokens of whole turns")
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "threshold\tquestions\twith any\tpassages\ttokens\tprecision\trecall\t")
	for _, p := range points {
		for _, g := range p.Groups {
			right := "-\t-"
			if g.Kind == eval.Answerable {
				right = fmt.Sprintf("%.4f\t%.4f", g.Precision, g.Recall)
			}
			fmt.Fprintf(t, "%.2f\t%s\t%.4f\t%.2f\t%.0f\t%s\t\n", p.Threshold, g.Kind, g.Given, g.Passages, g.Tokens, right)
		}
	}
	t.Flush()
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
