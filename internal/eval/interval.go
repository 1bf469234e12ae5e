package eval

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Interval is a 95 % confidence interval.
type Interval struct{ Low, High float64 }

// Intervals estimates, by drawing the questions a thousand times with
// replacement, how far each metric over all questions might have come out
// otherwise. The same seed gives the same intervals. Tokens have none.
func (s *Scores) Intervals(seed uint64) map[string]Interval { return s.intervals(s.rows, seed) }

// GroupIntervals are [Scores.Intervals] of each of [Scores.Groups], in order.
func (s *Scores) GroupIntervals(seed uint64) []map[string]Interval {
	out := []map[string]Interval{s.Intervals(seed)}
	for _, g := range s.Groups[1:] {
		var rows []row
		for _, r := range s.rows {
			if r.category == g.Category {
				rows = append(rows, r)
			}
		}
		out = append(out, s.intervals(rows, seed))
	}
	return out
}

func (s *Scores) intervals(rows []row, seed uint64) map[string]Interval {
	const draws = 1000
	if len(rows) == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, 0))
	means := make([][]float64, len(s.Metrics))
	sum := make([]float64, len(s.Metrics))
	for range draws {
		clear(sum)
		for range rows {
			for i, v := range rows[r.IntN(len(rows))].values {
				sum[i] += v
			}
		}
		for i, v := range sum {
			means[i] = append(means[i], v/float64(len(rows)))
		}
	}
	out := make(map[string]Interval)
	for i, name := range s.Metrics {
		if !strings.HasPrefix(name, "tok@") {
			slices.Sort(means[i])
			out[name] = Interval{means[i][draws*25/1000], means[i][draws*975/1000]}
		}
	}
	return out
}

// Difference is by how much one ranking is better than another, with its 95 %
// confidence interval.
type Difference struct{ Mean, Low, High float64 }

// Against is by how much s is better than other in each metric. Both must score
// the same questions, which are drawn in pairs: that is sharper than whether two
// intervals overlap. Tokens have no difference.
func (s *Scores) Against(other *Scores, seed uint64) map[string]Difference {
	rows := make([]row, len(s.rows))
	for i, r := range s.rows {
		values := slices.Clone(r.values)
		for j := range values {
			values[j] -= other.rows[i].values[j]
		}
		rows[i] = row{r.category, values}
	}
	mean := s.mean(rows)
	out := make(map[string]Difference)
	for m, in := range s.intervals(rows, seed) {
		out[m] = Difference{mean[slices.Index(s.Metrics, m)], in.Low, in.High}
	}
	return out
}
