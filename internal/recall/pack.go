package recall

import (
	"fmt"
	"math"
	"sort"

	"orihon/memory"
)

// admit compares relevance, and nothing else, with the threshold: the base for
// the intent, lowered step by step while nothing reaches it, raised while too
// much does. Documents have a threshold of their own: many of them that fit must
// not silence memory.
func (e *Engine) admit(q *memory.Query, p *parsed, hits []memory.Hit, r *memory.Recollection) {
	statements, documents := apart(hits)
	r.Threshold = e.threshold(q, p, statements)
	forDocuments := e.threshold(q, p, documents)
	for i := range hits {
		h := &hits[i]
		t := r.Threshold
		if document(h) {
			t = forDocuments
		}
		switch {
		case h.Relevance < t:
			h.Why = fmt.Sprintf("relevance %.2f is below the threshold %.2f", h.Relevance, t)
		case q.Seen != nil && q.Seen(h.Passage.ID, h.Hash):
			h.Why = inWindow
		default:
			h.Kept = true
		}
	}
}

// inWindow is why a passage is left out that the caller has seen.
const inWindow = "already in this window"

// threshold is the query's own, or the one that suits the hits.
func (e *Engine) threshold(q *memory.Query, p *parsed, hits []*memory.Hit) float64 {
	switch {
	case q.Threshold < 0:
		return 0
	case q.Threshold == 0:
		return e.adapt(p.intent.threshold(e.set.Threshold), hits)
	}
	return q.Threshold
}

// least is the lowest threshold that a query can come to.
func (e *Engine) least(q *memory.Query, p *parsed) float64 {
	if q.Threshold == 0 {
		return math.Min(e.set.ThresholdMin, p.intent.threshold(e.set.Threshold))
	}
	return math.Max(0, q.Threshold)
}

func (e *Engine) adapt(t float64, hits []*memory.Hit) float64 {
	const down, up = 0.1, 0.05
	// What is nearly as relevant as the best is not cut off from it.
	const margin = 0.05
	t = round(math.Min(t, e.set.ThresholdMax))
	reach := func(t float64) int {
		n := 0
		for i := range hits {
			if hits[i].Relevance >= t {
				n++
			}
		}
		return n
	}
	for reach(t) == 0 && t > e.set.ThresholdMin {
		t = math.Max(e.set.ThresholdMin, round(t-down))
	}
	var best float64
	for i := range hits {
		best = math.Max(best, hits[i].Relevance)
	}
	if best >= t {
		t = math.Max(e.set.ThresholdMin, math.Min(t, round(best-margin)))
	}
	for reach(t) > e.set.TooMany && t < e.set.ThresholdMax {
		higher := math.Min(e.set.ThresholdMax, round(t+up))
		if reach(higher) == 0 {
			break
		}
		t = higher
	}
	return t
}

// pack takes the admitted hits in order while they fit the budget, and words
// the result. A hit that does not fit is skipped; a smaller one behind it may
// still fit. Memory and documents have shares of their own, see [portions].
func (e *Engine) pack(q *memory.Query, p *parsed, hits []memory.Hit, r *memory.Recollection) {
	successorsFirst(hits)
	overlap(hits)
	w := wordingFor(p.language)
	v := view{wording: w, today: e.now(), sources: !e.set.HideSources, committer: e.committer}
	k := newPacking(&v, hits, p.budget, q.MaxChars)
	for _, s := range portions(hits, room{p.budget, q.MaxChars, q.Limit}) {
		k.fill(s)
	}
	if chosen := k.chosen(); len(chosen) > 0 {
		r.Text, r.Tokens = frame(w, v.sections(chosen))
	}
	for i := range hits {
		switch {
		case hits[i].Kept:
			r.Hits = append(r.Hits, hits[i])
		case q.Explain:
			r.Dropped = append(r.Dropped, hits[i])
		}
	}
}

// successorsFirst moves every superseded hit right behind the item that
// replaced it, when both are there.
func successorsFirst(hits []memory.Hit) {
	place := make(map[string]int, len(hits))
	for i := range hits {
		place[hits[i].Passage.ID] = i
	}
	type key struct{ lead, depth int }
	keys := make(map[string]key, len(hits))
	for i := range hits {
		lead, depth := i, 0
		for next := hits[i].Passage.SupersededBy; next != "" && depth < len(hits); depth++ {
			j, ok := place[next]
			if !ok {
				break
			}
			lead, next = j, hits[j].Passage.SupersededBy
		}
		keys[hits[i].Passage.ID] = key{lead, depth}
	}
	sort.SliceStable(hits, func(i, j int) bool {
		a, b := keys[hits[i].Passage.ID], keys[hits[j].Passage.ID]
		if a.lead != b.lead {
			return a.lead < b.lead
		}
		return a.depth < b.depth
	})
}
