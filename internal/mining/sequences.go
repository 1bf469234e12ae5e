package mining

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"orihon/internal/activity"
)

// Sequences: steps that come one after another in more than one session, and one
// without the other seldom.

const (
	reach     = 6   // calls from one step to the next, at most
	leastTied = 0.3 // share of the one step that goes with the other, at least
)

// sequence is two kinds of step and the calls at which they came, one after the
// other.
type sequence struct {
	first, then int32
	at          [][2]int
	facts       []float64
	p           float64
}

// tally counts a pair of kinds.
type tally struct{ times, sessions, last int32 } // last is the session it came in last, plus 1

// sequences are the pairs that come in at least two sessions, the likeliest first.
func (c *Corpus) sequences(w Weights) []sequence {
	if c.pairs == nil {
		c.pairs = c.countPairs()
	}
	out := slices.Clone(c.pairs)
	for i := range out {
		out[i].p = w.p(modelSequence, out[i].facts)
	}
	slices.SortStableFunc(out, func(a, b sequence) int { return cmp.Compare(b.p, a.p) })
	return out
}

// countPairs finds the pairs, in the order of their kinds.
func (c *Corpus) countPairs() []sequence {
	in := c.sessionsOf()
	pairs := make(map[[2]int32]tally)
	c.eachPair(func(a, b int32, i, _ int) {
		if in[a] < 2 || in[b] < 2 || a == b {
			return
		}
		t := pairs[[2]int32{a, b}]
		t.times++
		if session := int32(c.calls[i].session) + 1; t.last != session {
			t.last = session
			t.sessions++
		}
		pairs[[2]int32{a, b}] = t
	})
	calls := make([]int, len(c.kinds.name))
	for i := range c.calls {
		for _, s := range c.calls[i].steps {
			calls[s]++
		}
	}
	found := make(map[[2]int32]*sequence)
	for p, t := range pairs {
		if t.sessions >= 2 && float64(t.times) >= leastTied*float64(min(calls[p[0]], calls[p[1]])) {
			found[p] = &sequence{first: p[0], then: p[1]}
		}
	}
	pairs = nil
	c.eachPair(func(a, b int32, i, j int) {
		if s := found[[2]int32{a, b}]; s != nil && c.nearest(s, i, j) {
			s.at = append(s.at, [2]int{i, j})
		}
	})
	plain := make([]float64, len(c.kinds.name))
	for i, name := range c.kinds.name {
		plain[i] = ordinary(name)
	}
	out := []sequence{}
	for _, s := range found {
		sessions := c.spread(s.at)
		if sessions < 2 {
			continue
		}
		s.facts = c.sequenceFacts(s, sessions, len(found[[2]int32{s.then, s.first}].places()), calls, plain)
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b sequence) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.then, b.then))
	})
	return out
}

// eachPair yields the kinds of each call i with those of the calls j that come soon
// after it.
func (c *Corpus) eachPair(yield func(a, b int32, i, j int)) {
	for i := range c.calls {
		x := &c.calls[i]
		for j := i + 1; j < min(len(c.calls), i+1+reach) && c.calls[j].session == x.session; j++ {
			for _, a := range x.steps {
				for _, b := range c.calls[j].steps {
					yield(a, b, i, j)
				}
			}
		}
	}
}

// nearest reports whether j is the first call behind i at which a pair's second step
// comes, before its first comes again.
func (c *Corpus) nearest(s *sequence, i, j int) bool {
	if n := len(s.at); n > 0 && s.at[n-1][0] == i {
		return false
	}
	for k := i + 1; k < j; k++ {
		if slices.Contains(c.calls[k].steps, s.first) {
			return false
		}
	}
	return true
}

func (s *sequence) places() [][2]int {
	if s == nil {
		return nil
	}
	return s.at
}

// sessionsOf counts in how many sessions each kind of step comes.
func (c *Corpus) sessionsOf() []int {
	in, last := make([]int, len(c.kinds.name)), make([]int, len(c.kinds.name))
	for i := range c.calls {
		for _, s := range c.calls[i].steps {
			if last[s] != c.calls[i].session+1 {
				last[s] = c.calls[i].session + 1
				in[s]++
			}
		}
	}
	return in
}

// spread is in how many sessions something came.
func (c *Corpus) spread(at [][2]int) int {
	n, last := 0, -1
	for _, x := range at {
		if s := c.calls[x[0]].session; s != last {
			n, last = n+1, s
		}
	}
	return n
}

func (c *Corpus) sequenceFacts(s *sequence, sessions, reverse int, calls []int, plain []float64) []float64 {
	n, a, b := float64(len(s.at)), float64(calls[s.first]), float64(calls[s.then])
	gap, together, failed, looks, asked := 0.0, 0.0, 0.0, 0.0, 0.0
	thens := make(map[int]bool)
	for _, x := range s.at {
		i, j := &c.calls[x[0]], &c.calls[x[1]]
		gap += float64(x[1] - x[0])
		thens[x[1]] = true
		if i.turn == j.turn {
			together++
		}
		if i.outcome == Failure || j.outcome == Failure {
			failed++
		}
		if i.looks || j.looks {
			looks++
		}
		if x[0] == c.turns[i.turn].from {
			asked++
		}
	}
	distinct := float64(len(thens))
	all := float64(len(c.sessions))
	return []float64{
		1, n / a, distinct / b, min(n/a, distinct/b), n / a * distinct / b, math.Log(n), math.Log(float64(sessions)), gap / n, together / n, failed / n, looks / n, asked / n,
		math.Log(a / all), math.Log(b / all), float64(reverse) / n,
		general(c.kinds.name[s.first]), general(c.kinds.name[s.then]), plain[s.first], plain[s.then], float64(sessions) / n,
	}
}

// general is how little a kind of step says: 0 for a command or a file, 1 for an
// ending.
func general(kind string) float64 {
	_, what, _ := strings.Cut(kind, ":")
	switch {
	case strings.HasPrefix(what, "*."):
		return 1
	case strings.Contains(what, "*"):
		return 0.5
	case strings.HasPrefix(kind, "run:") && !strings.Contains(what, " "):
		return 0.7
	}
	return 0
}

// ordinary is 1 for the steps that all work is made of: looking, testing, committing.
func ordinary(kind string) float64 {
	verb, what, _ := strings.Cut(kind, ":")
	if verb != "run" {
		return bit(verb == "use" || verb == "read")
	}
	line := activity.ParseLine(what)
	if line.Check() == activity.Test || line.Check() == activity.Build || line.Looks() {
		return 1
	}
	return bit(slices.ContainsFunc(everyday, func(w string) bool { return what == w || strings.HasPrefix(what, w+" ") }))
}

// everyday are programs of all work beyond those that look or check.
var everyday = []string{"git add", "git commit", "git push", "git pull", "git switch", "git checkout", "sed", "cat", "curl", "rm", "cp", "mv", "mkdir", "python", "python3", "node", "Rscript", "uv run python"}
