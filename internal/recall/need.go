package recall

import (
	"math"
	"slices"
	"sort"

	"orihon/internal/terms"
	"orihon/memory"
)

// weights holds how much each term of the prompt says, 0..1.
type weights struct {
	term   []float64
	total  float64
	need   float64   // what counts as covering the prompt
	alike  []int     // see parsed.alike
	covers []float64 // see parsed.covers
}

// Background statistics that stand in for a corpus while the store is small:
// in backgroundDocs imagined passages an everyday word of programming stands
// in commonDocs, any other in rareDocs.
const (
	backgroundDocs = 1000
	commonDocs     = 100
	rareDocs       = 2
)

// weigh gives each term its smoothed inverse document frequency over that of
// a term never seen. A date in the prompt counts like such a term.
func weigh(words []string, dated bool, c *memory.Candidates) weights {
	w := weights{term: make([]float64, len(words))}
	full := math.Log(float64(c.N+backgroundDocs) / rareDocs)
	for i, t := range words {
		seen := float64(rareDocs)
		if terms.Common(t) {
			seen = commonDocs
		}
		df := 0
		if i < len(c.DF) {
			df = c.DF[i]
		}
		w.term[i] = math.Max(0, math.Log(float64(c.N+backgroundDocs)/(float64(df)+seen))) / full
		w.total += w.term[i]
	}
	w.total += one(dated)
	w.enough()
	return w
}

// needs is what the prompt needs to be covered by a passage of the pool; asked
// says that it names a speaker.
func (e *Engine) needs(p *parsed, c *memory.Candidates, hits []memory.Hit, asked bool) weights {
	w := weigh(p.terms, len(p.periods) > 0, c)
	if asked {
		w.withoutSpeakers(p.terms, hits)
	}
	w.withoutCommon(c, len(p.own()), e.set.CommonShare)
	w.alike, w.covers = p.alike, p.covers
	w.withoutLight(p.weight)
	w.strange(p, c)
	return w
}

// withoutLight takes what the prompt leans on, and what only means the same as its words,
// out of what must be covered.
func (w *weights) withoutLight(weight []float64) {
	for i, share := range weight {
		if share < 1 {
			w.total -= w.term[i]
			w.term[i] = 0
		}
	}
	w.enough()
}

// enough finds what counts as covering the prompt: a short one must be covered as a
// whole; of a long one, which speaks of several things, two rare words' worth is much,
// growing slowly.
func (w *weights) enough() {
	const much = 2
	w.need = math.Min(w.total, much*math.Sqrt(math.Max(1, w.total/(2*much))))
}

// withoutCommon takes out what is not searched for since it stands in more than a
// share of the passages, where rarer words are: no passage is seen to hold it. Only
// the first own words are the prompt's.
func (w *weights) withoutCommon(c *memory.Candidates, own int, share float64) {
	limit := int(share * float64(c.N))
	rare := func(df int) bool { return df > 0 && df <= limit }
	own = min(own, len(c.DF), len(w.term))
	if !slices.ContainsFunc(c.DF[:own], rare) {
		return
	}
	for i := range own {
		if c.DF[i] > limit && !slices.ContainsFunc(c.Hits, func(h memory.Candidate) bool { return i < len(h.Matched) && h.Matched[i] > 0 }) {
			w.total -= w.term[i]
			w.term[i] = 0
		}
	}
	w.enough()
}

// strange makes a prompt that names somebody or something the store has never
// heard of need more to be covered: it is likely to be about another matter.
func (w *weights) strange(p *parsed, c *memory.Candidates) {
	const weight, most = 1.5, 3 // words never seen
	unheard := func(t string) bool {
		i := slices.Index(p.terms, t)
		return i >= 0 && i < len(c.DF) && c.DF[i] == 0 && w.term[i] > 0
	}
	more := 0.0
	for _, name := range p.names {
		if c.N > 0 && len(name) > 0 && !slices.ContainsFunc(name, func(t string) bool { return !unheard(t) }) {
			more += weight
		}
	}
	w.need += math.Min(most, more)
}

// rarestFirst orders the terms of a prompt by how much they say, as seen by the
// pools together.
func rarestFirst(words []string, pools []pool) []string {
	w := weighAll(words, pools)
	order := make([]int, len(words))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return w.term[order[a]] > w.term[order[b]] })
	out := make([]string, len(words))
	for i, j := range order {
		out[i] = words[j]
	}
	return out
}

// weighAll weighs words by all pools together.
func weighAll(words []string, pools []pool) weights {
	all := memory.Candidates{DF: make([]int, len(words))}
	for i := range pools {
		c := &pools[i].candidates
		all.N += c.N
		for j := range c.DF[:min(len(c.DF), len(words))] {
			all.DF[j] += c.DF[j]
		}
	}
	return weigh(words, false, &all)
}

// relevance is the share of what the prompt needs that stands in the passage,
// with the likeness of the vectors as independent evidence.
func (w *weights) relevance(c *memory.Candidate, dated float64, l likeness) float64 {
	if w.need == 0 {
		return 0
	}
	sum := dated
	covers := make([]float64, len(w.term))
	for i, tf := range c.Matched {
		cover := saturate(tf, c.Length)
		if i < len(w.alike) && w.alike[i] >= 0 {
			i, cover = w.alike[i], w.covers[i]*cover
		}
		covers[i] = math.Max(covers[i], cover)
	}
	for i, cover := range covers {
		sum += w.term[i] * cover
	}
	return 1 - (1-math.Min(1, sum/w.need))*(1-l.evidence(c.Vector))
}

// saturate counts a term once; in a long passage a single occurrence counts
// less, since long texts hold many words by chance.
func saturate(tf, length int) float64 {
	if tf == 0 {
		return 0
	}
	const k, b, usual = 0.4, 0.5, 40
	n := float64(tf)
	return math.Min(1, n*(k+1)/(n+k*(1-b+b*float64(length)/usual)))
}

// withoutSpeakers takes the names of speakers out of what must be covered: who
// speaks seldom says the own name, and who is spoken to is named whatever is
// spoken of.
func (w *weights) withoutSpeakers(words []string, hits []memory.Hit) {
	var names []string
	last := ""
	for i := range hits {
		if s := hits[i].Passage.Speaker; hits[i].Speaker && s != last {
			last = s
			names = append(names, terms.Index(s)...)
		}
	}
	for i, t := range words {
		if slices.Contains(names, t) {
			w.total -= w.term[i]
			w.term[i] = 0
		}
	}
	w.enough()
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
