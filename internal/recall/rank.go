package recall

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"orihon/internal/dates"
	"orihon/internal/gate"
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
func (e *Engine) fuse(q *memory.Query, p *parsed, pool pool) []memory.Hit {
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
	like := e.set.likeness(c.Embedder, c.Usual)
	if e.set.Fusion == ReciprocalRanks {
		e.byRank(hits)
	} else {
		e.bySum(hits, like.weight)
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
		from := absolute
		if h.Speaker {
			from = told
		}
		r := from * fit
		if h.Passage.Conversation() {
			r = from * theirs * math.Pow(fit, falloff)
		}
		h.Score = math.Sqrt(absolute) * fit
		if h.Trigger {
			r = math.Max(r, triggerRelevance)
			h.Score = math.Max(h.Score, math.Sqrt(triggerRelevance))
		}
		if asked && h.Passage.Conversation() && !h.Speaker {
			// Asked of one person, what another said is a reason for doubt, but
			// no reason to rank it lower than its bonus for the speaker does.
			r *= e.set.OtherSpeaker
		}
		if h.Passage.Population == memory.AgentTurns && !p.addressed {
			r *= e.set.AgentRelevance
		}
		if h.Passage.Conversation() {
			r = calibrated(r, p.told)
		}
		h.Relevance = round(r)
		h.Activation = memory.Activation(c.Hits[i].Accesses, e.now())
		h.Passage.Item.Metadata.AccessCount = len(c.Hits[i].Accesses)
		if n := len(c.Hits[i].Accesses); n > 0 {
			h.Passage.Item.Metadata.LastAccessed = c.Hits[i].Accesses[n-1]
		}
	}
	e.judge(q, p, c, hits, &w)
	if q.Explain || q.Search {
		for i := range hits {
			hits[i].Words, hits[i].NearWords = p.held(c.Hits[i].Matched)
		}
	}
	return hits
}

// judge gives every statement the probability that the reader wants it now, and
// its relevance and place by that; so it does with the first of what the user said in
// other sessions, unless the prompt asks about the past. Episodes, answers and
// documents are judged by coverage alone: for them no model is fitted.
func (e *Engine) judge(q *memory.Query, p *parsed, c *memory.Candidates, hits []memory.Hit, w *weights) {
	statements, former, turns := judgeable(hits, p.told, q.AsOf.IsZero())
	e.judgeBy(e.model(c, gate.Statements), p.wanted(), q, p, c, hits, statements, w)
	e.judgeBy(e.model(c, gate.Statements), p.wanted(), q, p, c, hits, former, w)
	e.judgeBy(e.model(c, gate.Turns), wantedTurn, q, p, c, hits, turns, w)
}

// judgeable are the places of the statements among hits of one pool, of those that were
// replaced, which must not lead or trail what replaced them when it is asked what holds
// now, and of the turns of the user that may be wanted: the best fused, when told.
func judgeable(hits []memory.Hit, told, now bool) (statements, former, turns []int) {
	const most = 20 // turns; those further down are weighed by coverage alone
	for i := range hits {
		switch {
		case now && judged(&hits[i].Passage) && hits[i].Passage.SupersededBy != "":
			former = append(former, i)
		case judged(&hits[i].Passage):
			statements = append(statements, i)
		case told && hits[i].Passage.Population == memory.UserTurns:
			turns = append(turns, i)
		}
	}
	sort.SliceStable(turns, func(a, b int) bool { return hits[turns[a]].Fused > hits[turns[b]].Fused })
	return statements, former, turns[:min(len(turns), most)]
}

func (e *Engine) judgeBy(model *gate.Model, least float64, q *memory.Query, p *parsed, c *memory.Candidates, hits []memory.Hit, at []int, w *weights) {
	if len(at) == 0 || model == nil && !q.Explain {
		return
	}
	for n, signals := range e.signals(p, c, hits, at, w) {
		h := &hits[at[n]]
		if q.Explain {
			h.Signals = signals
		}
		if model == nil {
			continue
		}
		if signals[sSoftSum] != 0 || signals[sPhrase] != 0 || signals[sPhraseCovered] != 0 {
			// Else it has nothing in common with the prompt that the model could judge by.
			h.Probability = round(model.Probability(signals))
		}
		h.Relevance = round(asRelevance(h.Probability, least))
		h.Score = (1-found)*math.Sqrt(h.Relevance) + found*h.Score
		if h.Trigger {
			h.Relevance = math.Max(h.Relevance, triggerRelevance)
			h.Score = math.Max(h.Score, math.Sqrt(triggerRelevance))
		}
	}
}

// found is how much of a judged statement's place stays by how it was found: far down the
// list, where all are unlikely, the index tells them apart better than the model.
const found = 0.2

// wanted is the probability from which on a statement is injected in a small store by a
// prompt that most likely needs something, and brings others from alongside of it on:
// whether a prompt needs anything is harder to tell than what else it needs. Both were
// chosen with the model, see internal/gate/fit.
const wanted, alongside = 0.38, 0.5

