package mining

// Fixes: failures of the same sort that the same thing mended.

// mended is a failure and what may have mended it.
type mended struct {
	failed  int   // the call
	tries   []int // calls that may have mended it
	settled int   // the call by which it passed; -1 when it never did
}

const (
	mostTries  = 5
	farthest   = 14 // calls until something passes
	mostMended = 4000
)

// failures are the failures that something may have mended.
func (c *Corpus) failures() []mended {
	var out []mended
	for i := range c.calls {
		f := &c.calls[i]
		if f.outcome != Failure || len(f.result) == 0 {
			continue
		}
		m := mended{failed: i, settled: -1}
		for j := i + 1; j < min(len(c.calls), i+farthest) && c.calls[j].session == f.session; j++ {
			x := &c.calls[j]
			if x.outcome == Failure {
				continue
			}
			again := f.closest >= 0 && len(shared(x.steps, f.steps)) > 0 && x.file == f.file
			if !x.looks || again && f.looks {
				m.tries = append(m.tries, j)
			}
			if again {
				m.settled = j
				break
			}
		}
		if m.settled < 0 {
			m.tries = m.tries[:min(len(m.tries), 2)]
		}
		m.tries = m.tries[max(0, len(m.tries)-mostTries):]
		if len(m.tries) > 0 {
			out = append(out, m)
		}
	}
	return out[max(0, len(out)-mostMended):]
}

// sameFix are the facts of two mended failures, and the calls of both by which they
// were mended.
func (c *Corpus) sameFix(a, b *mended) (facts []float64, x, y int) {
	l := c.words
	f, g := &c.calls[a.failed], &c.calls[b.failed]
	errors, bestError := l.alike(f.result, g.result)
	failing, _ := c.kinds.alike(f.steps, g.steps)
	best := -1.0
	for _, i := range a.tries {
		for _, j := range b.tries {
			m, n := &c.calls[i], &c.calls[j]
			steps, bestStep := c.kinds.alike(m.steps, n.steps)
			ran, bestRan := l.alike(without(m.ran, f.ran), without(n.ran, g.ran))
			gone, _ := l.alike(m.gone, n.gone)
			added, bestAdded := l.alike(m.added, n.added)
			told, _ := l.alike(union(m.gone, m.added, m.ran), union(n.gone, n.added, n.ran))
			score := steps + ran + gone + added + told
			if i == a.settled && j == b.settled {
				score /= 2 // the same command passes in the end, whatever mended it
			}
			if score > best {
				best, x, y = score, i, j
				both := 0.0
				if i == a.settled && j == b.settled {
					both = 1
				}
				facts = []float64{1, errors, bestError, failing, steps, bestStep, ran, bestRan, gone, added, bestAdded, told, both, errors * max(steps, ran, added, told)}
			}
		}
	}
	return facts, x, y
}

// fixes links failures that were mended alike, with the call that mended each: the
// one that is most like those of the others.
func (c *Corpus) fixes(w Weights) (all []mended, by []int, links []link) {
	const leastLink = 0.02
	all = c.failures()
	by = make([]int, len(all))
	best := make([]float64, len(all))
	for i := range all {
		by[i] = all[i].tries[len(all[i].tries)-1]
	}
	for _, pair := range c.nearby(len(all), func(i int) bag { return c.calls[all[i].failed].result }) {
		a, b := &all[pair[0]], &all[pair[1]]
		if c.calls[a.failed].session == c.calls[b.failed].session {
			continue
		}
		facts, x, y := c.sameFix(a, b)
		p := w.p(modelFix, facts)
		if p < leastLink {
			continue
		}
		links = append(links, link{pair[0], pair[1], p})
		for k, call := range map[int]int{pair[0]: x, pair[1]: y} {
			if p > best[k] {
				best[k], by[k] = p, call
			}
		}
	}
	return all, by, links
}
