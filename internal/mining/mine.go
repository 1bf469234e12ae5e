package mining

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"orihon/habit"
	"orihon/internal/terms"
	"orihon/memory"
)

// Found is a habit that was seen.
type Found struct {
	Kind                    habit.Kind
	Trigger, Action, Domain string
	// P is how likely it is a habit that holds, rather than a coincidence, 0..1.
	P        float64
	Evidence []habit.Evidence // oldest first
	// Against are the places at which the person took it back later.
	Against []habit.Evidence

	language string
	alike    float64 // how alike its occurrences are, as links have it
	weakest  float64
	back     float64 // how likely it was taken back
	dropped  bool    // it was not done when its occasion came up last
	vague    bool    // of a fix or a correction: nobody could say what it is
	unlikely bool    // it is not even suggested
	turns    []int   // of a correction
	calls    []int   // of others: the first call of each occurrence, or what mended
	failed   []int   // of a fix: what failed
	then     [][]int // of a sequence: the calls behind the first
	steps    []int32 // of a sequence
}

// Options of [Mine].
type Options struct {
	Weights Weights // nil are those of the binary
}

// Bounds of what is looked at and said.
const (
	leastTold  = 0.5  // link to what memory keeps by which a correction is the same
	mostJudged = 150  // habits of a kind that are looked at closely
	mostWeak   = 20   // habits of a kind that are only suggested
	leastWeak  = 0.15 // how likely these must be
	leastSteps = 0.65 // the same of steps that follow each other, as most steps do by chance
)

// levels are the means of links by which groups are made.
var levels = []float64{0.5, 0.25, 0.1}

// Mine finds the habits in sessions, which are in the order in which they were, the
// likeliest habits first. What is only suggested is limited, what is sure is not, nor
// what was taken back, which may be known from when it was not.
func Mine(ctx context.Context, sessions []*Session, o *Options) ([]Found, error) {
	var w Weights
	if o != nil {
		w = o.Weights
	}
	return Collect(sessions).Mine(ctx, w)
}

// Mine is [Mine] in sessions that were reduced; without weights, with those of the
// binary.
func (c *Corpus) Mine(ctx context.Context, w Weights) ([]Found, error) {
	if w == nil {
		w = builtin()
	}
	all, err := c.find(ctx, w)
	if err != nil {
		return nil, err
	}
	c.judge(w, all)
	weak := make(map[habit.Kind]int)
	out := all[:0]
	for i := range all {
		f := &all[i]
		if f.Confidence() < memory.InjectConfidence {
			f.unlikely = f.P < leastWeak || f.Kind == habit.Sequence && f.P < leastSteps || f.Confidence() < memory.SingleConfidence || weak[f.Kind] == mostWeak || c.idle(f)
			if f.unlikely && len(f.Against) == 0 {
				continue
			}
			if !f.unlikely {
				weak[f.Kind]++
			}
		}
		if f.Suggested() {
			c.word(f)
		}
		out = append(out, *f)
	}
	return out, ctx.Err()
}

// Suggested reports whether a habit is likely enough for somebody to be shown it.
func (f *Found) Suggested() bool { return !f.unlikely }

// idle reports what no colleague would call a habit, since nothing was done: a correction
// for which things were mostly only looked at, an error for which what had failed was
// mostly done again, with nothing that all these calls have and the failing ones lack.
func (c *Corpus) idle(f *Found) bool {
	n := 0
	for _, i := range f.turns {
		t := &c.turns[i]
		n += int(bit(!slices.ContainsFunc(c.calls[t.from:t.to], func(x call) bool { return !x.looks })))
	}
	var more []bag
	for k, i := range f.failed {
		x, by := &c.calls[i], &c.calls[f.calls[k]]
		if len(shared(x.steps, by.steps)) > 0 {
			more, n = append(more, union(without(by.ran, x.ran), by.added)), n+1
		}
	}
	return 2*n > len(f.Evidence) && len(c.telling(more)) == 0
}

// find finds habits of all kinds, the likeliest first.
func (c *Corpus) find(ctx context.Context, w Weights) ([]Found, error) {
	var out []Found
	for _, find := range []func(Weights) []Found{c.findCorrections, c.findFixes, c.findSequences} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		some := find(w)
		slices.SortStableFunc(some, func(a, b Found) int { return cmp.Compare(b.alike, a.alike) })
		out = append(out, some[:min(len(some), mostJudged)]...)
	}
	for i := range out {
		out[i].language = c.languageOf(&out[i])
	}
	return out, nil
}

