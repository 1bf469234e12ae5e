package main

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"orihon/internal/reader"
)

// settings of the training.
type settings struct {
	epochs  int
	rate    float64 // length of the first steps; of the last it is a tenth
	drop    float64 // share of the features left out at each step
	prompts int     // a feature must stand in that many prompts
	voices  int     // of that many voices
	slots   int     // in the table, of which features fill at most nine tenths
	folds   int     // of the cross-validation
	seed    uint64
}

// learner is a model on its way.
type learner struct {
	settings
	id      map[uint32]int32 // of a feature
	weights []reader.Scores  // of each
	meaning [reader.Dimensions]reader.Scores
	next    reader.Transitions

	// The squares of all gradients so far: a weight that was moved much is moved less.
	squares struct {
		weights []reader.Scores
		meaning [reader.Dimensions]reader.Scores
		next    reader.Transitions
	}
	columns [reader.States][]int
}

// learn trains the weights by which the labels of data are likeliest. When the table
// cannot hold all features, those that say most are trained once more, alone.
func learn(data []*prompt, s settings) *reader.Weights {
	net := make(chan *reader.Net, 1)
	go func() { net <- learnNet(data, s) }()
	often := vocabulary(data, s, func(f *reader.Features) []uint32 { return f.Hashes })
	w := train(data, often, s)
	if room := 9 * s.slots / 10; len(often) > room {
		w = train(data, telling(w, often, room), s)
	}
	w.Net = <-net
	return w
}

// telling are the features that move scores most, by their weights and how often
// they stand in a prompt.
func telling(w *reader.Weights, often map[uint32]int, room int) map[uint32]int {
	says := func(h uint32) float64 {
		sum := 0.0
		for _, x := range w.Features[h] {
			sum += float64(x) * float64(x)
		}
		return sum * float64(often[h])
	}
	all := slices.SortedFunc(maps.Keys(often), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(says(b), says(a)), cmp.Compare(a, b))
	})
	out := make(map[uint32]int, room)
	for _, h := range all[:room] {
		out[h] = often[h]
	}
	return out
}

// train goes through the data one prompt at a time. The weights are the mean of those
// after each epoch of the second half.
func train(data []*prompt, often map[uint32]int, s settings) *reader.Weights {
	l := &learner{settings: s, id: make(map[uint32]int32, len(often))}
	for i, h := range slices.Sorted(maps.Keys(often)) {
		l.id[h] = int32(i)
	}
	l.weights, l.squares.weights = make([]reader.Scores, len(l.id)), make([]reader.Scores, len(l.id))
	for state := range l.columns {
		for _, c := range reader.ColumnsOf(state) {
			if c >= 0 {
				l.columns[state] = append(l.columns[state], c)
			}
		}
	}
	w := &reader.Weights{Features: make(map[uint32]reader.Scores, len(l.id))}
	rng := rand.New(rand.NewPCG(s.seed, 1))
	for e := range s.epochs {
		rate := s.rate * (1 - 0.9*float64(e)/float64(s.epochs))
		for _, i := range rng.Perm(len(data)) {
			l.step(data[i], l.draw(data[i], rng), rate)
		}
		if e >= s.epochs/2 {
			l.sum(w, 1/float32(s.epochs-s.epochs/2))
		}
	}
	return w
}

// sum adds a share of the weights as they are to others.
func (l *learner) sum(w *reader.Weights, share float32) {
	add := func(to *reader.Scores, from *reader.Scores, share float32) {
		for c, x := range from {
			to[c] += share * x
		}
	}
	for h, n := range l.id {
		all := w.Features[h]
		add(&all, &l.weights[n], share*float32(1-l.drop)) // all are there when it is used
		w.Features[h] = all
	}
	for d := range l.meaning {
		add(&w.Meaning[d], &l.meaning[d], share)
	}
	for b := range l.next {
		for state, x := range l.next[b] {
			w.Next[b][state] += share * x
		}
	}
}

// draw are the features of a prompt's pieces, some left out, so that none comes to
// rely on another.
func (l *learner) draw(p *prompt, rng *rand.Rand) [][]int32 {
	out := make([][]int32, len(p.Features))
	for i, f := range p.Features {
		out[i] = make([]int32, 0, len(f.Hashes))
		for _, h := range f.Hashes {
			if n, ok := l.id[h]; ok && rng.Float64() >= l.drop {
				out[i] = append(out[i], n)
			}
		}
	}
	return out
}

// step goes one step along the gradient of the likelihood of a prompt's labels.
func (l *learner) step(p *prompt, ids [][]int32, rate float64) {
	scores := make([]reader.Scores, len(ids))
	for i, list := range ids {
		s := &scores[i]
		for _, n := range list {
			for c, x := range l.weights[n] {
				s[c] += x
			}
		}
		for d, x := range p.Features[i].Meaning {
			for c := range s {
				s[c] += x * l.meaning[d][c]
			}
		}
	}
	lattice := reader.NewLattice(scores, &l.next)
	for i, list := range ids {
		by := l.gradient(p, lattice, i)
		var moved []int // what is all but settled is left alone
		for c, d := range by {
			if math.Abs(float64(d)) > 1e-3 {
				moved = append(moved, c)
			}
		}
		for _, n := range list {
			for _, c := range moved {
				update(&l.weights[n][c], &l.squares.weights[n][c], by[c], rate)
			}
		}
		for d, x := range p.Features[i].Meaning {
			for _, c := range moved {
				update(&l.meaning[d][c], &l.squares.meaning[d][c], by[c]*x, rate)
			}
		}
		l.stepNext(p, lattice, i, rate)
	}
}

// gradient is by how much each column of a piece is to be higher.
func (l *learner) gradient(p *prompt, lattice *reader.Lattice, i int) (by reader.Scores) {
	for state := range reader.States {
		d := one(p.state[i] == state) - lattice.State(i, state)
		for _, c := range l.columns[state] {
			by[c] += float32(d)
		}
		for b := range reader.States {
			if i > 0 && reader.Leaves(b, state) {
				by[reader.ColumnLeave] += float32(one(p.state[i] == state && p.state[i-1] == b) - lattice.Step(i, b, state))
			}
		}
	}
	return by
}

// stepNext is the step of the transitions to a piece.
func (l *learner) stepNext(p *prompt, lattice *reader.Lattice, i int, rate float64) {
	for state := range reader.States {
		is := p.state[i] == state
		if i == 0 {
			update(&l.next[reader.States][state], &l.squares.next[reader.States][state], float32(one(is)-lattice.State(0, state)), rate)
			continue
		}
		for b := range reader.States {
			update(&l.next[b][state], &l.squares.next[b][state], float32(one(is && p.state[i-1] == b)-lattice.Step(i, b, state)), rate)
		}
	}
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// update goes one step for one weight.
func update(w, squares *float32, gradient float32, rate float64) {
	*squares += gradient * gradient
	*w += float32(rate) * gradient / float32(math.Sqrt(float64(*squares)+0.1))
}
