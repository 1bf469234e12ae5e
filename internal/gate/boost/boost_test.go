package boost

import (
	"math/rand/v2"
	"testing"
)

func TestAModelLearnsWhatDecides(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	made := func(n int) []Example {
		var out []Example
		for range n {
			s := []float64{random.Float64(), random.Float64(), random.Float64()}
			wanted := s[0] > 0.6 && s[2] < 0.5 // the second says nothing
			if random.Float64() < 0.1 {
				wanted = !wanted
			}
			out = append(out, Example{Signals: s, Wanted: wanted, Weight: 1})
		}
		return out
	}
	m := Settings{Trees: 60, Depth: 2, Rate: 0.2, Leaf: 5, Penalty: 1}.Fit(made(2000))
	for _, tt := range []struct {
		signals   []float64
		low, high float64
	}{
		{[]float64{0.9, 0.1, 0.2}, 0.75, 1},
		{[]float64{0.9, 0.9, 0.2}, 0.75, 1},
		{[]float64{0.9, 0.5, 0.8}, 0, 0.25},
		{[]float64{0.2, 0.5, 0.2}, 0, 0.25},
	} {
		if p := m.Probability(tt.signals); p < tt.low || p > tt.high {
			t.Errorf("%v: %.2f, want %g to %g", tt.signals, p, tt.low, tt.high)
		}
	}
}
