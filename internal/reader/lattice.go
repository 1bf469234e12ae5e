package reader

import "math"

// transitions is how likely one state follows another, in proportion; 0 where it
// cannot. The last row is for the first piece.
type transitions [States + 1][States]float64

// likelihoods are transitions by what says for them.
func (t *Transitions) likelihoods() *transitions {
	out := new(transitions)
	for b := range out {
		for s := range States {
			if follows(s, b) {
				out[b][s] = math.Exp(float64(t[b][s]))
			}
		}
	}
	return out
}

// leaves are the answers of [Leaves], which every piece asks for.
var leaves = func() (out [States + 1][States]bool) {
	for b := range out {
		for s := range out[b] {
			out[b][s] = Leaves(b, s)
		}
	}
	return out
}()

// Lattice is how likely every way to read a prompt is.
type Lattice struct {
	next            *transitions
	states          [][States]float64 // how likely a state is by the piece alone, in proportion
	leave           []float64         // how likely a statement ends before it, in proportion
	forward, behind [][States]float64 // by the pieces up to it, and by those behind it
	scale           []float64
}

// NewLattice reads a prompt by the scores of its pieces.
func NewLattice(pieces []Scores, next *Transitions) *Lattice {
	return newLattice(pieces, next.likelihoods())
}

func newLattice(pieces []Scores, next *transitions) *Lattice {
	n := len(pieces)
	states := make([][States]float64, 3*n)
	l := &Lattice{next: next, states: states[:n], forward: states[n : 2*n], behind: states[2*n:], leave: make([]float64, n), scale: make([]float64, n)}
	for i := range pieces {
		l.weigh(i, &pieces[i])
	}
	for i := range n {
		l.goForward(i)
	}
	for i := n - 1; i >= 0; i-- {
		l.goBack(i)
	}
	return l
}

// weigh sets what a piece says by itself.
func (l *Lattice) weigh(i int, p *Scores) {
	const far = 30 // beyond that nothing else says anything
	l.leave[i] = math.Exp(max(-far, min(far, float64(p[ColumnLeave]))))
	most := 0.0
	for s := range States {
		sum := 0.0
		for _, c := range ColumnsOf(s) {
			if c >= 0 {
				sum += float64(p[c])
			}
		}
		l.states[i][s] = sum
		most = max(most, sum)
	}
	for s := range States {
		l.states[i][s] = math.Exp(max(-far, l.states[i][s]-most))
	}
}

func (l *Lattice) goForward(i int) {
	sum := 0.0
	for s := range States {
		in := 0.0
		if i == 0 {
			in = l.next[States][s]
		} else {
			for b := range States {
				in += l.forward[i-1][b] * l.step(i, b, s)
			}
		}
		l.forward[i][s] = in * l.states[i][s]
		sum += l.forward[i][s]
	}
	l.scale[i] = sum
	for s := range States {
		l.forward[i][s] /= sum
	}
}

func (l *Lattice) goBack(i int) {
	for b := range States {
		if i == len(l.states)-1 {
			l.behind[i][b] = 1
			continue
		}
		out := 0.0
		for s := range States {
			out += l.step(i+1, b, s) * l.states[i+1][s] * l.behind[i+1][s]
		}
		l.behind[i][b] = out / l.scale[i+1]
	}
}

// step is how likely a piece is in a state when the one before it is in another,
// in proportion.
func (l *Lattice) step(i, before, s int) float64 {
	if leaves[before][s] {
		return l.next[before][s] * l.leave[i]
	}
	return l.next[before][s]
}

// State is how likely a piece is in a state.
func (l *Lattice) State(i, s int) float64 { return l.forward[i][s] * l.behind[i][s] }

// Step is how likely a piece is in a state and the one before it in another.
func (l *Lattice) Step(i, before, s int) float64 {
	return l.forward[i-1][before] * l.step(i, before, s) * l.states[i][s] * l.behind[i][s] / l.scale[i]
}

// keep is how likely a piece is part of a statement, and of what only looks like
// one.
func (l *Lattice) keep(i int) (keep, other float64) {
	for s := range States {
		switch {
		case s > others:
			keep += l.State(i, s)
		case s > 0:
			other += l.State(i, s)
		}
	}
	return keep, other
}

// byKind is a share for each kind.
type byKind [kinds + 1]float64

// runs calls yield with how likely the pieces from..to, both included and at most
// so many, are one whole statement of each kind.
func (l *Lattice) runs(most int, yield func(from, to int, by byKind)) {
	n := len(l.states)
	for from := range n {
		var by byKind // so far, whatever follows
		for to := from; to < min(n, from+most); to++ {
			var whole byKind
			for k := Kind(1); int(k) <= kinds; k++ {
				begins, goes := Begins(k), Goes(k)
				last := goes
				switch to {
				case from:
					by[k] = l.forward[from][begins]
					last = begins
				case from + 1:
					by[k] *= l.next[begins][goes] * l.states[to][goes] / l.scale[to]
				default:
					by[k] *= l.next[goes][goes] * l.states[to][goes] / l.scale[to]
				}
				ends := l.behind[to][last]
				if to+1 < n {
					ends -= l.next[last][goes] * l.states[to+1][goes] * l.behind[to+1][goes] / l.scale[to+1]
				}
				whole[k] = by[k] * max(0, ends)
			}
			yield(from, to, whole)
		}
	}
}
