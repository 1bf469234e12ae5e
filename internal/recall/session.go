package recall

import (
	"context"
	"slices"
	"sort"
	"strings"
	"time"

	"orihon/internal/terms"
	"orihon/memory"
)

// spoken is what a session says about a prompt.
type spoken struct {
	session string
	from    time.Time // when the first and the last turn was said that says some
	to      time.Time
	at      time.Time                 // when the turn was said that says most
	best    map[memory.Population]int // the hit of each that is most relevant
	sum     float64                   // relevance of its best turns and of its episode
	covers  []float64                 // how much of each own word of the prompt its turns hold
	top     [3]float64
}

// sessions answers a prompt that asks about the past, and that no statement answers,
// with the episodes of the sessions that talked most about it, and what was said
// there that comes nearest: a long talk is about a matter although none of its
// turns fits well enough to be shown for itself.
func (e *Engine) sessions(ctx context.Context, q *memory.Query, p *parsed, pools []pool, hits []memory.Hit) []memory.Hit {
	const (
		least  = 0.2  // of what the prompt says
		margin = 0.75 // of what the best session says; below, another one is not told
		most   = 2
	)
	if !q.Turns || q.Threshold != 0 || len(q.Kinds) > 0 && !slices.Contains(q.Kinds, memory.Episodic) || !asksPast(p) {
		return hits
	}
	if slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Kept && statement(&h) }) {
		return hits
	}
	w := weighAll(p.own(), pools)
	found := speaking(p, pools, hits)
	for i, s := range found[:min(len(found), most)] {
		if s.sum < margin*found[0].sum || w.share(s.covers) < least {
			break
		}
		episode, ok := e.episodeOf(ctx, q, p, s)
		if !ok {
			continue
		}
		if i == 0 {
			for _, at := range s.best {
				admitted(q, &hits[at])
			}
		}
		at := slices.IndexFunc(hits, func(h memory.Hit) bool { return h.Passage.ID == episode.ID })
		if at < 0 {
			at = len(hits)
			hits = append(hits, memory.Hit{Passage: episode, Hash: Hash(&episode), Activation: memory.NoActivation})
		}
		admitted(q, &hits[at])
	}
	return hits
}

// fewOfEach leaves of one session only the first episodes: a long one has dozens that
// are about much the same.
func fewOfEach(hits []memory.Hit) {
	told := make(map[string]int)
	for i := range hits {
		h := &hits[i]
		if of := h.Passage.Item.Metadata.Session; h.Kept && of != "" && h.Passage.Item.Kind == memory.Episodic {
			if told[of]++; told[of] > ofSession {
				h.Kept, h.Why = false, "more than enough of its session"
			}
		}
	}
}

// admitted lets a hit through that does not stand in the window.
func admitted(q *memory.Query, h *memory.Hit) {
	if h.Kept = q.Seen == nil || !q.Seen(h.Passage.ID, h.Hash); !h.Kept {
		h.Why = inWindow
	}
}

// statement reports whether a hit says what holds, rather than what happened, was
// said or stands in a document.
func statement(h *memory.Hit) bool {
	return !document(h) && !h.Passage.Conversation() && h.Passage.Item.Kind != memory.Episodic
}

// episodeOf finds the episode of a session in which its best turns were said: the
// first that ends with them or later, else its last.
func (e *Engine) episodeOf(ctx context.Context, q *memory.Query, p *parsed, s *spoken) (found memory.Passage, ok bool) {
	const around, looked = 14 * 24 * time.Hour, 400
	l := past{Engine: e, q: q, filter: e.filter(q, p), failed: make(map[string]bool)}
	l.filter.Superseded = false
	for _, one := range l.newest(ctx, memory.Span{From: s.from.Add(-around), To: s.to.Add(around)}, looked, memory.Episodic) {
		if one.Item.Metadata.Session == s.session && (!ok || !one.Item.Metadata.CreatedAt.Before(s.at)) {
			found, ok = one, true
		}
	}
	return found, ok
}

