package reader

import "math"

// Evidence is what a span is judged by beyond the lattice.
type Evidence [facts + kinds]float64

const (
	facts  = 48
	hidden = 16
)

// Judgement says how likely a span is right by its evidence: a net of one hidden
// layer.
type Judgement struct {
	Mean, Scale Evidence // of what it was trained on
	Hidden      [hidden]Evidence
	Bias, Out   [hidden]float64
	All         float64
}

const judgementSize = (facts+kinds)*(2+hidden) + 2*hidden + 1

// numbers are all that it holds, in the order of model.bin.
func (w *Judgement) numbers() []*float64 {
	out := make([]*float64, 0, judgementSize)
	add := func(all []float64) {
		for i := range all {
			out = append(out, &all[i])
		}
	}
	add(w.Mean[:])
	add(w.Scale[:])
	for h := range w.Hidden {
		add(w.Hidden[h][:])
	}
	add(w.Bias[:])
	add(w.Out[:])
	return append(out, &w.All)
}

// P is the probability; Net is what the hidden layer says for it.
func (w *Judgement) P(e *Evidence) float64 {
	x := w.Of(e)
	net := w.Net(&x)
	sum := w.All
	for h, y := range net {
		sum += w.Out[h] * y
	}
	return 1 / (1 + math.Exp(-sum))
}

// Of is evidence as the net sees it.
func (w *Judgement) Of(e *Evidence) (out Evidence) {
	for i, x := range e {
		out[i] = (x - w.Mean[i]) * w.Scale[i]
	}
	return out
}

// Net is what the hidden layer says.
func (w *Judgement) Net(x *Evidence) (out [hidden]float64) {
	for h := range out {
		sum := w.Bias[h]
		for i, x := range x {
			sum += w.Hidden[h][i] * x
		}
		out[h] = math.Tanh(sum)
	}
	return out
}

func logit(p float64) float64 {
	p = min(max(p, 1e-3), 1-1e-3)
	return math.Log(p / (1 - p))
}

// reading is what the lattice says of a prompt.
type reading struct {
	pieces      []piece
	runs        []run
	length      []int // words before a piece
	keep, other []float64
	corrects    []float64         // that it is part of a correction
	begin, end  []float64         // that a statement begins, or ends, with a piece
	net         [][States]float64 // how likely each state is by the net
	netKeep     []float64         // that it is part of a statement, by the net
}

func read(p Prompt, l *Lattice, net *Pass) *reading {
	n := len(p.pieces)
	r := &reading{pieces: p.pieces, length: make([]int, n+1), keep: make([]float64, n), other: make([]float64, n), corrects: make([]float64, n), begin: make([]float64, n), end: make([]float64, n)}
	r.net, r.netKeep = make([][States]float64, n), make([]float64, n)
	for i, x := range p.pieces {
		r.net[i] = likely(&net.Scores[i])
		for s := others + 1; s < States; s++ {
			r.netKeep[i] += r.net[i][s]
		}
		r.length[i+1] = r.length[i] + Length(p.Text[x.from:x.to])
		r.keep[i], r.other[i] = l.keep(i)
		r.corrects[i] = l.State(i, Begins(Correction)) + l.State(i, Goes(Correction))
	}
	l.runs(longest, func(from, to int, by byKind) {
		const never = 1e-3
		x := run{from: from, to: to, by: by}
		for _, p := range by {
			x.p += p
		}
		r.begin[from] += x.p
		r.end[to] += x.p
		if x.p > never {
			r.runs = append(r.runs, x)
		}
	})
	return r
}

func (r *reading) words(from, to int) int { return r.length[to+1] - r.length[from] }

