package recall

import (
	"slices"

	"orihon/memory"
)

// heirsFirst puts the turn that a statement was taken from before the turns of
// the statements it replaced, where it is as good as the best of them. No turn
// drops out or loses relevance because of it, and a turn from which several
// things were taken stands behind all its heirs.
func heirsFirst(hits []memory.Hit) []memory.Hit {
	at := make(map[string]int, len(hits))
	for i := range hits {
		at[hits[i].Passage.ID] = i
	}
	for i := range hits {
		old := &hits[i].Passage
		if old.SupersededBy == "" {
			continue
		}
		heir, ok := at[old.SupersededBy]
		for n := 0; ok && hits[heir].Passage.SupersededBy != "" && n < len(hits); n++ {
			heir, ok = at[hits[heir].Passage.SupersededBy]
		}
		if !ok {
			continue
		}
		for _, turn := range old.Item.Metadata.Evidence {
			for _, next := range hits[heir].Passage.Item.Metadata.Evidence {
				raise(hits, at, next, turn)
			}
		}
	}
	return sorted(hits, before)
}

// raise lifts one turn just over another, when both are there and it is below.
func raise(hits []memory.Hit, at map[string]int, turn, over string) {
	i, ok := at[turn]
	j, there := at[over]
	if !ok || !there || i == j || !hits[i].Passage.Conversation() || !hits[j].Passage.Conversation() {
		return
	}
	// Equals within a hundredth are ordered by other things.
	const step = 0.0101
	// What has next to nothing to do with the prompt stays where it is.
	const least = 0.5
	if hits[i].Score < hits[j].Score+step && hits[i].Score >= least*hits[j].Score {
		hits[i].Score = hits[j].Score + step
		hits[i].Relevance = max(hits[i].Relevance, hits[j].Relevance)
	}
}

// withoutSupersession lets every statement stand for itself.
func withoutSupersession(hits []memory.Hit) []memory.Hit {
	out := slices.Clone(hits)
	for i := range out {
		out[i].Passage.SupersededBy = ""
	}
	return out
}
