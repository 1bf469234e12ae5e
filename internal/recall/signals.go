package recall

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"orihon/internal/meaning"
	"orihon/internal/reader"
	"orihon/internal/score"
	"orihon/internal/terms"
	"orihon/memory"
)

// The signals of a statement for a prompt, in their order.
const (
	sCoverage      = iota // share of what the prompt needs that stands in it, see relevance
	sOwn                  // the same of its own words, by how rare they are
	sSoft                 // the same with words that are near
	sOwnSum               // how much the matched words say, not as a share
	sSoftSum              //
	sRarest               // how much the rarest matched word says
	sCount                // matched words
	sDense                // cosine of the table's vectors
	sDenseOver            // by how many deviations it stands above the others
	sSoftOver             //
	sFit                  // fused score as a share of the best
	sSoftPart             // soft score as a share of the best
	sRank                 // place by own, soft, dense and covered together
	sLead                 // by how much it leads that of the next, or trails the first
	sBestSoft             // of the prompt: soft coverage of the best
	sBestDense            // and its cosine
	sBestOwn              //
	sWords                // words of the prompt
	sSays                 // how much they say together
	sUnknown              // share of it that stands in no passage
	sLetters              // of the prompt, logarithm
	sAsks                 // it asks
	sPasted               // it holds something pasted
	sLeans                // it leans on earlier turns
	sIntent               // its intent
	sTrigger              // it calls the passage
	sLength               // of the passage, logarithm
	sTopic                // of the passage
	sVector               // cosine of the store's vectors
	sStore                // passages of the store, logarithm
	sLanguage             // both are of the same language
	sAbout                // cosine of the prompt with all of the store's hits
	sCovered              // how near its words come to each of the prompt's
	sCoveredOver          // by how many deviations that stands above the others
	sTold                 // how likely a turn holds something worth keeping
	sPhrase               // the cosine of its text or of the phrase that is said most fully
	sPhraseCovered        // as sCovered, with all its phrases
	sPhraseSaid           // how fully the prompt says one of its phrases
	sPhraseSecond         // the same of the next one
	sTextOwn              // as sOwn, of its text alone
	sBestSaid             // of the prompt: the best sPhraseSaid
	sPhraseLead           // by how much its cosine leads the next one's, or trails the first
	sPhrases              // how many phrases it has
	sPhraseLeant          // as sPhraseSaid, by the prompt with the turns that it leans on
	sPhraseOwn            // how much of the prompt's own words stands in the phrase said most fully
	sNeeds                // how likely the prompt needs anything of memory, by its words alone
	signalCount
)

