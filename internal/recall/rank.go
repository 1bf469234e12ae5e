package recall

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"

	"orihon/memory"
)

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
	have := make(map[string]bool, len(hits))
	for i := range hits {
		have[hits[i].Passage.ID] = true
	}
	from := make(map[string]float64)
	var ids []string
	best := inOrder(hits, func(a, b *memory.Hit) bool { return a.Relevance > b.Relevance })
	for _, h := range best[:min(len(best), sources)] {
		for _, id := range h.Passage.Item.Relations.RelatedTo {
			if have[id] {
				continue
			}
			have[id] = true
			from[id] = h.Relevance
			ids = append(ids, id)
		}
	}
	for _, found := range e.fetch(ctx, q, p, ids) {
		hits = append(hits, memory.Hit{Passage: found, Relevance: round(from[found.ID] * damping), Activation: memory.NoActivation})
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
		wanted := make(map[string]float64)
		for i := range hits {
			next := hits[i].Passage.SupersededBy
			if next == "" {
				continue
			}
			if j, ok := at[next]; ok {
				hits[j].Relevance = max(hits[j].Relevance, hits[i].Relevance)
				hits[j].Fused = max(hits[j].Fused, hits[i].Fused)
				hits[j].Score = max(hits[j].Score, hits[i].Score)
			} else if wanted[next] == 0 {
				missing = append(missing, next)
				wanted[next] = max(hits[i].Relevance, 1e-6)
			}
		}
		if len(missing) == 0 {
			break
		}
		found := e.fetch(ctx, q, p, missing)
		for _, f := range found {
			hits = append(hits, memory.Hit{Passage: f, Relevance: wanted[f.ID], Activation: memory.NoActivation})
		}
		if len(found) == 0 {
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
