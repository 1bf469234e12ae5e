package recall

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"orihon/internal/meaning"
	"orihon/internal/terms"
	"orihon/memory"
)

// request is what was said for one request of an earlier session, and how it ended.
type request struct {
	episode memory.Passage // without an ID where nothing was done
	turns   []int          // places of its turns among the hits, the nearest first
	near    float64
}

// requests answers a prompt that asks about the past, and that no statement answers,
// with the requests of earlier sessions in which the turns lie that come nearest to it:
// the episode of each, which says how it ended, and the nearest of its turns.
func (e *Engine) requests(ctx context.Context, q *memory.Query, p *parsed, pools []pool, hits []memory.Hit) []memory.Hit {
	// All were chosen on forty questions about transcripts, fourteen lives and a fortnight.
	const (
		most        = 4
		margin      = 0.5       // of how near the first comes; below, another one is not told
		said, meant = 0.2, 0.15 // of what the prompt says, by its words or in others: see share and [meaning.Asked.Cover]
	)
	if !q.Turns || q.Threshold != 0 || len(q.Kinds) > 0 && !slices.Contains(q.Kinds, memory.Episodic) || !p.past {
		return hits
	}
	for i := range hits {
		if hits[i].Kept && hits[i].Passage.Interim() {
			hits[i].Kept, hits[i].Why = false, "said on the way"
		}
	}
	if slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Kept && statement(&h) }) {
		return hits
	}
	turns, near := nearestTurns(p, hits)
	found := e.requestsOf(ctx, q, p, hits, turns, near)
	w, asked := weighAll(p.own(), pools), meaning.Builtin().Asked(p.own())
	for _, r := range found[:min(len(found), most)] {
		known := w.share(p.covered(r, pools, hits)) >= said || asked.Cover(r.words(hits)) >= meant
		if r.near < margin*found[0].near || !known {
			break
		}
		r.tell(q, hits)
		if r.episode.ID == "" {
			continue
		}
		at := slices.IndexFunc(hits, func(h memory.Hit) bool { return h.Passage.ID == r.episode.ID })
		if at < 0 {
			at = len(hits)
			hits = append(hits, memory.Hit{Passage: r.episode, Hash: Hash(&r.episode), Activation: memory.NoActivation})
		}
		admitted(q, &hits[at])
	}
	return hits
}

// tell shows the nearest turn, and where no episode says how it ended, the nearest of
// the other side.
func (r *request) tell(q *memory.Query, hits []memory.Hit) {
	first := &hits[r.turns[0]]
	admitted(q, first)
	for _, at := range r.turns {
		if h := &hits[at]; r.episode.ID == "" && h.Passage.Population != first.Passage.Population {
			admitted(q, h)
			return
		}
	}
}

// words are those of a request's turns that were found, and of its episode.
func (r *request) words(hits []memory.Hit) []string {
	words := terms.Query(r.episode.Item.Content)
	for _, at := range r.turns {
		words = append(words, terms.Query(hits[at].Passage.Item.Content)...)
	}
	return words
}

// covered is how much of each own word of the prompt the turns of a request hold.
func (p *parsed) covered(r *request, pools []pool, hits []memory.Hit) []float64 {
	covers := make([]float64, len(p.own()))
	for i := range pools {
		for j := range pools[i].candidates.Hits {
			c := &pools[i].candidates.Hits[j]
			if slices.ContainsFunc(r.turns, func(at int) bool { return hits[at].Passage.ID == c.Passage.ID }) {
				p.cover(covers, c.Matched)
			}
		}
	}
	return covers
}

// requestsOf puts turns together by the request they were said for, the one first that
// comes nearest: by its nearest turn, and by each further one less.
func (e *Engine) requestsOf(ctx context.Context, q *memory.Query, p *parsed, hits []memory.Hit, turns []int, near []float64) []*request {
	const (
		further = 0.4                // of the turn before; chosen on questions about transcripts
		longest = 3 * 24 * time.Hour // of a request, and between two
		looked  = 200                // episodes
	)
	times := make(map[string]memory.Span) // of the turns of a session
	for _, at := range turns {
		m := &hits[at].Passage.Item.Metadata
		span, ok := times[m.Session]
		if from := m.CreatedAt.Add(-longest); !ok || from.Before(span.From) {
			span.From = from
		}
		if end := m.CreatedAt.Add(longest); end.After(span.To) {
			span.To = end
		}
		times[m.Session] = span
	}
	l := past{Engine: e, q: q, filter: e.filter(q, p), failed: make(map[string]bool)}
	l.filter.Superseded = false
	episodes := make(map[string][]memory.Passage) // of a session, newest first
	for session, span := range times {
		episodes[session] = slices.DeleteFunc(l.newest(ctx, span, looked, memory.Episodic), func(p memory.Passage) bool { return session == "" || p.Item.Metadata.Session != session })
	}
	by := make(map[string]*request)
	var found []*request
	for k, at := range turns {
		m := &hits[at].Passage.Item.Metadata
		if len(episodes[m.Session]) == 0 {
			continue // a talk, not work
		}
		var episode memory.Passage
		ended := 0 // episodes of later requests
		for _, one := range episodes[m.Session] {
			if one.Item.Metadata.CreatedAt.Before(m.CreatedAt) {
				break
			}
			if begins(&one) <= line(hits[at].Passage.ID) {
				episode = one
				break
			}
			ended++
		}
		key := fmt.Sprint(m.Session, ended, episode.ID)
		r := by[key]
		if r == nil {
			r = &request{episode: episode}
			by[key] = r
			found = append(found, r)
		}
		r.near += max(0, near[k]) * math.Pow(further, float64(len(r.turns)))
		r.turns = append(r.turns, at)
	}
	slices.SortStableFunc(found, func(a, b *request) int { return cmp.Compare(b.near, a.near) })
	return found
}

// begins is the event of its session's journal with which the request of an episode
// begins; 0 where that was not noted.
func begins(episode *memory.Passage) int {
	if e := episode.Item.Metadata.Evidence; len(e) > 0 {
		return line(e[0])
	}
	return 0
}

// line is the event that a turn begins with: of "<session>/<event>.<part>".
func line(turn string) int {
	_, event, _ := strings.Cut(turn, "/")
	event, _, _ = strings.Cut(event, ".")
	n, _ := strconv.Atoi(event)
	return n
}

// nearestTurns are the places of the turns among hits, the one first that comes nearest
// to the prompt, and how near each comes: by its words, by the table's vectors, and by
// the words nearest to each asked for, each by how many deviations it stands above the
// others.
func nearestTurns(p *parsed, hits []memory.Hit) (places []int, near []float64) {
	const most = 30
	const dense = 2 // weight of the vectors, chosen on questions about transcripts
	table := meaning.Builtin()
	asked, each := table.Encode(p.own(), nil), table.Asked(p.own())
	var at []int
	var measured [][]float64
	for i := range hits {
		if h := &hits[i]; h.Passage.Conversation() {
			words := terms.Query(h.Passage.Item.Content)
			at = append(at, i)
			measured = append(measured, []float64{h.Own, asked.Cosine(table.Encode(words, nil)), each.Cover(words)})
		}
	}
	own, vector, covered := over(measured, 0), over(measured, 1), over(measured, 2)
	order := make([]int, len(at))
	total := make([]float64, len(at))
	for n := range at {
		order[n] = n
		total[n] = own[n] + dense*vector[n] + covered[n]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(total[b], total[a]) })
	for _, n := range order[:min(len(order), most)] {
		places, near = append(places, at[n]), append(near, total[n])
	}
	return places, near
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
