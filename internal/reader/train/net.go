package main

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"unsafe"

	"orihon/internal/reader"
)

// netSettings are those of the training of a net.
type netSettings struct {
	epochs, batch       int
	rate, decay         float64
	word, wordDrop, mid float64 // shares left out: of words, of their numbers, of what is found in them
}

var usualNet = netSettings{epochs: 14, batch: 32, rate: 3e-3, decay: 1e-2, word: 0.15, wordDrop: 0.3, mid: 0.4}

const denseSize = int(unsafe.Sizeof(reader.Dense{}) / 4)

// flat are the weights of a net as one list.
func flat(d *reader.Dense) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(d)), denseSize)
}

// adam is a list of weights on its way, by Kingma and Ba (2015).
type adam struct{ mean, square []float32 }

func (a *adam) step(w, gradient []float32, rate, decay float64, n int) {
	const b1, b2 = 0.9, 0.999
	c1, c2 := 1-math.Pow(b1, float64(n)), 1-math.Pow(b2, float64(n))
	r := float32(rate * math.Sqrt(c2) / c1)
	keep := float32(1 - rate*decay)
	for i, g := range gradient {
		a.mean[i] += (1 - b1) * (g - a.mean[i])
		a.square[i] += (1 - b2) * (g*g - a.square[i])
		w[i] = w[i]*keep - r*a.mean[i]/(float32(math.Sqrt(float64(a.square[i])))+1e-8)
	}
}

// netLearner trains a net.
type netLearner struct {
	netSettings
	net   reader.Net
	ids   map[uint32]int
	rng   *rand.Rand
	dense adam
	words adam
	table []reader.Word // of each id

	gradient reader.Dense
	moved    map[int]*reader.Word
}

// learnNet trains a net of words that stand in enough prompts.
func learnNet(data []*prompt, s settings) *reader.Net {
	l := newNetLearner(data, s, usualNet)
	batches := (len(data) + l.batch - 1) / l.batch
	step, all := 0, float64(batches*l.epochs)
	for range l.epochs {
		for part := range slices.Chunk(l.rng.Perm(len(data)), l.batch) {
			step++
			at := float64(step) / all
			rate := l.rate * min(at/0.25, (1-at)/0.75) // up for a quarter of the way, then down
			pieces := 0
			for _, i := range part {
				pieces += len(data[i].Features)
			}
			for _, i := range part {
				l.learn(data[i], 1/float32(max(pieces, 1)))
			}
			l.move(step, max(rate, 1e-6))
		}
	}
	l.net.Words = make(map[uint32]*reader.Word, len(l.ids))
	for h, i := range l.ids {
		l.net.Words[h] = &l.table[i]
	}
	return &l.net
}

// newNetLearner begins with weights by chance.
func newNetLearner(data []*prompt, s settings, n netSettings) *netLearner {
	l := &netLearner{netSettings: n, ids: make(map[uint32]int), rng: rand.New(rand.NewPCG(s.seed, 3)), moved: make(map[int]*reader.Word)}
	words := vocabulary(data, s, func(f *reader.Features) []uint32 { return f.Words })
	for i, h := range slices.Sorted(maps.Keys(words)) {
		l.ids[h] = i
	}
	l.table = make([]reader.Word, len(l.ids))
	for i := range l.table {
		for k := range l.table[i] {
			l.table[i][k] = float32(0.1 * l.rng.NormFloat64())
		}
	}
	random := func(rows int, w []float32) {
		size := 1 / math.Sqrt(float64(rows))
		for i := range w {
			w[i] = float32(size * (2*l.rng.Float64() - 1))
		}
	}
	d := &l.net.Dense
	random(len(d.Conv), flatten(d.Conv[:]))
	random(len(d.Near), flatten(d.Near[:]))
	random(len(d.Far), flatten(d.Far[:]))
	random(len(d.Out), flatten(d.Out[:]))
	l.dense = adam{make([]float32, denseSize), make([]float32, denseSize)}
	size := len(l.table) * reader.WordSize
	l.words = adam{make([]float32, size), make([]float32, size)}
	return l
}

func flatten[T any](rows []T) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(&rows[0])), len(rows)*int(unsafe.Sizeof(rows[0])/4))
}

