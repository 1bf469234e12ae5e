package mining

import (
	"math"
	"slices"

	"orihon/habit"
)

// A habit that the person took back later is none any more: they said so, or did the
// opposite.

const (
	// leastBack is how likely a message must take a habit back for it to be none.
	leastBack = 0.25
	// surelyBack is how likely it must be for that to count against the habit.
	surelyBack = 0.8
	// leastEnds is how likely a message must end something for it to end what it names,
	// surelyEnds for it to end what had been done just before. Behind the last occurrence
	// less will do: whoever speaks of a habit and has it no more may have ended it.
	leastEnds, surelyEnds = 0.03, 0.15
	lateEnds, surelyLate  = 0.005, 0.04
	// leastTurned is how much of a habit must be turned round for it to be none.
	leastTurned = 0.4
	// rare is what a word says at least that stands in one turn of twelve and seldom
	// elsewhere.
	rare = 1.5
)

// ending are the facts of a message that tell whether it ends something.
func (t *turn) ending() []float64 {
	return append([]float64{1, t.facts[factNothing], t.facts[factOver] * t.facts[factOver+2]}, t.facts[factTone:]...)
}

// takeBack finds, for each habit, the message that takes it back.
func (c *Corpus) takeBack(w Weights, all []Found) {
	for i := range all {
		f := &all[i]
		core := c.core(f)
		best, at := 0.0, -1
		for _, t := range c.after(f, core) {
			m := c.meet(f, t, core)
			p := w.p(modelBack, c.backFacts(f, core, m))
			if m.takesBack() {
				p = max(p, leastBack)
			}
			if p > best {
				best, at = p, t
			}
		}
		if t := c.undone(f); t >= 0 && best < leastBack {
			best, at = leastBack, t
		}
		f.back, f.dropped = best, c.dropped(f)
		if at >= 0 && best >= leastBack {
			f.Against = []habit.Evidence{c.saidAt(at)}
		}
	}
}

// met is a message that came after a habit, and what it has to do with it.
type met struct {
	*turn
	number         int
	said, bestSaid float64 // how alike it is to what the habit is about
	names          bool    // it names one of the words that say most of it, or of what was done or said
	touches        bool    // it follows upon its last step, or came after all occurrences and says a rare word of what was run or failed
	follows        float64 // how much of it was done in the turn before, 1 where that is one of its occurrences
	late           bool    // it came after all occurrences
	again          bool    // it is the correction once more, in the same words
	turned         float64 // how far it is turned round: what came goes, and what went comes
}

func (c *Corpus) meet(f *Found, at int, core *core) *met {
	const share = 0.75
	m := &met{turn: &c.turns[at], number: at}
	l := c.words
	m.said, m.bestSaid = l.alike(core.all, m.turn.said)
	for _, about := range []bag{core.all, core.done, core.said} {
		m.names = m.names || c.tells(f, shared(about, m.ended), share*l.most(about))
	}
	if came, gone := shared(core.came, m.gone), shared(core.gone, m.added); len(f.turns) > 0 && c.tells(f, came, 0) && c.tells(f, gone, 0) {
		m.turned = math.Sqrt(l.share(core.came, came) * l.share(core.gone, gone))
	}
	if came, went := shared(core.instead, m.dropped), shared(core.dropped, m.instead); c.tells(f, came, 0) && c.tells(f, went, 0) {
		m.turned = max(m.turned, math.Sqrt(l.share(core.instead, came)*l.share(core.dropped, went)))
	}
	m.late = at > c.lastTurn(f)
	m.again = slices.Contains(f.turns, at) && slices.ContainsFunc(f.turns, func(i int) bool {
		return i < at && slices.Equal(c.turns[i].said, m.turn.said)
	})
	m.touches = c.doneLast(f, m.from-1) || m.late && (len(f.turns) > 0 || c.tells(f, shared(core.run, m.ended), 0))
	if len(f.turns) > 0 && m.late {
		for _, x := range [][2]bag{{core.came, m.gone}, {core.gone, m.added}} {
			if both := shared(x[0], x[1]); c.tells(f, both, 0) {
				m.turned = max(m.turned, l.share(x[0], both))
			}
		}
		if c.returns(f, m.turn) {
			m.turned = 1
		}
	}
	switch {
	case at == 0 || c.turns[at-1].session != m.session:
	case slices.ContainsFunc(f.calls, func(i int) bool { return c.calls[i].turn == at-1 }):
		m.follows = 1
	default:
		m.follows = l.share(core.came, m.preceding)
	}
	return m
}

