package mining

import "slices"

// Corrections: messages that take back what was done, the same more than once.

// leastCorrection is how likely a message must correct for it to be looked at.
const leastCorrection = 0.15

func (c *Corpus) correcting(w Weights) []int {
	var out []int
	for i := range c.turns {
		t := &c.turns[i]
		t.p, t.ends = w.p(modelTurn, t.correcting()), w.p(modelEnds, t.ending())
		if t.p >= leastCorrection {
			out = append(out, i)
		}
	}
	return out
}

// correcting are the facts of a message that tell whether it takes back what was done.
func (t *turn) correcting() []float64 { return t.facts[:factOver] }

// sameCorrection are the facts of two messages.
func (c *Corpus) sameCorrection(a, b *turn) []float64 {
	l := c.words
	said, bestSaid := l.alike(a.said, b.said)
	gone, bestGone := l.alike(a.gone, b.gone)
	added, bestAdded := l.alike(a.added, b.added)
	ran, bestRan := l.alike(a.ran, b.ran)
	before, bestBefore := l.alike(a.preceding, b.preceding)
	files, _ := c.kinds.alike(a.files, b.files)
	kinds, _ := c.kinds.alike(c.stepsOf(a), c.stepsOf(b))
	doneA, doneB := union(a.gone, a.added, a.ran), union(b.gone, b.added, b.ran)
	cross1, bestCross1 := l.alike(a.said, doneB)
	cross2, bestCross2 := l.alike(b.said, doneA)
	all, bestAll := l.alike(union(a.said, doneA), union(b.said, doneB))
	mean := max(0, a.meaning.Cosine(b.meaning))
	back1, _ := l.alike(shared(a.gone, a.preceding), shared(b.gone, b.preceding))
	return []float64{
		1, said, bestSaid, gone, bestGone, added, bestAdded, ran, bestRan, before, bestBefore, files, kinds,
		max(cross1, cross2), max(bestCross1, bestCross2), all, bestAll, mean, min(a.p, b.p), a.p * b.p, back1, bestSaid * max(bestGone, bestAdded, bestRan),
	}
}

// stepsOf are the kinds of step of a turn.
func (c *Corpus) stepsOf(t *turn) bag {
	var out bag
	for k := t.from; k < t.to; k++ {
		out = append(out, c.calls[k].steps...)
	}
	return union(out)
}

// corrections links the messages that correct the same.
func (c *Corpus) corrections(w Weights) (at []int, links []link) {
	const leastLink = 0.02
	at = c.correcting(w)
	for _, pair := range c.nearby(len(at), func(i int) bag { return c.turns[at[i]].words() }) {
		a, b := &c.turns[at[pair[0]]], &c.turns[at[pair[1]]]
		if p := w.p(modelCorrection, c.sameCorrection(a, b)); p >= leastLink {
			links = append(links, link{pair[0], pair[1], p})
		}
	}
	return at, links
}

// nearby are the pairs that share a word which few have: others are not alike.
func (c *Corpus) nearby(n int, words func(i int) bag) [][2]int {
	const few = 40
	by := make(map[int32][]int)
	for i := range n {
		for _, w := range words(i) {
			by[w] = append(by[w], i)
		}
	}
	seen := make(map[[2]int]bool)
	var out [][2]int
	for _, list := range by {
		if len(list) > few {
			continue
		}
		for i, a := range list {
			for _, b := range list[i+1:] {
				if p := [2]int{a, b}; !seen[p] {
					seen[p] = true
					out = append(out, p)
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int {
		if a[0] != b[0] {
			return a[0] - b[0]
		}
		return a[1] - b[1]
	})
	return out
}
