package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"orihon/internal/eval"
)

// scoreTables prints the metrics, too many for one table, in three.
func scoreTables(w io.Writer, s *eval.Scores) {
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
		t := rightTable(w)
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

// injectionTable prints what an agent would get, and how long it takes.
func injectionTable(w io.Writer, r *eval.Result) {
	fmt.Fprintln(w, "\ninjected with the settings in effect (threshold, intent and budget on)")
	t := rightTable(w)
	fmt.Fprintln(t, "questions\tn\twith any\tpassages\ttokens\tprecision\trecall\t")
	for _, g := range r.Injection {
		fmt.Fprintf(t, "%s\t%d\t%s\t\n", g.Kind, g.Questions, given(&g))
	}
	t.Flush()
	if len(r.Took) > 0 {
		fmt.Fprintf(w, "\nrecall in process: p50 %.2f ms, p95 %.2f ms\n", ms(eval.Percentile(r.Took, 50)), ms(eval.Percentile(r.Took, 95)))
	}
}

// given are the columns of what was injected; only what has an answer can be right.
func given(g *eval.Injection) string {
	right := "-\t-"
	if g.Kind == eval.Answerable {
		right = fmt.Sprintf("%.4f\t%.4f", g.Precision, g.Recall)
	}
	return fmt.Sprintf("%.4f\t%.2f\t%.0f\t%s", g.Given, g.Passages, g.Tokens, right)
}

// curveTable prints injection by threshold.
func curveTable(w io.Writer, points []eval.Point) {
	fmt.Fprintln(w, "\nat a fixed threshold, without budget; tokens of whole turns")
	t := rightTable(w)
	fmt.Fprintln(t, "threshold\tquestions\twith any\tpassages\ttokens\tprecision\trecall\t")
	for _, p := range points {
		for _, g := range p.Groups {
			fmt.Fprintf(t, "%.2f\t%s\t%s\t\n", p.Threshold, g.Kind, given(&g))
		}
	}
	t.Flush()
}

// named are the metrics that tables of intervals show.
func named(metrics []string) []string {
	return slices.DeleteFunc([]string{"R@5", "R@10", "R@tok1024"}, func(m string) bool { return !slices.Contains(metrics, m) })
}

func setsTable(w io.Writer, all []*evaluated) {
	fmt.Fprintln(w, "\nall sets, with 95 % intervals")
	t := rightTable(w)
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
	t := rightTable(w)
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

func fusionTable(w io.Writer, rows []fusionRow) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintln(w, "\nfused with rankings of embedding models; gain over the ranking with its 95 % interval (paired)")
	t := rightTable(w)
	fmt.Fprintln(t, "model\tn\tmetric\tdense\tours\tfused\tgain\t")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%d\t%s\t%.4f\t%.4f\t%.4f\t%+.4f (%+.4f to %+.4f)\t\n", r.Model, r.N, r.Metric, r.Dense, r.Ours, r.Fused, r.Gain, r.CI95[0], r.CI95[1])
	}
	t.Flush()
}
