package main

import (
	"math"
	"slices"

	"orihon/internal/gate"
)

// row is one passage for one prompt, with what a person said of it.
type row struct {
	signals []float64
	wanted  bool
	weight  float64 // 0 for what is no harm and not needed
	prompt  int     // which prompt of all
	author  string
}

// boosting are the settings of gradient boosting (Friedman 2001) with the second
// derivative of the logistic loss.
type boosting struct {
	trees, depth int
	rate         float64
	leaf         float64 // weight of second derivatives that a value needs
	penalty      float64 // on values
}

var usual = boosting{trees: 200, depth: 4, rate: 0.09, leaf: 25, penalty: 20}

const bins = 32

// fit fits a model to rows.
func (b boosting) fit(rows []row) *gate.Model {
	if len(rows) == 0 {
		return &gate.Model{}
	}
	features := len(rows[0].signals)
	limits := make([][]float64, features)
	binned := make([][]uint8, features)
	for f := range features {
		values := make([]float64, len(rows))
		for i := range rows {
			values[i] = rows[i].signals[f]
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
		all += r.weight
		if r.wanted {
			wanted += r.weight
		}
	}
	m := &gate.Model{Bias: math.Log(wanted / (all - wanted))}
	scores := make([]float64, len(rows))
	for i := range scores {
		scores[i] = m.Bias
	}
	gradient, second := make([]float64, len(rows)), make([]float64, len(rows))
	for range b.trees {
		for i, r := range rows {
			p := 1 / (1 + math.Exp(-scores[i]))
			y := 0.0
			if r.wanted {
				y = 1
			}
			gradient[i], second[i] = r.weight*(y-p), r.weight*p*(1-p)
		}
		t := b.grow(binned, limits, gradient, second)
		for i := range rows {
			n := 0
			for n < len(t.Signal) {
				if rows[i].signals[t.Signal[n]] <= t.Limit[n] {
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
func (b boosting) grow(binned [][]uint8, limits [][]float64, gradient, second []float64) gate.Tree {
	nodes := 1<<b.depth - 1
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
		t.Value[k] = b.rate * g / (h + b.penalty)
	}
	return t
}

// split finds the signal and the limit that part the rows of a node best.
func (b boosting) split(members []int32, binned [][]uint8, limits [][]float64, gradient, second []float64) (signal int, limit float64) {
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
			if leftH < b.leaf || rightH < b.leaf {
				continue
			}
			gain := leftG*leftG/(leftH+b.penalty) + rightG*rightG/(rightH+b.penalty) - allG*allG/(allH+b.penalty)
			if gain > best {
				best, signal, limit = gain, f, l
			}
		}
	}
	return signal, limit
}
