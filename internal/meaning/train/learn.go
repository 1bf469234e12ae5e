package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Settings of a training. The loss is the symmetric in-batch softmax of
// Henderson et al. 2017 ("Efficient natural language response suggestion") over
// cosines of mean word vectors.
type settings struct {
	dimensions int
	batch      int
	epochs     float64
	rate       float64 // of Adam (Kingma & Ba 2015)
	scale      float64 // of cosines in the softmax
	apart      float64 // share of samples that lose the words both texts have
	dropped    float64 // share of the words of a longer text that are left out
	switched   float64 // share of texts of which some words change language
	seed       uint64
	workers    int
}

var usual = settings{dimensions: 256, batch: 512, epochs: 10, rate: 0.05, scale: 20, apart: 0.4, dropped: 0.1, switched: 0.3, seed: 1, workers: 2}

// learner holds the vectors and Adam's moments, row by row.
type learner struct {
	settings
	c       *corpus
	rng     *rand.Rand
	vectors []float32
	first   []float32
	second  []float32
	steps   int
}

// learn trains the vectors of a corpus's vocabulary.
func learn(c *corpus, s settings, log io.Writer) []float32 {
	l := &learner{settings: s, c: c, rng: rand.New(rand.NewPCG(s.seed, 7))}
	n := len(c.vocabulary) * s.dimensions
	l.vectors, l.first, l.second = make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range l.vectors {
		l.vectors[i] = float32(l.rng.NormFloat64())
	}
	batches := l.epoch()
	total := int(float64(len(batches)) * s.epochs)
	fmt.Fprintf(log, "%d words, %d batches an epoch, %d in all\n", len(c.vocabulary), len(batches), total)
	began, mean := time.Now(), 0.0
	for step, at := 0, 0; step < total; step, at = step+1, at+1 {
		if at == len(batches) {
			batches, at = l.epoch(), 0
		}
		progress := float64(step) / float64(total)
		rate := s.rate * math.Min(1, float64(step+1)/(0.05*float64(total))) * math.Max(0.02, 1-progress)
		loss := l.step(batches[at], rate)
		if step == 0 {
			mean = loss
		}
		mean = 0.97*mean + 0.03*loss
		if step%100 == 99 {
			fmt.Fprintf(log, "%5d loss %.3f %s\n", step+1, mean, time.Since(began).Round(time.Second))
		}
	}
	return l.vectors
}

