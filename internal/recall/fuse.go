package recall

import (
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"orihon/internal/dates"
	"orihon/internal/terms"
	"orihon/memory"
)

// fuse turns the raw legs of one pool into one order and one relevance.
//
// The order is a weighted sum of each leg's score divided by the pool's best:
// rank fusion loses here because it throws the gaps between scores away.
//
// Relevance is absolute where the order is not: what share of what the prompt
// is about stands in the best passages (see coverage), handed down to the
// others in proportion to their fused score. So the best passage of a store
// that knows nothing of the matter is still irrelevant, and one threshold
// means the same in a store of ten items and in one of a hundred thousand.
func (e *Engine) fuse(p *parsed, pool pool) []memory.Hit {
	c := &pool.candidates
	if len(c.Hits) == 0 {
		return nil
	}
	hits := make([]memory.Hit, len(c.Hits))
	for i := range c.Hits {
		h := &c.Hits[i]
		hits[i] = memory.Hit{
			Passage: h.Passage, Own: h.Own, Near: h.Near, Vector: h.Vector, Trigger: h.Trigger,
			Speaker: named(p.own(), h.Passage.Speaker), Dated: dated(p.periods, h.Passage.Item.Metadata.CreatedAt),
		}
	}
	like := e.set.likeness(c.Embedder)
	if e.set.Fusion == ReciprocalRanks {
		e.byRank(hits)
	} else {
		e.bySum(hits, like.weight)
	}
	e.bySession(hits)
	if p.when {
		e.byTimeTold(hits)
	}
	order := make([]int, len(hits))
	var best float64
	for i := range hits {
		h := &hits[i]
		h.Fused = round(h.Fused * e.trust(&h.Passage))
		order[i] = i
		best = math.Max(best, h.Fused)
	}
	sort.SliceStable(order, func(a, b int) bool { return hits[order[a]].Fused > hits[order[b]].Fused })
	asked := e.set.OtherSpeaker < 1 && slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Speaker })
	w := e.needs(p, c, hits, asked)
	covered := func(of func(*memory.Hit) bool) float64 {
		return bestOf(order, hits, of, func(i int) float64 { return w.relevance(&c.Hits[i], hits[i].Dated, like) })
	}
	absolute := covered(anybody)
	told, theirs := absolute, 1.0
	if asked {
		told = doubted(covered(theNamed), covered(others))
		theirs = another(w.aboutNamed(order, hits, c.Hits))
	}
	for i := range hits {
		h := &hits[i]
		fit := part(h.Fused, best)
		d := 1.0
		if h.Passage.Population == memory.UserTurns {
			d = 1 - (1-e.set.QuestionWeight)*questions(h.Passage.Item.Content, c.Hits[i].Length)
		}
		from := absolute
		if h.Speaker {
			from = told
		}
		if len(w.asks) > 0 {
			// What stands in what is pasted is found first, and is not the answer.
			from = math.Min(from, w.relevance(&c.Hits[i], h.Dated, like))
		}
		r := from * math.Pow(fit, falloff) * d * d
		if h.Passage.Conversation() {
			r *= theirs * math.Pow(fit, steeper)
		}
		h.Score = math.Sqrt(absolute) * fit * d
		if h.Trigger {
			r = math.Max(r, triggerRelevance)
			h.Score = math.Max(h.Score, math.Sqrt(triggerRelevance))
		}
		preferred := 1 + p.intent.prefers(&h.Passage)
		r = math.Min(1, r*preferred)
		h.Score = math.Min(1, h.Score*math.Sqrt(preferred))
		if asked && h.Passage.Conversation() && !h.Speaker {
			// Asked of one person, what another said is a reason for doubt, but
			// no reason to rank it lower than its bonus for the speaker does.
			r *= e.set.OtherSpeaker
		}
		if h.Passage.Population == memory.AgentTurns && !p.addressed {
			r *= e.set.AgentRelevance
		}
		if h.Passage.Conversation() {
			r = calibrated(r)
		}
		h.Relevance = round(r)
		h.Activation = memory.Activation(c.Hits[i].Accesses, e.now())
		h.Passage.Item.Metadata.AccessCount = len(c.Hits[i].Accesses)
		if n := len(c.Hits[i].Accesses); n > 0 {
			h.Passage.Item.Metadata.LastAccessed = c.Hits[i].Accesses[n-1]
		}
	}
	return hits
}

// calibrated turns the relevance of a turn into what thresholds are made for.
// There are many turns to one statement, and at 0.5, to which the threshold goes
// when nothing reaches it, some turn fits every question. Up to low nothing is
// worth injecting; high is as good as 0.8 is in a statement. The two were set so
// that half of the evidence is injected on development data, see
// docs/benchmarks.md.
func calibrated(r float64) float64 {
	const low, high, least, sure = 0.63, 0.68, 0.5, 0.8
	switch {
	case r < low:
		return r * least / low
	case r < high:
		return least + (r-low)*(sure-least)/(high-low)
	}
	return sure + (r-high)*(1-sure)/(1-high)
}

// questions is how much of a turn of some terms asks, 0..1: an old
// question resembles a new one, and says nothing. In a long turn a question
// seldom is all there is: what is asked for comes with what is the case.
func questions(text string, terms int) float64 {
	const long = 20 // terms
	all, asks, sentence := 0, 0, 0
	for _, r := range text {
		sentence++
		switch r {
		case '?', '？':
			asks += sentence
			fallthrough
		case '.', '!', ';', '\n', '。', '！', '；':
			all += sentence
			sentence = 0
		}
	}
	if all += sentence; all == 0 {
		return 0
	}
	if last := strings.TrimRight(text, " \t\n\"'」』”)）。"); strings.HasSuffix(last, "嗎") || strings.HasSuffix(last, "吗") || strings.HasSuffix(last, "呢") {
		asks += sentence
	}
	return math.Sqrt(math.Min(1, float64(asks)/float64(all))) * math.Min(1, long/math.Max(1, float64(terms)))
}

// topForCoverage is how many of the best-fused passages are looked at for the
// pool's absolute relevance: the one that covers the prompt best need not be
// the first.
const topForCoverage = 5

// falloff is the power with which relevance is lost behind the best-fused
// passage. On development data recall and precision of what is injected were
// .51/.41 at 0.9, .51/.37 at 0.8.
const falloff = 0.9

// steeper is added to it for turns: there are many, and what stands beside the
// answer is mostly talk about it.
const steeper = 0.4

// triggerRelevance is what an item has whose own trigger word is called.
const triggerRelevance = 0.85

// trust damps what is believed less: a statement at confidence 0.5 counts
// nine tenths of a certain one.
func (e *Engine) trust(p *memory.Passage) float64 {
	c := memory.Effective(p.Item.Metadata, e.now(), e.set.IdleDecay)
	return 0.8 + 0.2*math.Min(1, math.Max(0, c))
}

// named reports whether the prompt names the speaker of a turn.
func named(words []string, speaker string) bool {
	if speaker == "" {
		return false
	}
	return slices.ContainsFunc(terms.Index(speaker), func(t string) bool { return slices.Contains(words, t) })
}

// dated is how near a time is to the periods that the prompt names, 0..1.
func dated(periods []dates.Period, t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	var best float64
	for i := range periods {
		best = math.Max(best, periods[i].Near(t))
	}
	return best
}