// judge tells how likely each is a habit, and puts the likeliest first.
func (c *Corpus) judge(w Weights, all []Found) {
	c.takeBack(w, all)
	for i := range all {
		all[i].P = w.p(worth(all[i].Kind), c.worthFacts(&all[i]))
	}
	slices.SortStableFunc(all, func(a, b Found) int { return cmp.Compare(b.P, a.P) })
}

// worthFacts are what tells a habit from a coincidence.
func (c *Corpus) worthFacts(f *Found) []float64 {
	n, sessions := float64(len(f.Evidence)), float64(spread(f.Evidence))
	out := []float64{1, f.alike, f.weakest, math.Log(n), math.Log(sessions), sessions / n, f.back, bit(f.back >= leastBack)}
	mean, least := 0.0, 1.0
	switch f.Kind {
	case habit.Correction:
		for _, i := range f.turns {
			mean += c.turns[i].p / n
			least = min(least, c.turns[i].p)
		}
		out = append(out, mean, least, f.alike*least)
	case habit.Fix:
		same, edits := 0.0, 0.0
		for k, i := range f.calls {
			same += bit(c.calls[i].closest == c.calls[f.failed[k]].closest) / n
			edits += bit(c.calls[i].edits) / n
		}
		out = append(out, same, edits)
	case habit.Sequence:
		asked := 0.0
		for _, i := range f.calls {
			asked += bit(c.turns[c.calls[i].turn].from == i) / n
		}
		first, then := c.kinds.name[f.steps[0]], c.kinds.name[f.steps[len(f.steps)-1]]
		if c.in == nil {
			c.in = c.sessionsOf()
		}
		all := float64(len(c.sessions))
		x, y := float64(c.in[f.steps[0]])/all, float64(c.in[f.steps[len(f.steps)-1]])/all
		out = append(out, float64(len(f.steps)), asked, general(first)+general(then), ordinary(first)+ordinary(then), ordinary(first)*ordinary(then),
			bit(strings.HasPrefix(first, "run:"))+bit(strings.HasPrefix(then, "run:")), max(x, y), min(x, y), max(general(first), general(then), ordinary(first), ordinary(then)),
			general(then)*bit(strings.HasPrefix(then, "edit:")), ordinary(first)*bit(strings.HasPrefix(then, "edit:")))
	}
	return out
}

func (c *Corpus) findCorrections(w Weights) []Found {
	at, links := c.corrections(w)
	told := make(map[int]bool) // corrections that say again what memory keeps
	for _, l := range links {
		if l.p >= leastTold && (c.turns[at[l.a]].told || c.turns[at[l.b]].told) {
			told[l.a], told[l.b] = true, true
		}
	}
	var out []Found
	for _, g := range groups(len(at), links, levels...) {
		f := Found{Kind: habit.Correction, alike: g.p, weakest: g.weakest}
		rule := false
		for _, m := range g.members {
			rule = rule || told[m] || c.turns[at[m]].told
			f.turns = append(f.turns, at[m])
			f.Evidence = append(f.Evidence, c.saidAt(at[m]))
		}
		f.vague = 2*c.correct(f.turns) < len(f.turns) && c.unlike(f.turns)
		if !rule && spread(f.Evidence) >= 2 {
			out = append(out, f)
		}
	}
	return out
}

// unlike reports messages of which most share no word that says something, neither said
// nor done for them: that each came behind a change, and takes something back, makes no
// habit of them.
func (c *Corpus) unlike(turns []int) bool {
	var all []bag
	for _, i := range turns {
		all = append(all, c.turns[i].all)
	}
	return len(c.telling(all)) == 0
}

// correct counts the messages that rather correct what was done than not.
func (c *Corpus) correct(turns []int) (n int) {
	for _, i := range turns {
		n += int(bit(c.turns[i].p >= corrects))
	}
	return n
}

func (c *Corpus) findFixes(w Weights) []Found {
	all, by, links := c.fixes(w)
	var out []Found
	for _, g := range groups(len(by), links, levels...) {
		f := Found{Kind: habit.Fix, alike: g.p, weakest: g.weakest}
		for _, m := range g.members {
			if slices.Contains(f.calls, by[m]) {
				continue // it failed more than once until then
			}
			f.calls, f.failed = append(f.calls, by[m]), append(f.failed, all[m].failed)
			f.Evidence = append(f.Evidence, c.evidence(by[m]))
		}
		f.vague = c.vague(f.calls)
		if spread(f.Evidence) >= 2 {
			out = append(out, f)
		}
	}
	return out
}