func (r *reading) evidence(s *Span) (e Evidence) {
	pieces := r.pieces
	mean, least, other, begins, ends := 0.0, 1.0, 0.0, 0.0, 0.0
	lines, sentences := 0.0, 0.0
	each, most := 1.0, 0.0 // the least of its sentences' likeliest pieces
	signs, correct := 0, 0.0
	for i := s.first; i <= s.last; i++ {
		mean += r.keep[i] * float64(r.words(i, i)) / float64(r.words(s.first, s.last))
		least = min(least, r.keep[i])
		correct = max(correct, r.corrects[i])
		other = max(other, r.other[i])
		signs = max(signs, pieces[i].line.signs, 3*bit(pieces[i].line.fenced || pieces[i].line.marked || pieces[i].quoted))
		if i > s.first {
			begins += r.begin[i]
			ends += r.end[i-1]
			switch pieces[i].before {
			case '.':
				sentences++
			case '\n', '\v':
				lines++
			}
			if boundary(pieces[i].before) > 0 {
				each, most = min(each, most), 0
			}
		}
		most = max(most, r.keep[i])
	}
	each = min(each, most)
	var inside, larger, crossing, own float64
	for _, o := range r.runs {
		switch {
		case o.to < s.first || o.from > s.last:
		case o.from >= s.first && o.to <= s.last:
			inside += o.p
			if 2*r.words(o.from, o.to) >= r.words(s.first, s.last) {
				larger += o.p
			}
			if o.from == s.first && o.to == s.last {
				own = o.p
			}
		default:
			crossing += o.p
		}
	}
	left, right := 0.0, 0.0
	starts, stops := 1.0, 1.0
	if s.first > 0 {
		left = r.keep[s.first-1]
		starts = boundary(pieces[s.first].before)
	}
	if s.last+1 < len(pieces) {
		right = r.keep[s.last+1]
		stops = boundary(pieces[s.last+1].before)
	}
	size := math.Log(float64(1 + r.words(s.first, s.last)))
	e = Evidence{logit(s.P), logit(own), logit(least), mean, left, right, starts, stops,
		float64(bit(s.first == 0)), float64(bit(s.last+1 == len(pieces))), size, size * size, float64(s.last - s.first), sentences, lines,
		float64(signs), other, size * logit(s.P), starts * stops, left * starts, right * stops,
		logit(inside), inside, logit(larger), logit(crossing), logit(each), logit(r.begin[s.first]), logit(r.end[s.last]), begins, ends, logit(most),
		float64(len(pieces)), logit(mean), float64(pieces[s.first].before)}
	e[33] = correct
	e[34] = logit(correct)
	for i := range pieces {
		if i < s.first || i > s.last {
			e[35] = max(e[35], r.corrects[i])
			e[36] = max(e[36], r.keep[i])
		}
	}
	e[37] = float64(bit(pieces[s.first].line.listed))
	r.byNet(s, e[38:facts])
	total := 1e-9
	for _, p := range s.by {
		total += p
	}
	for k := range kinds {
		e[facts+k] = s.by[k+1] / total
	}
	return e
}

// byNet fills in what the net holds of a span: ten numbers.
func (r *reading) byNet(s *Span, e []float64) {
	mean, least, most, other, goes, kind := 0.0, 1.0, 0.0, 0.0, 0.0, 0.0
	for i := s.first; i <= s.last; i++ {
		share := float64(r.words(i, i)) / float64(max(1, r.words(s.first, s.last)))
		mean += share * r.netKeep[i]
		least, most = min(least, r.netKeep[i]), max(most, r.netKeep[i])
		kind += share * (r.net[i][Begins(s.Kind)] + r.net[i][Goes(s.Kind)])
		for o := range others {
			other = max(other, r.net[i][Other(o)])
		}
	}
	begins := func(i int) (sum float64) {
		for k := range kinds {
			sum += r.net[i][Begins(Kind(k+1))]
		}
		return sum
	}
	left, right := 0.0, 0.0
	if s.first > 0 {
		left = r.netKeep[s.first-1]
	}
	if s.last+1 < len(r.pieces) {
		right = r.netKeep[s.last+1]
		goes = right - begins(s.last+1)
	}
	copy(e, []float64{logit(mean), mean, logit(least), logit(most), logit(left), logit(right), logit(begins(s.first)), logit(other), logit(goes), logit(kind)})
}

func boundary(before rune) float64 {
	if before == '.' || before == '\n' || before == '\v' || before == 0 {
		return 1
	}
	return 0
}
