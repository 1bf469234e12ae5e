package main

import (
	"math/rand/v2"
	"testing"
)

func TestAModelLearnsWhatDecides(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	made := func(n int) []row {
		var out []row
		for range n {
			s := []float64{random.Float64(), random.Float64(), random.Float64()}
			wanted := s[0] > 0.6 && s[2] < 0.5 // the second says nothing
			if random.Float64() < 0.1 {
				wanted = !wanted
			}
			out = append(out, row{signals: s, wanted: wanted, weight: 1})
		}
		return out
	}
	m := boosting{trees: 60, depth: 2, rate: 0.2, leaf: 5, penalty: 1}.fit(made(2000))
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
