package reader

import (
	"math"
	"slices"
)

// Net reads the words of a prompt in their order, which the sums of [Features] do not
// know. It looks at five words side by side, takes the mean and the most of what it
// finds in each piece, looks at three pieces side by side, twice, and says from all of
// that how likely each state of a piece is: a convolutional network.
type Net struct {
	Words map[uint32]*Word // by their hashes
	Dense
}

// Sizes of a net.
const (
	WordSize  = 32 // of a word's vector
	NetHidden = 64 // what is looked for in words, and in pieces
	Pooled    = 2 * NetHidden

	netWords  = 5 // words side by side
	netPieces = 3 // pieces side by side
	middle    = Pooled + NetHidden
	joined    = Pooled + 2*NetHidden
)

// Word is the vector of a word.
type Word [WordSize]float32

// Dense are the weights that all words share, a row for each number that goes in.
type Dense struct {
	Conv     [netWords * WordSize][NetHidden]float32
	ConvBias [NetHidden]float32
	Near     [netPieces * Pooled][NetHidden]float32
	NearBias [NetHidden]float32
	Far      [netPieces * middle][NetHidden]float32
	FarBias  [NetHidden]float32
	Out      [joined][States]float32
	OutBias  [States]float32
}

// Pass is what a net computes of a prompt.
type Pass struct {
	Input []*Word // of each word, nil for one that is not known
	Begin []int   // where the words of each piece begin; one more at the end
	Conv  [][NetHidden]float32
	// Of each piece: what is found in its words, beside it, and beside that.
	Joined [][joined]float32
	Top    [][NetHidden]int // the word whose value is the most of a piece, -1 for none
	Scores [][States]float32
}

// Run computes what a net says of words. While it is trained, change is called with what
// was found in the i-th piece, from the given number on, before it is used.
func (d *Dense) Run(input []*Word, begin []int, change func(i, from int, found []float32)) *Pass {
	n := len(begin) - 1
	p := &Pass{Input: input, Begin: begin, Conv: make([][NetHidden]float32, len(input)),
		Joined: make([][joined]float32, n), Top: make([][NetHidden]int, n), Scores: make([][States]float32, n)}
	for t := range input {
		y := &p.Conv[t]
		*y = d.ConvBias
		for o := range netWords {
			at := t + o - netWords/2
			if at < 0 || at >= len(input) || input[at] == nil {
				continue
			}
			addAll(y, d.Conv[o*WordSize:], input[at][:])
		}
		rectify(y)
	}
	done := func(i, from, to int) {
		if change != nil {
			change(i, from, p.Joined[i][from:to])
		}
	}
	for i := range n {
		p.pool(i)
		done(i, 0, Pooled)
	}
	beside := func(rows [][NetHidden]float32, bias *[NetHidden]float32, size int) {
		for i := range n {
			y := *bias
			for o := range netPieces {
				if at := i + o - netPieces/2; at >= 0 && at < n {
					addAll(&y, rows[o*size:], p.Joined[at][:size])
				}
			}
			rectify(&y)
			copy(p.Joined[i][size:], y[:])
		}
		for i := range n {
			done(i, size, size+NetHidden)
		}
	}
	beside(d.Near[:], &d.NearBias, Pooled)
	beside(d.Far[:], &d.FarBias, middle)
	for i := range n {
		z := &p.Scores[i]
		*z = d.OutBias
		for k, x := range &p.Joined[i] {
			if x != 0 {
				for s, w := range &d.Out[k] {
					z[s] += x * w
				}
			}
		}
	}
	return p
}

// pool takes the mean and the most of what is found in the words of a piece.
func (p *Pass) pool(i int) {
	from, to := p.Begin[i], p.Begin[i+1]
	y, top := &p.Joined[i], &p.Top[i]
	for k := range top {
		top[k] = -1
	}
	for t := from; t < to; t++ {
		for k, x := range &p.Conv[t] {
			y[k] += x
			if x > y[NetHidden+k] {
				y[NetHidden+k], top[k] = x, t
			}
		}
	}
	for k := range NetHidden {
		y[k] /= float32(max(to-from, 1))
	}
}

func rectify(y *[NetHidden]float32) {
	for k, x := range y {
		y[k] = max(x, 0)
	}
}

// addAll adds to y what each of x says by its row.
func addAll(y *[NetHidden]float32, rows [][NetHidden]float32, x []float32) {
	for i, x := range x {
		if x == 0 {
			continue
		}
		w := &rows[i]
		for k := 0; k < NetHidden; k += 4 {
			y[k] += x * w[k]
			y[k+1] += x * w[k+1]
			y[k+2] += x * w[k+2]
			y[k+3] += x * w[k+3]
		}
	}
}

// look finds the vectors of the words of pieces, and where each piece begins.
func look(pieces []Features, find func(uint32) *Word) (input []*Word, begin []int) {
	for i := range pieces {
		begin = append(begin, len(input))
		for _, h := range pieces[i].Words {
			input = append(input, find(h))
		}
	}
	return input, append(begin, len(input))
}

// likely turns scores into how likely each state is.
func likely(scores *[States]float32) (out [States]float64) {
	most := slices.Max(scores[:])
	sum := 0.0
	for s, x := range scores {
		out[s] = math.Exp(float64(x - most))
		sum += out[s]
	}
	for s := range out {
		out[s] /= sum
	}
	return out
}