// wanted is what is wanted of a prompt. The more statements there are, the less likely is
// each of them: what brings as many needless ones falls with their number. A prompt that
// may need nothing wants more: to say nothing is right there, and elsewhere a needless
// passage does less harm than a missing one. Read off twelve authors' lives, alone and in
// one store.
//
// In a session most prompts need nothing, so that doubt weighs more there; what leans on
// the turns before says little that a statement could match, and wants less. Read off
// sessions of four authors, and of people beside memories that tell them nothing.
func (p *parsed) wanted() float64 {
	const (
		small    = 60    // statements; fewer are all alike
		slope    = 0.115 // for each doubling
		least    = 0.54
		usual    = 0.7 // likelihood of needing something
		doubtful = 0.5 // below, words that match say more than how a prompt looks
		unlikely = 0.3 // the same in a session
		leaning  = 0.7 // of what is wanted there
	)
	of := math.Max(least, 1-slope*math.Max(0, math.Log2(float64(p.stated)/small)))
	switch {
	case !p.inSession():
		return wanted * of * math.Sqrt(usual/math.Max(doubtful, p.needs))
	case p.leans:
		of *= leaning
	}
	return wanted * of * usual / math.Max(unlikely, p.needs)
}

// wantedTurn is the same of a turn.
const wantedTurn = 0.30

// relevant is the threshold's default.
const relevant = 0.7

// asRelevance puts a probability on the scale of the settings, where what is to be
// injected, from least on, has the threshold's default or more.
func asRelevance(probability, least float64) float64 {
	if probability < least {
		return relevant * probability / least
	}
	return relevant + (1-relevant)*(probability-least)/(1-least)
}

// bringAlong makes the statements relevant that come with one that is wanted. Their
// order stays. In a session a prompt goes on with one matter, to which what is half as
// likely seldom belongs: there each is wanted for itself.
func (p *parsed) bringAlong(hits []memory.Hit) {
	wanted := p.wanted()
	if p.inSession() || !slices.ContainsFunc(hits, func(h memory.Hit) bool { return judged(&h.Passage) && h.Probability >= wanted }) {
		return
	}
	for i := range hits {
		if h := &hits[i]; judged(&h.Passage) && h.Probability >= alongside*wanted {
			h.Relevance = math.Max(h.Relevance, relevant)
		}
	}
}

// model is what judges the statements of an index; nil where vectors of a model of meaning
// tell more than the table's, by which it was fitted.
func (e *Engine) model(c *memory.Candidates, of func() *gate.Model) *gate.Model {
	if c.Embedder == "" || strings.HasPrefix(c.Embedder, memory.BuiltinEmbedders) {
		return of()
	}
	return nil
}

// calibrated turns the relevance of a turn into what thresholds are made for.
// There are many turns to one statement, and at 0.5, to which the threshold goes
// when nothing reaches it, some turn fits every question. Up to low nothing is
// worth injecting; high is as good as 0.8 is in a statement. The two were set so
// that half of the evidence is injected on development data, see
// docs/benchmarks.md. Unasked, turns have to fit better than where a prompt asks
// about the past: that was set on lives of developers.
func calibrated(r float64, unasked bool) float64 {
	const least, sure = 0.5, 0.8
	low, high := 0.63, 0.68
	if unasked {
		low, high = 0.70, 0.75
	}
	switch {
	case r < low:
		return r * least / low
	case r < high:
		return least + (r-low)*(sure-least)/(high-low)
	}
	return sure + (r-high)*(1-sure)/(1-high)
}

// topForCoverage is how many of the best-fused passages are looked at for the
// pool's absolute relevance: the one that covers the prompt best need not be
// the first.
const topForCoverage = 5

// falloff is the power with which turns lose relevance behind the best-fused passage:
// there are many, and what stands beside the answer is mostly talk about it. Without it
// LoCoMo's injected precision is .31 in place of .40.
const falloff = 1.3

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

// rank orders what was found: score, supersession, related items, diversity.
// It drops nothing but twins, which it returns apart.
func (e *Engine) rank(ctx context.Context, q *memory.Query, p *parsed, hits []memory.Hit) (kept, twins []memory.Hit) {
	if e.set.NoSupersession {
		hits = withoutSupersession(hits)
	}
	hits = e.related(ctx, q, p, hits)
	hits = e.successors(ctx, q, p, hits)
	for i := range hits {
		e.score(p, &hits[i])
		hits[i].Hash = Hash(&hits[i].Passage)
	}
	hits = heirsFirst(hits)
	if e.set.KeepTwins {
		return hits, nil
	}
	return collapse(hits, e.least(q, p))
}

// Hash identifies what a passage says, so that a window knows whether it
// holds this version of it.
func Hash(p *memory.Passage) string {
	sum := sha256.Sum256([]byte(p.Item.Title + "\x00" + p.Item.Content))
	return hex.EncodeToString(sum[:8])
}