// signals measures the hits at some places of all, each against the others of them.
func (e *Engine) signals(p *parsed, c *memory.Candidates, hits []memory.Hit, at []int, w *weights) [][]float64 {
	table := meaning.Builtin()
	own := len(p.own())
	idf := make([]float64, len(p.terms))
	total, unknown := 0.0, 0.0
	for i, t := range p.terms {
		idf[i] = w.rare(i, t, c)
		if i < own {
			total += idf[i]
			if i < len(c.DF) && c.DF[i] == 0 {
				unknown += idf[i]
			}
		}
	}
	total = math.Max(total, 1e-6)
	// What is pasted is much and another matter: the question beside it says what is meant.
	question := p.own()
	if p.first > 0 {
		question = question[:min(p.first, own)]
	}
	asked := table.Encode(question, nil)
	q := &lookedFor{table: table, vector: asked, each: table.Asked(question), own: p.own(), says: make([]float64, own)}
	for i := range q.says {
		q.says[i] = idf[i] / total
	}
	if len(p.before) > 0 {
		q.before = slices.Concat(question, p.before)
	}
	n := len(at)
	out := make([][]float64, n)
	vectors := make([]meaning.Vector, n)
	language := terms.Lang(p.text)
	var bestSoft, bestDense, bestOwn, bestFused, bestSaid float64
	about := make(meaning.Vector, 0)
	for i, place := range at {
		h, candidate := &hits[place], &c.Hits[place]
		s := make([]float64, signalCount)
		out[i] = s
		covers := make([]float64, len(p.terms))
		for t, tf := range candidate.Matched {
			if tf == 0 {
				continue
			}
			cover := saturate(tf, candidate.Length)
			if t < own {
				s[sOwnSum] += idf[t] * cover
				s[sRarest] = math.Max(s[sRarest], idf[t])
				s[sCount]++
			}
			if of := p.source(t); of >= 0 {
				t, cover = of, cover*p.covers[t]
			}
			covers[t] = math.Max(covers[t], cover)
		}
		for t, cover := range covers {
			if p.source(t) < 0 { // own, or of the turns before
				s[sSoftSum] += p.weighs(t) * idf[t] * cover
			}
		}
		s[sOwn], s[sSoft] = s[sOwnSum]/total, s[sSoftSum]/total
		s[sCoverage] = w.relevance(candidate, h.Dated, likeness{})
		l, words, vector := q.look(candidate)
		vectors[i] = vector
		s[sDense], s[sCovered] = l.text, l.covers
		s[sPhraseLeant], s[sPhraseOwn] = l.leant, l.own
		s[sPhrase], s[sPhraseSaid], s[sPhraseSecond], s[sPhraseCovered], s[sPhrases] = l.phrase, l.said, l.second, l.covered, float64(l.phrases)
		for t, tf := range candidate.Matched[:min(own, len(candidate.Matched))] {
			if tf > 0 && slices.Contains(words, p.terms[t]) {
				s[sTextOwn] += idf[t] / total
			}
		}
		bestSaid = math.Max(bestSaid, l.said)
		if len(about) == 0 {
			about = make(meaning.Vector, len(vectors[i]))
		}
		for k, x := range vectors[i] {
			if k < len(about) {
				about[k] += x / float32(n)
			}
		}
		bestSoft, bestDense, bestOwn = math.Max(bestSoft, s[sSoftSum]), math.Max(bestDense, s[sPhrase]), math.Max(bestOwn, s[sOwn])
		bestFused = math.Max(bestFused, h.Fused)
	}
	dense, soft, fused, covered := over(out, sPhrase), over(out, sSoftSum), over(out, sOwnSum), over(out, sPhraseCovered)
	order := make([]int, n)
	place := make([]float64, n)
	for i := range out {
		order[i] = i
		place[i] = 3*dense[i] + soft[i] + fused[i] + covered[i]
	}
	sort.SliceStable(order, func(a, b int) bool { return place[order[a]] > place[order[b]] })
	// The model was fitted with the table's vectors: those of other embedders lie on other
	// scales.
	foreign := !strings.HasPrefix(c.Embedder, "builtin/table/")
	prompt := table.Encode(terms.Query(p.text), nil)
	asks, pasted, leans := one(strings.ContainsAny(p.text, "?？")), one(pastedIn(p.text)), one(p.leans)
	intent := float64(slices.Index([]Intent{Debugging, Coding, Design, QA, Recalling, Other}, p.intent))
	letters := math.Log(1 + float64(utf8.RuneCountInString(p.text)))
	near := asked.Cosine(about)
	firsts := make([]float64, n)
	for i := range out {
		firsts[i] = out[i][sPhrase]
	}
	sort.Sort(sort.Reverse(sort.Float64Slice(firsts)))
	for rank, i := range order {
		s, h, candidate := out[i], &hits[at[i]], &c.Hits[at[i]]
		s[sDenseOver], s[sSoftOver], s[sCoveredOver] = dense[i], soft[i], covered[i]
		s[sFit], s[sSoftPart] = part(h.Fused, bestFused), part(s[sSoftSum], bestSoft)
		s[sRank] = math.Log(1 + float64(rank))
		other := order[0]
		if rank == 0 && n > 1 {
			other = order[1]
		}
		s[sLead] = place[i] - place[other]
		s[sBestSoft], s[sBestDense], s[sBestOwn] = bestSoft/total, bestDense, bestOwn
		s[sWords], s[sSays], s[sUnknown] = float64(own), total, unknown/total
		s[sLetters], s[sAsks], s[sPasted], s[sLeans], s[sIntent] = letters, asks, pasted, leans, intent
		s[sTrigger] = one(h.Trigger)
		s[sLength] = math.Log(1 + float64(candidate.Length))
		s[sTopic] = float64(slices.Index([]memory.Topic{memory.Fact, memory.Decision, memory.Preference, memory.Pitfall, memory.Procedure, memory.Architecture}, h.Passage.Item.Topic))
		if s[sVector] = h.Vector; foreign {
			words := cmp.Or(candidate.Words, score.Words(&h.Passage.Item))
			s[sVector] = math.Max(0, prompt.Cosine(table.Encode(strings.Fields(words), nil)))
		}
		s[sStore] = math.Log(1 + float64(c.N))
		s[sLanguage] = one((language == "en") == (terms.Lang(h.Passage.Item.Content) == "en"))
		s[sAbout] = near
		s[sNeeds] = p.needs
		s[sBestSaid] = bestSaid
		s[sPhraseLead] = s[sPhrase] - firsts[0]
		if s[sPhraseLead] == 0 && n > 1 {
			s[sPhraseLead] = s[sPhrase] - firsts[1]
		}
		if h.Passage.Population == memory.UserTurns {
			s[sTold] = reader.Tells(h.Passage.Item.Content)
		}
	}
	return out
}

// over is by how many standard deviations each passage's signal stands above the
// mean.
func over(all [][]float64, signal int) []float64 {
	var mean, square float64
	n := float64(len(all))
	for _, s := range all {
		mean += s[signal] / n
	}
	for _, s := range all {
		square += (s[signal] - mean) * (s[signal] - mean) / n
	}
	out := make([]float64, len(all))
	for i, s := range all {
		out[i] = (s[signal] - mean) / (math.Sqrt(square) + 0.02)
	}
	return out
}

// rare is how much a term of the prompt says, 0..1: its share of the store's
// passages, smoothed by how common it is elsewhere.
func (w *weights) rare(i int, term string, c *memory.Candidates) float64 {
	df := 0
	if i < len(c.DF) {
		df = c.DF[i]
	}
	const background = 200 // passages that stand in for what the store will hold
	share := math.Pow(background, -meaning.Builtin().Rarity(term))
	return math.Log((float64(c.N)+background)/(float64(df)+background*share)) / math.Log(float64(c.N)+background)
}