// speaking are the sessions of the turns that were found, the one that says most
// first.
func speaking(p *parsed, pools []pool, hits []memory.Hit) []*spoken {
	by := make(map[string]*spoken)
	for i := range hits {
		h := &hits[i]
		m := &h.Passage.Item.Metadata
		if !h.Passage.Conversation() || m.Session == "" {
			continue
		}
		s := by[m.Session]
		if s == nil {
			s = &spoken{session: m.Session, from: m.CreatedAt, to: m.CreatedAt, best: make(map[memory.Population]int), covers: make([]float64, len(p.own()))}
			by[m.Session] = s
		}
		if m.CreatedAt.Before(s.from) {
			s.from = m.CreatedAt
		}
		if m.CreatedAt.After(s.to) {
			s.to = m.CreatedAt
		}
		if best, ok := s.best[h.Passage.Population]; !ok || h.Relevance > hits[best].Relevance {
			s.best[h.Passage.Population] = i
		}
		if h.Relevance > s.top[0] || s.at.IsZero() {
			s.at = m.CreatedAt
		}
		for k, r := 0, h.Relevance; k < len(s.top); k++ {
			if r > s.top[k] {
				s.top[k], r = r, s.top[k]
			}
		}
	}
	for i := range hits {
		h := &hits[i]
		if s := by[h.Passage.Item.Metadata.Session]; s != nil && h.Passage.Item.Kind == memory.Episodic {
			s.sum = max(s.sum, h.Relevance) // it may have many
		}
	}
	for i := range pools {
		for j := range pools[i].candidates.Hits {
			c := &pools[i].candidates.Hits[j]
			if s := by[c.Passage.Item.Metadata.Session]; s != nil && c.Passage.Conversation() {
				p.cover(s.covers, c.Matched)
			}
		}
	}
	out := make([]*spoken, 0, len(by))
	for _, s := range by {
		for _, r := range s.top {
			s.sum += r
		}
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].sum != out[j].sum {
			return out[i].sum > out[j].sum
		}
		return out[i].session < out[j].session
	})
	return out
}

// cover notes which own words of the prompt a passage holds, or a word near one.
func (p *parsed) cover(covers []float64, matched []int) {
	for t, n := range matched {
		switch {
		case n == 0:
		case t < len(covers):
			covers[t] = 1
		case t < len(p.alike) && p.alike[t] >= 0 && p.alike[t] < len(covers):
			covers[p.alike[t]] = max(covers[p.alike[t]], p.covers[t])
		}
	}
}

// share is how much of all it weighs some words come to, each covered 0..1.
func (w *weights) share(covers []float64) float64 {
	sum := 0.0
	for i, cover := range covers {
		sum += w.term[i] * cover
	}
	return part(sum, w.total)
}

// asksPast reports whether a prompt asks about something that was said, done or
// decided, or leans on it: "what was the fix?", "by the rule I gave", 当初为什么.
func asksPast(p *parsed) bool {
	return p.intent == Recalling || slices.ContainsFunc(clauses(p.text), pastClause)
}

func pastClause(clause string) bool {
	folded := terms.Fold(clause)
	if strings.ContainsFunc(folded, han) && contains(folded, chinesePast()) || contains(" "+folded+" ", englishPast()) {
		return true
	}
	const near = 3 // words between a question word and its helper
	asked := -1
	words := terms.Words(folded)
	for len(words) > 0 && openers()[words[0]] {
		words = words[1:]
	}
	for i, w := range words {
		switch {
		case pastHelpers()[w] && (i == 0 || i-asked <= near && asked >= 0), w == "d" && i > 0 && pastAsking()[words[i-1]]:
			return true
		case pastAsking()[w]:
			asked = i
		}
	}
	for part := range strings.SplitSeq(folded, ",") {
		if given(terms.Words(part)) {
			return true
		}
	}
	return false
}

// given reports whether words hold a thing and what one of us did with it: "the
// rule I gave".
func given(words []string) bool {
	for i := 1; i+1 < len(words); i++ {
		if w := words[i]; w != "i" && w != "we" && w != "you" || joining()[words[i-1]] {
			continue
		}
		if next := words[i+1]; pastVerbs()[next] || len(next) > 4 && strings.HasSuffix(next, "ed") {
			return true
		}
	}
	return false
}

var (
	englishPast = lists.Phrases("english-past")
	chinesePast = lists.Phrases("chinese-past")
	pastHelpers = lists.Words("past-helpers")
	pastAsking  = lists.Words("past-asking")
	pastVerbs   = lists.Words("past-verbs")
	joining     = lists.Words("joining")
)
