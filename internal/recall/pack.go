package recall

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"orihon/internal/asks"
	"orihon/internal/reader"
	"orihon/internal/tokens"
	"orihon/internal/wording"
	"orihon/memory"
)

// admit compares relevance, and nothing else, with a threshold. That of statements
// which a model has judged is the settings': it means the same for every prompt.
// What is judged otherwise has thresholds of its own, by the intent, lowered step by
// step while nothing reaches them; documents one apart from the others, since many that
// fit must not silence memory.
func (e *Engine) admit(q *memory.Query, p *parsed, hits []memory.Hit, r *memory.Recollection) {
	others, documents := apart(hits)
	forDocuments, forOthers := e.threshold(q, p, documents), e.threshold(q, p, others)
	statements := slices.DeleteFunc(others, func(h *memory.Hit) bool { return h.Passage.Conversation() })
	r.Threshold = forOthers
	forJudged := max(0, cmp.Or(q.Threshold, e.set.Threshold))
	if len(statements) > 0 {
		r.Threshold = e.threshold(q, p, statements)
	}
	if slices.ContainsFunc(statements, func(h *memory.Hit) bool { return h.Probability > 0 }) {
		r.Threshold = forJudged
	}
	for i := range hits {
		h := &hits[i]
		t := forOthers
		switch {
		case document(h):
			t = forDocuments
		case judged(&h.Passage):
			t = r.Threshold
		case h.Probability > 0:
			t = forJudged
		}
		switch {
		case h.Relevance < t:
			h.Why = fmt.Sprintf("relevance %.2f is below the threshold %.2f", h.Relevance, t)
		case q.Seen != nil && q.Seen(h.Passage.ID, h.Hash):
			h.Why = inWindow
		case p.told && disowns(h):
			h.Why = "asks that something be forgotten"
		default:
			h.Kept = true
		}
	}
}

// disowns reports whether a hit is a turn in which the user asked to forget something:
// that is no knowledge.
func disowns(h *memory.Hit) bool {
	const likely = 0.25
	return h.Passage.Population == memory.UserTurns && asks.Forget(reader.Prepare(h.Passage.Item.Content)) >= likely
}

