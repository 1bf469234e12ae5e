package score

import (
	"cmp"
	"math"
	"slices"

	"orihon/memory"
)

// BM25 parameters (Robertson & Zaragoza 2009). k1 is the usual default; b is
// lower than the usual 0.75, since the short texts of a memory differ in length
// for no reason that speaks against the longer one: half a point of recall on
// development data.
const (
	bm25K1    = 1.2
	bm25B     = 0.5
	bm25NearB = 0.7 // of a passage with its neighbours
	// idfPower lets rare words count more than in plain BM25: one point of
	// recall at ten on development data at 1.2 to 1.6, nothing at 2.
	idfPower = 1.3
)

// nearWeights weigh the words of neighbours at distance 1 and 2 against the
// passage's own.
var nearWeights = [2]float64{1, 0.5}

// Totals are what BM25 needs to know of an index as a whole: how many passages
// there are and their terms, and of those with neighbours how many and their
// terms with the neighbours' by weight.
type Totals struct {
	Passages, OwnTerms, NearTerms, NearPassages int
	Stated                                      int // items among them that state something
}

// Add counts a passage of own terms and its neighbours', or takes it away with
// sign −1.
func (t *Totals) Add(own []string, near [2][]string, stated bool, sign int) {
	t.Passages += sign
	if stated {
		t.Stated += sign
	}
	t.OwnTerms += sign * len(own)
	if len(near[0])+len(near[1]) > 0 {
		t.NearPassages += sign
		t.NearTerms += sign * ContextLength(len(own), near)
	}
}

// ContextLength is the length of a passage of own terms with its neighbours',
// each counted by its weight.
func ContextLength(own int, near [2][]string) int {
	return own + int(nearWeights[0]*float64(len(near[0]))+nearWeights[1]*float64(len(near[1])))
}

// Defaults returns a search with the figures that [memory.Search] documents for
// what is zero.
func Defaults(s memory.Search) memory.Search {
	s.Limit = cmp.Or(max(s.Limit, 0), 200)
	s.MaxTerms = cmp.Or(max(s.MaxTerms, 0), 12)
	s.CommonShare = cmp.Or(max(s.CommonShare, 0), 0.3)
	return s
}

// Query is one search, by which passages are scored.
type Query struct {
	// Vector of the search; nil leaves vectors out.
	Vector *Vector

	terms  []string
	at     map[string]int // term → its place in terms
	idf    []float64
	source []int // the place of the term that one stands for, most often its own
	chosen []int // places of the terms that are searched for, those of one source together
	own    norm
	near   norm // with neighbours
}

// NewQuery makes the query of a search over an index of which df passages hold
// each of its terms.
func NewQuery(s memory.Search, df []int, t Totals) *Query {
	q := &Query{terms: s.Terms, at: make(map[string]int, len(s.Terms)), idf: make([]float64, len(s.Terms)), source: make([]int, len(s.Terms))}
	n := float64(t.Passages)
	for i, f := range df {
		f := min(float64(f), n)
		// The variant of the inverse document frequency that is never
		// negative, as in Lucene.
		q.idf[i] = math.Pow(math.Log(1+(n-f+0.5)/(f+0.5)), idfPower)
	}
	for i := range df {
		q.source[i] = s.StandsFor(i)
	}
	for i := len(df) - 1; i >= 0; i-- { // what stands for another follows it
		q.idf[i] = q.idf[q.source[i]]
		if i < len(s.Weights) {
			q.idf[i] *= s.Weights[i]
		}
	}
	q.chosen = choose(df, t.Passages, &s)
	for _, i := range q.chosen {
		q.at[s.Terms[i]] = i
	}
	q.own = norm{math.Max(1, float64(t.OwnTerms)/math.Max(1, n)), bm25B}
	q.near = norm{math.Max(1, float64(t.NearTerms)/math.Max(1, float64(t.NearPassages))), bm25NearB}
	if slices.ContainsFunc(s.Vector, func(v float32) bool { return v != 0 }) {
		q.Vector = NewRotation(len(s.Vector)).Vector(s.Vector)
	}
	return q
}