// doneLast reports a call with which an occurrence of a habit ended.
func (c *Corpus) doneLast(f *Found, call int) bool {
	if len(f.then) == 0 {
		return slices.Contains(f.calls, call)
	}
	return slices.ContainsFunc(f.then, func(then []int) bool { return then[len(then)-1] == call })
}

// returns reports a turn in which files of several occurrences are changed once more.
func (c *Corpus) returns(f *Found, t *turn) bool {
	var again bag
	for _, i := range f.turns {
		again = union(again, shared(c.changedFiles(&c.turns[i]), c.changedFiles(t)))
	}
	return len(again) > 1
}

// lastTurn is the turn of a habit's last occurrence.
func (c *Corpus) lastTurn(f *Found) int {
	if n := len(f.turns); n > 0 {
		return f.turns[n-1]
	}
	return c.calls[f.calls[len(f.calls)-1]].turn
}

// undone is the turn of a correction in which what an earlier one brought goes again, and
// what that took away comes; -1 where there is none.
func (c *Corpus) undone(f *Found) int {
	const least = 0.3
	for k, j := range f.turns {
		for _, i := range f.turns[:k] {
			x, y := &c.turns[i], &c.turns[j]
			gone, _ := c.words.alike(x.added, y.gone)
			came, _ := c.words.alike(x.gone, y.added)
			if math.Sqrt(gone*came) >= least {
				return j
			}
		}
	}
	return -1
}

// dropped reports whether a step of a sequence came behind its last occurrence, and the
// others did not, more often than by chance.
func (c *Corpus) dropped(f *Found) bool {
	const chance = 0.35
	last := c.lastTurn(f)
	for _, step := range f.steps {
		until, since := 0, 0
		for _, i := range c.callsOf(step) {
			if c.calls[i].turn <= last || slices.ContainsFunc(f.then[len(f.then)-1], func(j int) bool { return j >= int(i) }) {
				until++
			} else {
				since++
			}
		}
		often := float64(len(f.calls)+1) / float64(max(until, len(f.calls))+2)
		if math.Pow(1-often, float64(since)) < chance {
			return true
		}
	}
	return false
}

// callsOf are the calls of a kind of step, in order.
func (c *Corpus) callsOf(step int32) []int32 {
	if c.doing == nil {
		c.doing = make([][]int32, len(c.kinds.name))
		for i := range c.calls {
			for _, x := range c.calls[i].steps {
				c.doing[x] = append(c.doing[x], int32(i))
			}
		}
	}
	return c.doing[step]
}

// tells reports whether one of the words says at least so much, and is rare or stands in
// few turns besides those of a habit.
func (c *Corpus) tells(f *Found, words bag, least float64) bool {
	few := int32(2*len(f.Evidence) + 2)
	return slices.ContainsFunc(words, func(x int32) bool {
		w := c.words.weight(x)
		return w >= least && (w >= rare || c.words.turns[x] <= few)
	})
}

// takesBack reports a message that ends something, and names the habit, or touches what
// was done of it just before; or that turns it round.
func (m *met) takesBack() bool {
	least, surely := leastEnds, surelyEnds
	if m.late {
		least, surely = lateEnds, surelyLate
	}
	follows := m.touches && m.follows > 0.5
	return !m.again && (m.ends >= least && m.names || m.ends >= surely && follows) || m.turned >= leastTurned
}