// vague reports edits that have nothing in common: that something was edited says
// nothing of what helps.
func (c *Corpus) vague(calls []int) bool {
	var added []bag
	for _, i := range calls {
		if c.calls[i].edits {
			added = append(added, c.calls[i].added)
		}
	}
	return 2*len(added) > len(calls) && len(c.telling(added)) == 0
}

// findSequences takes pairs of steps, the likeliest first, and leaves out those whose
// occurrences others tell of already.
func (c *Corpus) findSequences(w Weights) []Found {
	const least = 0.05
	var out []Found
	of := make(map[int][]int) // call → sequences that it is part of
	for _, s := range c.sequences(w) {
		if s.p < least {
			break
		}
		known := 0
		for _, x := range s.at {
			if slices.ContainsFunc(of[x[0]], func(n int) bool { return slices.Contains(of[x[1]], n) }) {
				known++
			}
		}
		if 2*known > len(s.at) || c.aimless(&s) || c.joins(out, of, &s) {
			continue
		}
		f := Found{Kind: habit.Sequence, alike: s.p, weakest: s.p, steps: []int32{s.first, s.then}}
		for _, x := range s.at {
			of[x[0]], of[x[1]] = append(of[x[0]], len(out)), append(of[x[1]], len(out))
			f.calls, f.then = append(f.calls, x[0]), append(f.then, []int{x[1]})
			f.Evidence = append(f.Evidence, c.evidence(x[0]))
		}
		out = append(out, f)
	}
	return out
}

// aimless reports a pair of which the second step says nothing that the first does not:
// one of the two is a wider form of the other, as `pnpm vitest` is of `pnpm vitest run`,
// or some file with an ending is changed behind something else than a change to a file
// that is known by more than its ending. Nor is the same run with another program once
// something was said, as `pnpm install` in place of `npm install`: that is a correction.
func (c *Corpus) aimless(s *sequence) bool {
	first, then := c.kinds.name[s.first], c.kinds.name[s.then]
	if named := strings.HasPrefix(first, "edit:") && general(first) < 1; strings.HasPrefix(then, "edit:") && general(then) == 1 && !named {
		return true
	}
	_, did, _ := strings.Cut(first, " ")
	_, does, _ := strings.Cut(then, " ")
	n := 0
	for _, x := range s.at {
		i, j := &c.calls[x[0]], &c.calls[x[1]]
		instead := did != "" && did == does && i.turn != j.turn
		n += int(bit(instead || slices.Contains(i.steps, s.then) || slices.Contains(j.steps, s.first)))
	}
	return 2*n > len(s.at)
}

// joins adds a pair to a sequence that ends where it begins, each time.
func (c *Corpus) joins(all []Found, of map[int][]int, s *sequence) bool {
	const mostSteps = 4
	for _, n := range of[s.at[0][0]] {
		f := &all[n]
		if len(f.steps) == mostSteps || len(f.calls) != len(s.at) || f.steps[len(f.steps)-1] != s.first || slices.Contains(f.steps, s.then) {
			continue
		}
		if slices.ContainsFunc(s.at, func(x [2]int) bool {
			return !slices.ContainsFunc(f.then, func(then []int) bool { return then[len(then)-1] == x[0] })
		}) {
			continue
		}
		f.steps, f.weakest = append(f.steps, s.then), min(f.weakest, s.p)
		for _, x := range s.at {
			k := slices.IndexFunc(f.then, func(then []int) bool { return then[len(then)-1] == x[0] })
			f.then[k] = append(f.then[k], x[1])
			of[x[1]] = append(of[x[1]], n)
		}
		return true
	}
	return false
}

// languageOf is that of what was said around a habit.
func (c *Corpus) languageOf(f *Found) string {
	count := make(map[string]int)
	for _, i := range f.turns {
		count[terms.Lang(c.turns[i].text)]++
	}
	for _, k := range f.calls {
		count[terms.Lang(c.turns[c.calls[k].turn].text)]++
	}
	best := ""
	for l, n := range count {
		if n > count[best] || n == count[best] && l < best {
			best = l
		}
	}
	return best
}
