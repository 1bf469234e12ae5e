// Package boost fits the sums of small decision trees of package gate to judged
// examples: what was measured of something, and whether it is what is looked for. It
// knows neither where examples come from nor what a model is worth: the commands that
// fit models do. Nothing of it is in the program.
//
// Start with [Settings.Fit].
package boost

import (
	"math"
	"slices"

	"orihon/internal/gate"
)

// Example is what was measured of something, with whether it is what is looked for.
type Example struct {
	Signals []float64
	Wanted  bool
	Weight  float64 // how much it counts; 0 for nothing
}

// Settings are those of gradient boosting (Friedman 2001) with the second
// derivative of the logistic loss.
type Settings struct {
	Trees, Depth int
	Rate         float64
	Leaf         float64 // weight of second derivatives that a value needs
	Penalty      float64 // on values
}

const bins = 32

// Fit fits a model to examples.
func (b Settings) Fit(rows []Example) *gate.Model {
	if len(rows) == 0 {
		return &gate.Model{}
	}
	features := len(rows[0].Signals)
	limits := make([][]float64, features)
	binned := make([][]uint8, features)
	for f := range features {
		values := make([]float64, len(rows))
		for i := range rows {
			values[i] = rows[i].Signals[f]
		}
		order := slices.Clone(values)
		slices.Sort(order)
		for k := 1; k < bins; k++ {
			l := order[k*len(order)/bins]
			if n := len(limits[f]); n == 0 || l > limits[f][n-1] {
				limits[f] = append(limits[f], l)
			}
		}
		binned[f] = make([]uint8, len(rows))
		for i, v := range values {
			at, _ := slices.BinarySearch(limits[f], v)
			binned[f][i] = uint8(at)
		}
	}
	var wanted, all float64
	for _, r := range rows {
		all += r.Weight
		if r.Wanted {
			wanted += r.Weight
		}
	}
	m := &gate.Model{Bias: math.Log(wanted / (all - wanted))}
	scores := make([]float64, len(rows))
	for i := range scores {
		scores[i] = m.Bias
	}
	gradient, second := make([]float64, len(rows)), make([]float64, len(rows))
	for range b.Trees {
		for i, r := range rows {
			p := 1 / (1 + math.Exp(-scores[i]))
			y := 0.0
			if r.Wanted {
				y = 1
			}
			gradient[i], second[i] = r.Weight*(y-p), r.Weight*p*(1-p)
		}
		t := b.grow(binned, limits, gradient, second)
		for i := range rows {
			n := 0
			for n < len(t.Signal) {
				if rows[i].Signals[t.Signal[n]] <= t.Limit[n] {
					n = 2*n + 1
				} else {
					n = 2*n + 2
				}
			}
			scores[i] += t.Value[n-len(t.Signal)]
		}
		m.Trees = append(m.Trees, t)
	}
	return m
}

// grow makes a complete tree, level by level.
func (b Settings) grow(binned [][]uint8, limits [][]float64, gradient, second []float64) gate.Tree {
	nodes := 1<<b.Depth - 1
	t := gate.Tree{Signal: make([]int, nodes), Limit: make([]float64, nodes), Value: make([]float64, nodes+1)}
	members := make([][]int32, 2*nodes+1) // rows at each node
	members[0] = make([]int32, len(gradient))
	for i := range gradient {
		members[0][i] = int32(i)
	}
	for n := range nodes {
		t.Signal[n], t.Limit[n] = b.split(members[n], binned, limits, gradient, second)
		for _, i := range members[n] {
			bin, of := int(binned[t.Signal[n]][i]), limits[t.Signal[n]]
			next := 2*n + 2
			if math.IsInf(t.Limit[n], 1) || bin < len(of) && of[bin] <= t.Limit[n] {
				next = 2*n + 1
			}
			members[next] = append(members[next], i)
		}
	}
	for k := range t.Value {
		var g, h float64
		for _, i := range members[nodes+k] {
			g += gradient[i]
			h += second[i]
		}
		t.Value[k] = b.Rate * g / (h + b.Penalty)
	}
	return t
}

// split finds the signal and the limit that part the rows of a node best.
func (b Settings) split(members []int32, binned [][]uint8, limits [][]float64, gradient, second []float64) (signal int, limit float64) {
	limit = math.Inf(1)
	best := 1e-9
	for f := range binned {
		var g, h [bins + 1]float64
		for _, i := range members {
			g[binned[f][i]] += gradient[i]
			h[binned[f][i]] += second[i]
		}
		var allG, allH float64
		for k := range g {
			allG += g[k]
			allH += h[k]
		}
		var leftG, leftH float64
		for k, l := range limits[f] {
			leftG += g[k]
			leftH += h[k]
			rightG, rightH := allG-leftG, allH-leftH
			if leftH < b.Leaf || rightH < b.Leaf {
				continue
			}
			gain := leftG*leftG/(leftH+b.Penalty) + rightG*rightG/(rightH+b.Penalty) - allG*allG/(allH+b.Penalty)
			if gain > best {
				best, signal, limit = gain, f, l
			}
		}
	}
	return signal, limit
}