// after are the messages behind the first occurrence that hold a word of those that
// say most of a habit, or follow upon a turn that does, in order.
func (c *Corpus) after(f *Found, core *core) []int {
	const share, most = 0.5, 150
	first := 0
	if len(f.turns) > 0 {
		first = f.turns[0]
	} else {
		first = c.calls[f.calls[0]].turn
	}
	var out []int
	for _, x := range core.all {
		if c.words.weight(x) < share*core.top {
			continue
		}
		holding := c.turnsWith(x)
		at, _ := slices.BinarySearch(holding, int32(first))
		for _, t := range holding[max(at, len(holding)-most):] {
			for t := int(t); t <= min(int(holding[len(holding)-1])+1, len(c.turns)-1); t++ {
				if t > first && c.turns[t].text != "" {
					out = append(out, t)
				}
				if _, is := slices.BinarySearch(holding, int32(t)); !is {
					break
				}
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
// came with it, those that went, and those that were said.
type core struct {
	all, came, gone, said bag
	done                  bag     // of what came, what can be said
	instead, dropped      bag     // of a correction: what was run in place of what
	run                   bag     // of others: what was run and what failed, in any occurrence, as it is spoken of
	top                   float64 // what the word says that says most
}

func (c *Corpus) core(f *Found) *core {
	n := 0
	counts := [6]map[int32]int{{}, {}, {}, {}, {}, {}}
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
		count(3, t.said)
		if len(t.added) == 0 && len(t.gone) == 0 { // else it is about what was written
			count(4, t.instead)
			count(5, t.dropped)
		}
	}
	var run bag
	speak := func(x *call) { run = union(run, c.words.known(spoken(x.text+"\n"+x.failure))) }
	for k, i := range f.calls {
		x := &c.calls[i]
		speak(x)
		if k < len(f.failed) {
			speak(&c.calls[f.failed[k]])
		}
		words := union(x.ran, x.added)
		if k < len(f.then) {
			for _, j := range f.then[k] {
				speak(&c.calls[j])
				words = union(words, c.calls[j].ran, c.calls[j].added)
			}
		}
		n++
		count(0, union(words, x.gone, c.turns[x.turn].said))
		count(1, words)
		count(2, x.gone)
		count(3, c.turns[x.turn].said)
	}
	var out [6]bag
	for k := range counts {
		for x, times := range counts[k] {
			if times >= 2 && 2*times >= n {
				out[k] = append(out[k], x)
			}
		}
		slices.Sort(out[k])
	}
	done := slices.DeleteFunc(slices.Clone(out[1]), func(x int32) bool { return !c.says(c.words.name[x]) })
	return &core{out[0], out[1], out[2], out[3], done, out[4], out[5], run, c.words.most(out[0])}
}

func (c *Corpus) backFacts(f *Found, core *core, m *met) []float64 {
	l := c.words
	whole, bestWhole := l.alike(core.all, m.words())
	reverse, _ := l.alike(core.came, m.gone)
	forward, _ := l.alike(core.gone, m.added)
	again, _ := l.alike(core.came, union(m.added, m.ran))
	member := bit(slices.Contains(f.turns, m.number))
	later := bit(m.at.After(f.Evidence[len(f.Evidence)-1].At))
	turned := max(reverse, forward, m.turned)
	names, e := bit(m.names), math.Sqrt(m.ends)
	return []float64{
		1, m.said, m.bestSaid, whole, bestWhole, turned, again, member, later, m.p, m.follows, names,
		e, e * m.said, e * m.bestSaid, e * whole, e * bestWhole, e * turned, e * m.follows, e * names, e * later, m.p * m.follows, m.facts[factNothing],
		bit(len(f.turns) > 0), member * e, member * turned,
	}
}