// epoch draws the batches of one epoch in a random order.
func (l *learner) epoch() [][]sample {
	var out [][]sample
	for _, p := range append(slices.Clone(l.c.pools), l.c.concepts(l.rng), l.c.associations(l.rng)) {
		var drawn []sample
		for left := p.times; left > 0; left-- {
			order := l.rng.Perm(len(p.samples))
			if left < 1 {
				order = order[:int(left*float64(len(order)))]
			}
			for _, i := range order {
				drawn = append(drawn, p.samples[i])
			}
		}
		if half := len(drawn) / 2; p.bySet {
			slices.SortStableFunc(drawn[:half], func(a, b sample) int { return int(a.set) - int(b.set) })
		}
		for i := 0; i+l.batch/4 <= len(drawn); i += l.batch {
			out = append(out, drawn[i:min(len(drawn), i+l.batch)])
		}
	}
	l.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// change makes of a text what this step sees of it.
func (l *learner) change(text, other []int32) []int32 {
	out := slices.Clone(text)
	if l.rng.Float64() < l.apart {
		if rest := slices.DeleteFunc(slices.Clone(out), func(t int32) bool { return slices.Contains(other, t) }); len(rest) > 0 {
			out = rest
		}
	}
	if len(out) > 4 {
		if rest := slices.DeleteFunc(slices.Clone(out), func(int32) bool { return l.rng.Float64() < l.dropped }); len(rest) > 0 {
			out = rest
		}
	}
	if len(out) > 2 && l.rng.Float64() < l.switched {
		for i, t := range out {
			if twins := l.c.twins[t]; len(twins) > 0 && l.rng.Float64() < 0.35 {
				out[i] = twins[l.rng.IntN(len(twins))]
			}
		}
	}
	return out
}

// side is one half of a batch: texts, their unit vectors and lengths.
type side struct {
	texts [][]int32
	unit  []float32
	size  []float32
	grad  []float32
}

func (l *learner) encode(texts [][]int32) *side {
	d := l.dimensions
	s := &side{texts: texts, unit: make([]float32, len(texts)*d), size: make([]float32, len(texts)), grad: make([]float32, len(texts)*d)}
	for i, text := range texts {
		row := s.unit[i*d : i*d+d]
		for _, t := range text {
			for k, v := range l.vectors[int(t)*d : int(t)*d+d] {
				row[k] += v
			}
		}
		var sum float32
		for k := range row {
			row[k] /= float32(len(text))
			sum += row[k] * row[k]
		}
		s.size[i] = float32(math.Sqrt(float64(sum))) + 1e-9
		for k := range row {
			row[k] /= s.size[i]
		}
	}
	return s
}

// step takes one batch and returns its loss.
func (l *learner) step(batch []sample, rate float64) float64 {
	n, d := len(batch), l.dimensions
	as, bs := make([][]int32, n), make([][]int32, n)
	for i, s := range batch {
		as[i], bs[i] = l.change(s.a, s.b), s.b
		if l.rng.Float64() < 0.5 {
			bs[i] = l.change(s.b, nil)
		}
	}
	a, b := l.encode(as), l.encode(bs)
	scores := make([]float32, n*n)
	l.parallel(n, func(from, to int) { product(scores, a.unit, b.unit, from, to, n, d) })
	scale := float32(l.scale)
	masked := func(i, j int) bool {
		x, y := &batch[i], &batch[j]
		return i != j && (x.ha == y.ha || x.hb == y.hb || x.ha == y.hb || x.hb == y.ha || x.group >= 0 && x.group == y.group)
	}
	// The gradient of both softmaxes by the scores; columns need sums over rows.
	top, sum := make([]float32, n), make([]float64, n)
	for j := range n {
		top[j] = -1e9
	}
	var loss float64
	rows := make([]float32, n*n)
	for i := range n {
		row := scores[i*n : i*n+n]
		most := float32(-1e9)
		for j := range row {
			row[j] *= scale
			if masked(i, j) {
				row[j] = -1e9
			}
			most = max(most, row[j])
			top[j] = max(top[j], row[j])
		}
		var total float64
		for j, s := range row {
			if s > -1e8 {
				e := math.Exp(float64(s - most))
				rows[i*n+j] = float32(e)
				total += e
			}
		}
		for j := range row {
			rows[i*n+j] /= float32(total)
		}
		loss += math.Log(total) + float64(most-row[i])
	}
	for i := range n {
		for j, s := range scores[i*n : i*n+n] {
			if s > -1e8 {
				scores[i*n+j] = float32(math.Exp(float64(s - top[j])))
				sum[j] += float64(scores[i*n+j])
			} else {
				scores[i*n+j] = 0
			}
		}
	}
	weight := scale / float32(2*n)
	for i := range n {
		for j := range n {
			g := rows[i*n+j] + scores[i*n+j]/float32(sum[j])
			if i == j {
				g -= 2
			}
			rows[i*n+j] = g * weight
		}
	}
	l.parallel(n, func(from, to int) { combine(a.grad, rows, b.unit, from, to, n, d) })
	flipped := make([]float32, n*n)
	for i := range n {
		for j := range n {
			flipped[j*n+i] = rows[i*n+j]
		}
	}
	l.parallel(n, func(from, to int) { combine(b.grad, flipped, a.unit, from, to, n, d) })
	l.update(rate, a, b)
	return loss / float64(n)
}

// update carries the gradients of both sides to the words and moves those by Adam.
func (l *learner) update(rate float64, sides ...*side) {
	d := l.dimensions
	grads := make(map[int32][]float32)
	for _, s := range sides {
		for i, text := range s.texts {
			g, u := s.grad[i*d:i*d+d], s.unit[i*d:i*d+d]
			var along float32
			for k := range g {
				along += g[k] * u[k]
			}
			share := 1 / (s.size[i] * float32(len(text)))
			for k := range g {
				g[k] = (g[k] - along*u[k]) * share
			}
			for _, t := range text {
				row := grads[t]
				if row == nil {
					row = make([]float32, d)
					grads[t] = row
				}
				for k := range g {
					row[k] += g[k]
				}
			}
		}
	}
	const b1, b2 = 0.9, 0.99
	l.steps++
	step := float32(rate * math.Sqrt(1-math.Pow(b2, float64(l.steps))) / (1 - math.Pow(b1, float64(l.steps))))
	for t, g := range grads {
		at := int(t) * d
		v, m, q := l.vectors[at:at+d], l.first[at:at+d], l.second[at:at+d]
		for k := range g {
			m[k] = b1*m[k] + (1-b1)*g[k]
			q[k] = b2*q[k] + (1-b2)*g[k]*g[k]
			v[k] -= step * m[k] / (float32(math.Sqrt(float64(q[k]))) + 1e-8)
		}
	}
}

func (l *learner) parallel(n int, work func(from, to int)) {
	var wg sync.WaitGroup
	for w := range l.workers {
		wg.Go(func() { work(n*w/l.workers, n*(w+1)/l.workers) })
	}
	wg.Wait()
}

// product writes rows from to to of a·bᵀ, two by four at a time.
func product(out, a, b []float32, from, to, n, d int) {
	for i := from; i < to; i++ {
		x := a[i*d : i*d+d]
		j := 0
		for ; j+4 <= n; j += 4 {
			y0, y1, y2, y3 := b[j*d:j*d+d], b[(j+1)*d:(j+1)*d+d], b[(j+2)*d:(j+2)*d+d], b[(j+3)*d:(j+3)*d+d]
			var s0, s1, s2, s3 float32
			for k, v := range x {
				s0 += v * y0[k]
				s1 += v * y1[k]
				s2 += v * y2[k]
				s3 += v * y3[k]
			}
			out[i*n+j], out[i*n+j+1], out[i*n+j+2], out[i*n+j+3] = s0, s1, s2, s3
		}
		for ; j < n; j++ {
			var s float32
			for k, v := range x {
				s += v * b[j*d+k]
			}
			out[i*n+j] = s
		}
	}
}

// combine writes rows from to to of w·b.
func combine(out, w, b []float32, from, to, n, d int) {
	for i := from; i < to; i++ {
		row := out[i*d : i*d+d]
		j := 0
		for ; j+4 <= n; j += 4 {
			w0, w1, w2, w3 := w[i*n+j], w[i*n+j+1], w[i*n+j+2], w[i*n+j+3]
			y0, y1, y2, y3 := b[j*d:j*d+d], b[(j+1)*d:(j+1)*d+d], b[(j+2)*d:(j+2)*d+d], b[(j+3)*d:(j+3)*d+d]
			for k := range row {
				row[k] += w0*y0[k] + w1*y1[k] + w2*y2[k] + w3*y3[k]
			}
		}
		for ; j < n; j++ {
			v := w[i*n+j]
			for k := range row {
				row[k] += v * b[j*d+k]
			}
		}
	}
}