// judged reports whether there is a model for a passage: for statements, not for
// episodes, turns and documents.
func judged(p *memory.Passage) bool {
	return p.Population == memory.Statements && p.Item.Kind != memory.Episodic
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

// adapt lowers a threshold step by step while nothing reaches it, and to just below the
// best that does: what is nearly as relevant is not cut off from it.
func (e *Engine) adapt(t float64, hits []*memory.Hit) float64 {
	const down, margin = 0.1, 0.05
	best := 0.0
	for _, h := range hits {
		best = math.Max(best, h.Relevance)
	}
	t = round(t)
	for best < t && t > e.set.ThresholdMin {
		t = math.Max(e.set.ThresholdMin, round(t-down))
	}
	if best < t {
		return t
	}
	return math.Max(e.set.ThresholdMin, math.Min(t, round(best-margin)))
}

// pack takes the admitted hits in order while they fit the budget, and words
// the result. A hit that does not fit is skipped; a smaller one behind it may
// still fit. Memory and documents have shares of their own, see [portions].
func (e *Engine) pack(q *memory.Query, p *parsed, hits []memory.Hit, r *memory.Recollection) {
	for i := range hits {
		if hits[i].Kept {
			r.Unfit++ // those that fit are taken off below
		}
	}
	successorsFirst(hits)
	overlap(hits)
	v := e.style.In(p.language)
	v.IDs = q.IDs
	k := newPacking(v, hits, p.budget, q.MaxChars)
	for _, s := range portions(hits, wording.Room{Tokens: p.budget, Characters: q.MaxChars, Passages: q.Limit}) {
		k.fill(s)
	}
	told := v.Sections(k.chosen())
	var more []wording.Section
	if more, r.Habits = v.Habits(q.Habits, passagesOf(hits), func(next []wording.Section) bool {
		text, n := wording.Frame(v.Words, slices.Concat(told, next))
		return n <= p.budget && (q.MaxChars == 0 || wording.Characters(text) <= q.MaxChars)
	}); len(told)+len(more) > 0 {
		r.Text, r.Tokens = wording.Frame(v.Words, slices.Concat(told, more))
	}
	for i := range hits {
		hits[i].Origin = v.Origin(&hits[i].Passage)
		switch {
		case hits[i].Kept:
			r.Hits = append(r.Hits, hits[i])
			r.Unfit--
		case q.Explain:
			r.Dropped = append(r.Dropped, hits[i])
		}
	}
}

// successorsFirst moves every superseded hit right behind the item that
// replaced it, and every other behind what was told later of the same matter, when
// both are there.
func successorsFirst(hits []memory.Hit) {
	place := make(map[string]int, len(hits))
	for i := range hits {
		place[hits[i].Passage.ID] = i
	}
	type key struct{ lead, depth int }
	keys := make(map[string]key, len(hits))
	for i := range hits {
		lead, depth := i, 0
		for next := hits[i].Behind(); next != "" && depth < len(hits); depth++ {
			j, ok := place[next]
			if !ok {
				break
			}
			lead, next = j, hits[j].Behind()
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

// portion is a part of the room for some of the hits.
type portion struct {
	takes func(h *memory.Hit) bool
	room  wording.Room
}

// packing chooses hits and keeps count of what [wording.Frame] would make of those
// chosen so far, so that each costs its own text and not that of all.
type packing struct {
	*wording.View
	hits  []memory.Hit
	taken []bool
	n     int
	used  wording.Cost
	whole wording.Room // the bounds that reasons name

	titled  map[int]bool      // groups that have their title
	in      map[string]int    // chosen passage → its group
	of      map[string]string // chosen passage → the atom it may stand under
	members map[string]*member
}

// member is the first chosen bullet of an atom, and how many follow it.
type member struct {
	first *memory.Hit
	alone wording.Cost // as a line of its own
	count int
}

func newPacking(v *wording.View, hits []memory.Hit, budget, most int) *packing {
	text, _ := wording.Frame(v.Words, nil)
	return &packing{
		View: v, hits: hits, taken: make([]bool, len(hits)), used: wording.CostOf(text), whole: wording.Room{Tokens: budget, Characters: most},
		titled: make(map[int]bool), in: make(map[string]int), of: make(map[string]string), members: make(map[string]*member),
	}
}

// fill takes what fits of a share, in order. The reason of what is left out is
// that of the last share it was tried for.
func (k *packing) fill(s portion) {
	for i := range k.hits {
		h := &k.hits[i]
		if !h.Kept && !k.tried(h) || k.taken[i] || !s.takes(h) {
			continue
		}
		if !k.above(h.Later) {
			h.Later = ""
		}
		line := k.Line(h)
		h.Tokens = tokens.Estimate(line)
		h.Kept, h.Why = k.try(h, line, s.room)
		k.taken[i] = h.Kept
	}
}

// above reports whether a hit was chosen already, or stands in the window.
func (k *packing) above(id string) bool {
	_, shown := k.in[id]
	return shown || slices.ContainsFunc(k.hits, func(h memory.Hit) bool { return h.Passage.ID == id && h.Why == inWindow })
}

// tried reports whether a hit was left out by an earlier share.
func (k *packing) tried(h *memory.Hit) bool { return h.Tokens > 0 }

// try takes a hit if there is room for it, and says why or why not.
func (k *packing) try(h *memory.Hit, line string, r wording.Room) (bool, string) {
	p := &h.Passage
	if r.Passages > 0 && k.n >= r.Passages {
		return false, fmt.Sprintf("more than %d passages", r.Passages)
	}
	if _, shown := k.in[p.SupersededBy]; p.SupersededBy != "" && !shown {
		return false, "replaced by " + p.SupersededBy + ", which is not shown"
	}
	n, ok := k.in[h.Behind()]
	if !ok {
		n = wording.Group(p)
	}
	atom := k.atom(h)
	used := k.used.Plus(k.more(h, line, n, atom))
	if !used.Within(r) {
		if r.Characters > 0 && used.Within(wording.Room{Tokens: r.Tokens}) {
			return false, fmt.Sprintf("does not fit the limit of %d characters", k.whole.Characters)
		}
		return false, fmt.Sprintf("does not fit the budget of %d tokens", k.whole.Tokens)
	}
	k.used, k.titled[n], k.in[p.ID] = used, true, n
	k.n++
	if atom != "" {
		k.of[p.ID] = atom
		if m := k.members[atom]; m != nil {
			m.count++
		} else {
			k.members[atom] = &member{first: h, alone: wording.CostOf(line), count: 1}
		}
	}
	return true, reason(h)
}

// atom is what [wording.Atoms] says of a hit that follows those chosen.
func (k *packing) atom(h *memory.Hit) string {
	atom := wording.AtomOf(&h.Passage)
	if atom == "" || h.Later != "" || h.Weak || h.Passage.SupersededBy != "" && k.of[h.Passage.SupersededBy] != atom {
		return ""
	}
	return atom
}

// more is what a hit adds to the text. The second bullet of an atom makes the
// first move under a title with it.
func (k *packing) more(h *memory.Hit, line string, n int, atom string) wording.Cost {
	var c wording.Cost
	if !k.titled[n] {
		c = wording.CostOf("\n" + k.Titles()[n] + "\n")
	}
	switch m := k.members[atom]; {
	case m == nil:
		return c.Plus(wording.CostOf(line + "\n"))
	case m.count == 1:
		return c.Plus(wording.CostOf(k.AtomTitle(&m.first.Passage) + k.Bullet(&m.first.Passage) + k.Bullet(&h.Passage))).Minus(m.alone)
	}
	return c.Plus(wording.CostOf(k.Bullet(&h.Passage)))
}

// chosen are the hits that were taken, in their order.
func (k *packing) chosen() []*memory.Hit {
	out := make([]*memory.Hit, 0, k.n)
	for i := range k.hits {
		if k.taken[i] {
			out = append(out, &k.hits[i])
		}
	}
	return out
}

// reason says in a few words what spoke for a hit.
func reason(h *memory.Hit) string {
	switch {
	case h.Weak:
		return belowTheLine
	case h.Trigger:
		return "its trigger is in the prompt"
	case h.Related:
		return "related to a hit"
	case h.Own > 0 && h.Near > h.Own && h.Passage.Conversation():
		return "its text and its neighbours match"
	case h.Own > 0:
		return "its text matches"
	case h.Near > 0:
		return "its neighbours match"
	case h.Vector > 0:
		return "its wording is alike"
	}
	return "brought along by a hit"
}

// passagesOf are those that are told or stand in the window.
func passagesOf(hits []memory.Hit) []memory.Passage {
	var out []memory.Passage
	for i := range hits {
		if hits[i].Kept || hits[i].Why == inWindow {
			out = append(out, hits[i].Passage)
		}
	}
	return out
}