// choose returns the places of the terms that are searched for: the rarest ones,
// without those in more than the common share of the n passages when there are
// rarer ones. Terms of no passage come last: only a neighbour that is itself no
// passage can hold them. The first so many terms go before all others. Terms that
// count for less than others have places of their own, three times as many. Behind
// each stand those that stand for it.
func choose(df []int, n int, s *memory.Search) []int {
	const smallStore = 20 // passages; below, shares mean nothing
	limit := int(s.CommonShare * float64(n))
	if n < smallStore {
		limit = n
	}
	counts := func(i int) bool { return i >= len(s.Weights) || s.Weights[i] == 1 }
	rare := false
	for i, f := range df {
		rare = rare || counts(i) && f > 0 && f <= limit
	}
	var full, light []int
	alike := make(map[int][]int)
	for i, f := range df {
		of := s.StandsFor(i)
		switch {
		case f > limit && (rare || !counts(i)):
		case of != i:
			if f > 0 {
				alike[of] = append(alike[of], i)
			}
		case !counts(i):
			light = append(light, i)
		default:
			full = append(full, i)
		}
	}
	for _, order := range [][]int{full, light} {
		slices.SortStableFunc(order, func(a, b int) int {
			if (a < s.First) != (b < s.First) {
				return cmp.Compare(a, b)
			}
			if (df[a] == 0) != (df[b] == 0) {
				return cmp.Compare(df[b], df[a])
			}
			return cmp.Compare(df[a], df[b])
		})
	}
	var out []int
	for _, i := range slices.Concat(full[:min(len(full), s.MaxTerms)], light[:min(len(light), 3*s.MaxTerms)]) {
		out = append(append(out, i), alike[i]...)
	}
	return out
}

// norm is how a length counts: by how much, and against which average.
type norm struct{ average, b float64 }

// bm25 is one term's part of a score.
func bm25(idf, tf, length float64, n norm) float64 {
	return idf * tf * (bm25K1 + 1) / (tf + bm25K1*(1-n.b+n.b*length/n.average))
}

// Words are the terms that are searched for, in the order in which they are
// scored: sums of floats depend on it.
func (q *Query) Words() []string {
	words := make([]string, len(q.chosen))
	for at, i := range q.chosen {
		words[at] = q.terms[i]
	}
	return words
}

// again is what a further word counts that stands for one of which a passage holds
// another already: where a text says a thing in two ways, it is about it.
const again = 0.3

// legs are what one term's occurrences in a passage of the given lengths are worth
// to its two text legs. A passage without neighbours is its own context.
func (q *Query) legs(i int, o Occurrence, own, ctx float64) (l Legs) {
	if o.Own > 0 {
		l.Own = bm25(q.idf[i], float64(o.Own), own, q.own)
	}
	if ctx > own || o.Near > 0 || o.Far > 0 {
		tf := float64(o.Own) + nearWeights[0]*float64(o.Near) + nearWeights[1]*float64(o.Far)
		l.Near = bm25(q.idf[i], tf, ctx, q.near)
	} else {
		l.Near = bm25(q.idf[i], float64(o.Own), own, q.own)
	}
	return l
}

// Legs are the text scores of one passage: by its own text, and by it and its
// neighbours'.
type Legs struct{ Own, Near float64 }

func (l *Legs) add(m Legs) { l.Own, l.Near = l.Own+m.Own, l.Near+m.Near }

// told is by which source's words a passage was found last, plus one.
type told struct{ own, near int32 }

// less is what legs count of a source that may have been told already.
func (t *told) less(l Legs, source int) Legs {
	of := int32(source + 1)
	if l.Own > 0 {
		if t.own == of {
			l.Own *= again
		}
		t.own = of
	}
	if l.Near > 0 {
		if t.near == of {
			l.Near *= again
		}
		t.near = of
	}
	return l
}

// candidate scores a passage that no index holds by its terms and its
// neighbours'.
func (q *Query) candidate(e *Entry) memory.Candidate {
	c := memory.Candidate{Passage: e.Passage, Matched: make([]int, len(q.terms)), Length: len(e.Own), Words: e.Words}
	counts := make([]Occurrence, len(q.terms))
	for _, w := range e.Own {
		if i, ok := q.at[w]; ok {
			counts[i].Own++
			c.Matched[i]++
		}
	}
	for d, list := range e.Near {
		for _, w := range list {
			if i, ok := q.at[w]; ok && d == 0 {
				counts[i].Near++
			} else if ok {
				counts[i].Far++
			}
		}
	}
	var l Legs
	var t told
	for _, i := range q.chosen {
		if !counts[i].none() {
			l.add(t.less(q.legs(i, counts[i], float64(len(e.Own)), float64(ContextLength(len(e.Own), e.Near))), q.source[i]))
		}
	}
	c.Own, c.Near = l.Own, l.Near
	return c
}