// learn adds the gradient of a prompt's labels.
func (l *netLearner) learn(p *prompt, weight float32) {
	input, ids, masks, begin := l.draw(p)
	n := len(p.Features)
	if n == 0 {
		return
	}
	left := make([][]float32, n) // what is not left out of what was found in each piece, scaled
	pass := l.net.Run(input, begin, func(i, from int, found []float32) {
		if left[i] == nil {
			left[i] = make([]float32, joinedSize)
		}
		for k := range found {
			if l.rng.Float64() >= l.mid {
				left[i][from+k] = float32(1 / (1 - l.mid))
			}
			found[k] *= left[i][from+k]
		}
	})
	g := &l.gradient
	back := make([][]float32, n) // by how much what is found is to be lower
	for i := range n {
		back[i] = make([]float32, joinedSize)
		by := softmax(pass.Scores[i][:])
		by[p.state[i]]--
		for k := range by {
			by[k] *= weight
			g.OutBias[k] += by[k]
		}
		for k, x := range &pass.Joined[i] {
			for s, d := range by {
				g.Out[k][s] += x * d
				back[i][k] += l.net.Out[k][s] * d
			}
		}
	}
	beside := func(gradient, rows [][reader.NetHidden]float32, bias *[reader.NetHidden]float32, size int) {
		for i := range n {
			by := back[i][size : size+reader.NetHidden]
			for k, x := range pass.Joined[i][size : size+reader.NetHidden] {
				if x == 0 {
					by[k] = 0
				}
				by[k] *= left[i][size+k]
				bias[k] += by[k]
			}
			reach := len(rows) / size
			for o := range reach {
				if at := i + o - reach/2; at >= 0 && at < n {
					backAll(gradient[o*size:], rows[o*size:], pass.Joined[at][:size], by, back[at][:size])
				}
			}
		}
	}
	beside(g.Far[:], l.net.Far[:], &g.FarBias, reader.Pooled+reader.NetHidden)
	beside(g.Near[:], l.net.Near[:], &g.NearBias, reader.Pooled)
	conv := make([][reader.NetHidden]float32, len(input))
	for i := range n {
		from, to := begin[i], begin[i+1]
		for k := range reader.NetHidden {
			mean := back[i][k] * left[i][k] / float32(max(to-from, 1))
			for t := from; t < to; t++ {
				conv[t][k] += mean
			}
			if top := pass.Top[i][k]; top >= 0 {
				conv[top][k] += back[i][reader.NetHidden+k] * left[i][reader.NetHidden+k]
			}
		}
	}
	reach := len(g.Conv) / reader.WordSize
	for t := range input {
		for k, x := range &pass.Conv[t] {
			if x == 0 {
				conv[t][k] = 0
			}
			g.ConvBias[k] += conv[t][k]
		}
		for o := range reach {
			at := t + o - reach/2
			if at < 0 || at >= len(input) || input[at] == nil {
				continue
			}
			move := l.moved[ids[at]]
			if move == nil {
				move = new(reader.Word)
				l.moved[ids[at]] = move
			}
			var by reader.Word
			backAll(g.Conv[o*reader.WordSize:], l.net.Conv[o*reader.WordSize:], input[at][:], conv[t][:], by[:])
			for k, x := range by {
				move[k] += masks[at][k] * x
			}
		}
	}
}

// joinedSize is how many numbers are found in a piece.
const joinedSize = reader.Pooled + 2*reader.NetHidden

// draw are the words of a prompt, some and some of their numbers left out.
func (l *netLearner) draw(p *prompt) (input []*reader.Word, ids []int, masks []reader.Word, begin []int) {
	for i := range p.Features {
		begin = append(begin, len(input))
		for _, h := range p.Features[i].Words {
			id, ok := l.ids[h]
			if !ok || l.rng.Float64() < l.word {
				input, ids, masks = append(input, nil), append(ids, -1), append(masks, reader.Word{})
				continue
			}
			x := l.table[id]
			var m reader.Word
			for k := range x {
				if l.rng.Float64() >= l.wordDrop {
					m[k] = float32(1 / (1 - l.wordDrop))
				}
				x[k] *= m[k]
			}
			input, ids, masks = append(input, &x), append(ids, id), append(masks, m)
		}
	}
	return input, ids, masks, append(begin, len(input))
}

// backAll adds to gradients, a row for each of x, what by says of their weights, and to
// back what it says of x.
func backAll(gradient, rows [][reader.NetHidden]float32, x, by, back []float32) {
	by = by[:reader.NetHidden]
	for i, x := range x {
		g, w := &gradient[i], &rows[i]
		var one, two float32
		for k := 0; k < reader.NetHidden; k += 2 {
			g[k] += x * by[k]
			one += w[k] * by[k]
			g[k+1] += x * by[k+1]
			two += w[k+1] * by[k+1]
		}
		back[i] += one + two
	}
}

func softmax(x []float32) []float32 {
	most := slices.Max(x)
	out := make([]float32, len(x))
	sum := float32(0)
	for i, v := range x {
		out[i] = float32(math.Exp(float64(v - most)))
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// move goes one step along the gradients, and forgets them.
func (l *netLearner) move(step int, rate float64) {
	l.dense.step(flat(&l.net.Dense), flat(&l.gradient), rate, l.decay, step)
	l.gradient = reader.Dense{}
	size := len(reader.Word{})
	for id, g := range l.moved {
		part := adam{l.words.mean[id*size : (id+1)*size], l.words.square[id*size : (id+1)*size]}
		part.step(l.table[id][:], g[:], rate, l.decay, step)
	}
	clear(l.moved)
}
