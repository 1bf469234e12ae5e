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
func (s *Scores) Intervals(seed uint64) map[string]Interval {
	const draws = 1000
	if len(s.rows) == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, 0))
	means := make([][]float64, len(s.Metrics))
	sum := make([]float64, len(s.Metrics))
	for range draws {
		clear(sum)
		for range s.rows {
			for i, v := range s.rows[r.IntN(len(s.rows))].values {
				sum[i] += v
			}
		}
		for i, v := range sum {
			means[i] = append(means[i], v/float64(len(s.rows)))
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
