package recall

import (
	"slices"

	"orihon/internal/meaning"
	"orihon/memory"
)

// searched is how likely at least it is that what is asked of memory on purpose needs
// something of it: as likely as of a usual question. Of bare words the model of prompts
// cannot tell.
const searched = 0.7

// belowTheLine is why a hit is given that does not pass the threshold.
const belowTheLine = "below the line, the nearest there is"

// nearest gives to a search that nothing passes for the few hits that come nearest, as
// weak ones. A former statement brings what replaced it.
func (e *Engine) nearest(q *memory.Query, p *parsed, hits []memory.Hit) {
	const most = 3
	if !q.Search || q.Threshold != 0 || slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Kept && !document(&h) || h.Why == inWindow }) {
		return
	}
	n := 0
	for _, h := range inOrder(hits, func(a, b *memory.Hit) bool { return a.Relevance > b.Relevance }) {
		if n < most && !document(h) && !disowns(h) && p.touches(h) {
			weak(hits, h.Passage.ID)
			n++
		}
	}
}

// weak keeps a hit as a weak one, and all that replaced it.
func weak(hits []memory.Hit, id string) {
	for id != "" {
		i := slices.IndexFunc(hits, func(h memory.Hit) bool { return h.Passage.ID == id })
		if i < 0 || hits[i].Weak {
			return
		}
		hits[i].Kept, hits[i].Weak = true, true
		id = hits[i].Passage.SupersededBy
	}
}

// touches reports whether a hit has enough in common with a search to be worth a look:
// a good part of its own words, by how rare they are, or words that mean about the same
// and are likely to be what is wanted.
func (p *parsed) touches(h *memory.Hit) bool {
	const part, likely = 0.25, 0.1
	if len(h.NearWords) > 0 && h.Probability >= likely {
		return true
	}
	all, held := 0.0, 0.0
	for _, t := range p.own() {
		rare := meaning.Builtin().Rarity(t)
		if all += rare; slices.Contains(h.Words, t) {
			held += rare
		}
	}
	return held > 0 && held >= part*all
}
