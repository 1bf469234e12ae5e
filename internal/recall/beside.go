package recall

import (
	"cmp"
	"maps"
	"slices"

	"orihon/internal/meaning"
	"orihon/memory"
)

// beside puts what the team shares behind the user's own later word of the same matter,
// and the other way round, where both are to be told: neither ends the other.
func (e *Engine) beside(q *memory.Query, hits []memory.Hit) {
	if !q.AsOf.IsZero() {
		return
	}
	var now []*memory.Item
	var at []int
	for i := range hits {
		if h := &hits[i]; h.Kept && current(h) && h.Passage.Item.Kind != memory.Note {
			now, at = append(now, &h.Passage.Item), append(at, i)
		}
	}
	for older, later := range Beside(now) {
		if h := &hits[at[older]]; h.Later == "" {
			h.Later = hits[at[later]].Passage.ID
		}
	}
}

// Beside finds among statements that hold now those that another one, said later in the
// other of two scopes, gives another value or name for: what the team shares, and what
// the user said for themselves. It leads from the older one to the later one.
func Beside(now []*memory.Item) map[int]int {
	var own, shared []int
	for i, it := range now {
		switch {
		case it.Scope == memory.Shared:
			shared = append(shared, i)
		case it.Scope.Private():
			own = append(own, i)
		}
	}
	out := make(map[int]int)
	if len(own) == 0 || len(shared) == 0 {
		return out
	}
	claims := make([]*claim, len(now))
	claim := func(i int) *claim {
		if claims[i] == nil {
			claims[i] = claimed(&memory.Hit{Passage: memory.Passage{Item: *now[i]}}, now[i].Content)
		}
		return claims[i]
	}
	holds := make(map[string][]int) // word, to what the user said
	for _, i := range own {
		for _, w := range claim(i).words {
			holds[w] = append(holds[w], i)
		}
	}
	for _, j := range shared {
		for _, i := range likest(claim(j).words, holds) {
			older, later := i, j
			if worded(now[i]).After(worded(now[j])) {
				older, later = j, i
			}
			if last, found := out[older]; found && !worded(now[later]).After(worded(now[last])) {
				continue
			}
			if claim(later).rivals(claim(older)) {
				out[older] = later
			}
		}
	}
	return out
}

// likest are the few statements that share most of some words, by how rare they are.
func likest(words []string, holds map[string][]int) []int {
	const few = 4
	weight := make(map[int]float64)
	for _, w := range words {
		for _, i := range holds[w] {
			weight[i] += meaning.Builtin().Rarity(w)
		}
	}
	found := slices.Collect(maps.Keys(weight))
	slices.SortFunc(found, func(a, b int) int { return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b)) })
	return found[:min(len(found), few)]
}
