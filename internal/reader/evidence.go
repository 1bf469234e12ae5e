package reader

import "math"

// Evidence is what a span is judged by beyond the lattice.
type Evidence [22 + kinds]float64

// Judgement says how likely a span is right by its evidence.
type Judgement Evidence

// P is the probability.
func (w *Judgement) P(e *Evidence) float64 {
	sum := 0.0
	for i, x := range e {
		sum += x * w[i]
	}
	return 1 / (1 + math.Exp(-sum))
}

func logit(p float64) float64 {
	p = min(max(p, 1e-3), 1-1e-3)
	return math.Log(p / (1 - p))
}

func evidence(s *Span, r run, pieces []piece, l *Lattice, length []int) (e Evidence) {
	mean, least, other := 0.0, 1.0, 0.0
	lines, sentences := 0.0, 0.0
	signs := 0
	for i := r.from; i <= r.to; i++ {
		k, o := l.keep(i)
		mean += k / float64(r.to-r.from+1)
		least = min(least, k)
		other = max(other, o)
		signs = max(signs, pieces[i].line.signs, 3*bit(pieces[i].line.fenced || pieces[i].line.marked || pieces[i].quoted))
		if i > r.from {
			switch pieces[i].before {
			case '.':
				sentences++
			case '\n', '\v':
				lines++
			}
		}
	}
	left, right := 0.0, 0.0
	starts, ends := 1.0, 1.0
	if r.from > 0 {
		left, _ = l.keep(r.from - 1)
		starts = boundary(pieces[r.from].before)
	}
	if r.to+1 < len(pieces) {
		right, _ = l.keep(r.to + 1)
		ends = boundary(pieces[r.to+1].before)
	}
	size := math.Log(float64(1 + length[r.to+1] - length[r.from]))
	e = Evidence{1, logit(s.P), logit(r.p), logit(least), mean, left, right, starts, ends,
		float64(bit(r.from == 0)), float64(bit(r.to+1 == len(pieces))), size, size * size, float64(r.to - r.from), sentences, lines,
		float64(signs), other, size * logit(s.P), starts * ends, left * starts, right * ends}
	for k := range kinds {
		e[22+k] = s.by[k+1] / s.P
	}
	return e
}

func boundary(before rune) float64 {
	if before == '.' || before == '\n' || before == '\v' || before == 0 {
		return 1
	}
	return 0
}
