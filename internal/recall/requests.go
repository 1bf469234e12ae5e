package recall

import (
	"cmp"
	"context"
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
	session string
	place   int            // among those of its session, from the newest
	episode memory.Passage // without an ID where nothing was done
	turns   []int          // places of its turns among the hits, the nearest first
	parts   int            // that were measured: turns, and the episode
	near    float64
	cosine  float64 // of the part that comes nearest by it
}

// requests answers a prompt that asks about the past, and that no statement answers,
// with the requests of earlier sessions that come nearest to it: the episode of each,
// which says how it ended, and of the first ones the nearest turn.
func (e *Engine) requests(ctx context.Context, q *memory.Query, p *parsed, hits []memory.Hit) []memory.Hit {
	// Chosen on eighty questions about transcripts and fourteen lives.
	const (
		most   = 8
		quoted = 4    // of them with a turn
		strong = 6.0  // how near a request must come; of few none stands out so far: the root of how many there are
		alike  = 0.18 // is then enough, if the cosine is so much
		margin = 0.4  // of how near the first comes; below, another one is not shown
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
	found, parts := e.requestsOf(ctx, q, p, hits)
	few := math.Sqrt(float64(parts))
	for n, r := range found[:min(len(found), most)] {
		if r.near < margin*found[0].near || r.near < strong && (r.near < few || r.cosine < alike) {
			break
		}
		if n < quoted {
			r.quote(q, hits)
		}
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

// quote shows the nearest turn, and where no episode says how it ended, the nearest of
// the other side.
func (r *request) quote(q *memory.Query, hits []memory.Hit) {
	if len(r.turns) == 0 {
		return
	}
	first := &hits[r.turns[0]]
	admitted(q, first)
	for _, at := range r.turns {
		if h := &hits[at]; r.episode.ID == "" && h.Passage.Population != first.Passage.Population {
			admitted(q, h)
			return
		}
	}
}

// requestsOf puts turns and episodes together by their requests, the one first that comes
// nearest: by its nearest part, by each further one less, and by the request before it,
// which it may go on with: "yes, close it". It says how many parts were measured, too.
func (e *Engine) requestsOf(ctx context.Context, q *memory.Query, p *parsed, hits []memory.Hit) (found []*request, measured int) {
	const further, before = 0.4, 0.3 // chosen on questions about transcripts
	parts, near, cosines := nearest(p, hits)
	episodes := e.episodesOf(ctx, q, p, parts, hits)
	type key struct {
		session string
		place   int
	}
	by := make(map[key]*request)
	for k, at := range parts {
		session := hits[at].Passage.Item.Metadata.Session
		if len(episodes[session]) == 0 {
			continue // a talk, not work
		}
		place, episode := requestOf(&hits[at].Passage, episodes[session])
		r := by[key{session, place}]
		if r == nil {
			r = &request{session: session, place: place, episode: episode}
			by[key{session, place}] = r
			found = append(found, r)
		}
		r.near += max(0, near[k]) * math.Pow(further, float64(r.parts))
		r.cosine = max(r.cosine, cosines[k])
		r.parts++
		if hits[at].Passage.Conversation() {
			r.turns = append(r.turns, at)
		}
	}
	alone := make(map[*request]float64, len(found))
	for _, r := range found {
		alone[r] = r.near
	}
	for _, r := range found {
		for d := 1; d <= 2; d++ {
			if earlier := by[key{r.session, r.place + d}]; earlier != nil {
				r.near += before * alone[earlier]
				break
			}
		}
	}
	slices.SortStableFunc(found, func(a, b *request) int { return cmp.Compare(b.near, a.near) })
	return found, len(parts)
}

// episodesOf are the episodes of the sessions that parts are of, newest first.
func (e *Engine) episodesOf(ctx context.Context, q *memory.Query, p *parsed, parts []int, hits []memory.Hit) map[string][]memory.Passage {
	const (
		longest = 3 * 24 * time.Hour // of a request, and between two
		looked  = 200                // episodes
	)
	times := make(map[string]memory.Span)
	for _, at := range parts {
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
	out := make(map[string][]memory.Passage)
	for session, span := range times {
		out[session] = slices.DeleteFunc(l.newest(ctx, span, looked, memory.Episodic), func(p memory.Passage) bool { return session == "" || p.Item.Metadata.Session != session })
	}
	return out
}

// requestOf is the episode of the request that a turn was said for, or that it is itself,
// none where nothing was done for it, and its place among all of the session: even with
// an episode, odd without, the newest first.
func requestOf(turn *memory.Passage, episodes []memory.Passage) (place int, episode memory.Passage) {
	later := 0
	for _, one := range episodes {
		if one.ID == turn.ID {
			return 2 * later, one
		}
		if one.Item.Metadata.CreatedAt.Before(turn.Item.Metadata.CreatedAt) {
			break
		}
		if begins(&one) <= line(turn.ID) {
			return 2 * later, one
		}
		later++
	}
	return 2*later - 1, memory.Passage{}
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

// nearest are the places of the turns and episodes among hits, the one first that comes
// nearest to the prompt, and how near each comes: by its words, and by the table's
// vectors, in which a word counts for the less the more of them hold it. Each is by how
// many deviations it stands above the others. The cosines come with them.
func nearest(p *parsed, hits []memory.Hit) (places []int, near, cosines []float64) {
	const dense = 2 // weight of the vectors, chosen on questions about transcripts
	table := meaning.Builtin()
	var at []int
	var said [][]string
	held := make(map[string]int) // passages that hold a word
	for i := range hits {
		if h := &hits[i]; h.Passage.Conversation() || h.Passage.Item.Kind == memory.Episodic {
			words := terms.Query(h.Passage.Item.Content)
			at, said = append(at, i), append(said, words)
			for _, w := range words {
				held[w]++
			}
		}
	}
	encode := func(words []string) meaning.Vector {
		rare := make([]float64, len(words))
		for i, w := range words {
			rare[i] = math.Log(1 + (float64(len(at)-held[w])+0.5)/(float64(held[w])+0.5))
		}
		return table.Encode(words, rare)
	}
	asked := encode(p.own())
	measured := make([][]float64, len(at))
	for n, i := range at {
		measured[n] = []float64{hits[i].Own, asked.Cosine(encode(said[n]))}
	}
	own, vector := over(measured, 0), over(measured, 1)
	order := make([]int, len(at))
	total := make([]float64, len(at))
	for n := range at {
		order[n] = n
		total[n] = own[n] + dense*vector[n]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(total[b], total[a]) })
	for _, n := range order {
		places, near, cosines = append(places, at[n]), append(near, total[n]), append(cosines, measured[n][1])
	}
	return places, near, cosines
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