// score weighs how well a hit fits, recency and access; the first rules. What was
// fused brings its fit along: the root of its pool's relevance times its share
// of the best score, so that hits stand at their true distances and a fresh one
// does not overtake one that fits better.
func (e *Engine) score(p *parsed, h *memory.Hit) {
	m := &h.Passage.Item.Metadata
	h.Recency = round(memory.Recency(*m, e.now()))
	h.Access = round(memory.Access(m.AccessCount))
	rec, acc := e.set.RecencyWeight, e.set.AccessWeight
	fit := h.Score
	if fit == 0 { // brought along by another hit
		fit = math.Sqrt(h.Relevance)
	}
	h.Score = fit * (1 - rec - acc)
	switch {
	case h.Passage.Conversation():
		// When something was said does not say whether it is the answer: on
		// development data recency cost turns five points of recall at ten.
		h.Score += rec*fit + acc*h.Access
	case h.Relevance >= e.set.ThresholdMin:
		// Recency and access order what can be shown. Below, where only
		// listings look, they cost two and a half points of recall at ten.
		h.Score += rec*h.Recency + acc*h.Access
	}
	if h.Passage.Conversation() {
		// What is as relevant in fewer tokens goes first.
		h.Score *= math.Pow(briefTokens/math.Max(briefTokens, float64(len(h.Passage.Item.Content))/4), e.set.BrevityWeight)
	}
	if h.Passage.Population == memory.AgentTurns && !p.addressed {
		h.Score *= e.set.AgentWeight
	}
	h.Score = round(h.Score)
}

// briefTokens is up to where no turn is too long.
const briefTokens = 60

// related brings in what the best hits name as related, one step away and
// damped: what a certain hit names may pass the threshold, what a doubtful one
// names may not.
func (e *Engine) related(ctx context.Context, q *memory.Query, p *parsed, hits []memory.Hit) []memory.Hit {
	const sources, damping = 10, 0.85
	at := make(map[string]int, len(hits))
	for i := range hits {
		at[hits[i].Passage.ID] = i
	}
	from := make(map[string]float64)
	best := inOrder(hits, func(a, b *memory.Hit) bool { return a.Relevance > b.Relevance })
	for _, h := range best[:min(len(best), sources)] {
		for _, id := range h.Passage.Item.Relations.RelatedTo {
			from[id] = max(from[id], round(h.Relevance*damping))
		}
	}
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(from)) {
		if i, found := at[id]; !found {
			ids = append(ids, id)
		} else if h := &hits[i]; h.Relevance < from[id] {
			h.Relevance, h.Score, h.Related = from[id], 0, true
		}
	}
	for _, found := range e.fetch(ctx, q, p, ids) {
		hits = append(hits, memory.Hit{Passage: found, Relevance: from[found.ID], Related: true, Activation: memory.NoActivation})
	}
	return hits
}

// successors makes every superseded hit bring the item that replaced it, at
// least as relevant as itself, and puts the old one behind it. Asked for a
// time in the past, what held then was not superseded yet.
func (e *Engine) successors(ctx context.Context, q *memory.Query, p *parsed, hits []memory.Hit) []memory.Hit {
	if !q.AsOf.IsZero() {
		for i := range hits {
			hits[i].Passage.SupersededBy = ""
		}
		return hits
	}
	const longestChain = 8
	for range longestChain {
		at := make(map[string]int, len(hits))
		for i := range hits {
			at[hits[i].Passage.ID] = i
		}
		var missing []string
		wanted, raised := make(map[string]float64), false
		for i := range hits {
			next := hits[i].Passage.SupersededBy
			if next == "" {
				continue
			}
			if j, ok := at[next]; ok {
				raised = raised || hits[j].Relevance < hits[i].Relevance
				hits[j].Relevance = max(hits[j].Relevance, hits[i].Relevance)
				hits[j].Fused = max(hits[j].Fused, hits[i].Fused)
				hits[j].Score = max(hits[j].Score, hits[i].Score)
			} else if wanted[next] == 0 {
				missing = append(missing, next)
				wanted[next] = max(hits[i].Relevance, 1e-6)
			}
		}
		found := e.fetch(ctx, q, p, missing)
		for _, f := range found {
			hits = append(hits, memory.Hit{Passage: f, Relevance: wanted[f.ID], Activation: memory.NoActivation})
		}
		if len(found) == 0 && !raised {
			break
		}
	}
	return hits
}

func (e *Engine) fetch(ctx context.Context, q *memory.Query, p *parsed, ids []string) []memory.Passage {
	if len(ids) == 0 {
		return nil
	}
	var out []memory.Passage
	for _, src := range e.sources {
		found, err := src.Index.Fetch(ctx, e.filter(q, p), ids...)
		if err != nil {
			e.log.Warn("recall: related items left out", "source", src.Name, "err", err)
			continue
		}
		out = append(out, found...)
	}
	return out
}
