package mining

import (
	"slices"

	"orihon/habit"
	"orihon/internal/reader"
)

// A habit that the person took back later is none any more: they said so, or did the
// opposite.

// leastBack is how likely a message must take a habit back for it to be none.
const leastBack = 0.25

// surelyBack is how likely it must be for that to count against the habit.
const surelyBack = 0.6

// takeBack finds, for each habit, the message that takes it back.
func (c *Corpus) takeBack(w Weights, all []Found) {
	for i := range all {
		f := &all[i]
		core, came, gone := c.core(f)
		best, at := 0.0, -1
		for _, t := range c.after(f, core) {
			p := w.p(modelBack, c.backFacts(f, t, core, came, gone))
			if c.turns[t].over && c.names(t, core) {
				p = max(p, leastBack)
			}
			if p > best {
				best, at = p, t
			}
		}
		f.back = best
		if at >= 0 && best >= leastBack {
			f.Against = []habit.Evidence{c.saidAt(at)}
		}
	}
}

// names reports whether a message names what a habit is about: one of the words that
// say most of it.
func (c *Corpus) names(t int, core bag) bool {
	const share = 0.75
	top := 0.0
	for _, x := range core {
		top = max(top, c.words.weight(x))
	}
	_, best := c.words.alike(core, c.turns[t].said)
	return best > 0 && best >= share*top
}

// after are the messages behind the first occurrence that hold a word of those that
// say most of a habit, in order.
func (c *Corpus) after(f *Found, core bag) []int {
	const share, most = 0.5, 150
	first := 0
	if len(f.turns) > 0 {
		first = f.turns[0]
	} else {
		first = c.calls[f.calls[0]].turn
	}
	top := 0.0
	for _, x := range core {
		top = max(top, c.words.weight(x))
	}
	var out []int
	for _, x := range core {
		if c.words.weight(x) < share*top {
			continue
		}
		holding := c.turnsWith(x)
		at, _ := slices.BinarySearch(holding, int32(first)+1)
		for _, t := range holding[max(at, len(holding)-most):] {
			if c.turns[t].text != "" {
				out = append(out, int(t))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// turnsWith are the turns that hold a word, in order.
func (c *Corpus) turnsWith(word int32) []int32 {
	if c.holding == nil {
		c.holding = make([][]int32, len(c.words.name))
		for i := range c.turns {
			for _, x := range c.turns[i].all {
				c.holding[x] = append(c.holding[x], int32(i))
			}
		}
	}
	return c.holding[word]
}

// core are the words that most occurrences of a habit share: all of them, those that
// came with it, and those that went.
func (c *Corpus) core(f *Found) (all, came, gone bag) {
	n := 0
	counts := [3]map[int32]int{{}, {}, {}}
	count := func(k int, words bag) {
		for _, x := range words {
			counts[k][x]++
		}
	}
	for _, i := range f.turns {
		t := &c.turns[i]
		n++
		count(0, t.words())
		count(1, union(t.added, t.ran))
		count(2, t.gone)
	}
	for k, i := range f.calls {
		x := &c.calls[i]
		words := union(x.ran, x.added)
		if k < len(f.then) {
			for _, j := range f.then[k] {
				words = union(words, c.calls[j].ran, c.calls[j].added)
			}
		}
		n++
		count(0, union(words, x.gone, c.turns[x.turn].said))
		count(1, words)
		count(2, x.gone)
	}
	var out [3]bag
	for k := range counts {
		for x, times := range counts[k] {
			if times >= 2 && 2*times >= n {
				out[k] = append(out[k], x)
			}
		}
		slices.Sort(out[k])
	}
	return out[0], out[1], out[2]
}

func (c *Corpus) backFacts(f *Found, at int, core, came, gone bag) []float64 {
	t := &c.turns[at]
	l := c.words
	said, bestSaid := l.alike(core, t.said)
	whole, bestWhole := l.alike(core, t.words())
	reverse, bestReverse := l.alike(came, t.gone)
	forward, bestForward := l.alike(gone, t.added)
	again, _ := l.alike(came, union(t.added, t.ran))
	member, later := 0.0, 0.0
	if slices.Contains(f.turns, at) {
		member = 1
	}
	last := len(f.Evidence) - 1
	if t.at.After(f.Evidence[last].At) {
		later = 1
	}
	tone := t.facts[factTone:]
	tones := func(k reader.Kind) float64 { return max(tone[reader.Begins(k)], tone[reader.Goes(k)]) }
	over, before := t.over, t.before
	ends := bit(over) + 0.5*bit(before)
	turned := max(reverse, forward)
	return []float64{
		1, said, bestSaid, whole, bestWhole, turned, max(bestReverse, bestForward), again, member, later, t.p,
		bit(over), bit(before), bit(over && before), ends * said, ends * bestSaid, ends * whole, ends * bestWhole, ends * turned,
		tones(reader.Forget), tones(reader.Decision), tones(reader.Correction), tones(reader.Forget) * bestSaid, t.facts[factNothing],
		bit(len(f.turns) > 0), said * later, member * ends,
	}
}
