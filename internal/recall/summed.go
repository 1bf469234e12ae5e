package recall

import (
	"orihon/internal/tokens"
	"orihon/internal/wording"
	"orihon/memory"
)

// What is large enough to be summed up, in tokens, and how much of it must be wanted.
const (
	largeAtom  = 200
	mostTenths = 7
)

// summed puts the summary of a large atom in the place of its bullets where these would
// be told almost all. It stands where the first of them stood.
func summed(q *memory.Query, hits []memory.Hit) {
	wanted := make(map[string][]*memory.Hit)
	for i := range hits {
		h := &hits[i]
		if atom := wording.AtomOf(&h.Passage); atom != "" && h.Kept && h.Passage.Summary != "" && h.Passage.Whole >= largeAtom {
			wanted[atom] = append(wanted[atom], h)
		}
	}
	for _, bullets := range wanted {
		size := 0
		for _, h := range bullets {
			if h.Behind() != "" {
				size = 0 // what was said before, and what is said now, is told in full
				break
			}
			size += tokens.Estimate(h.Passage.Item.Content)
		}
		first := bullets[0]
		if 10*size < mostTenths*first.Passage.Whole {
			continue
		}
		for _, h := range bullets[1:] {
			h.Kept, h.Why = false, "the summary of its atom is told"
		}
		p := &first.Passage
		p.ID, p.Item.Content = p.Parent+"#1", p.Summary // the prose that begins with it
		p.Item.ID = p.ID
		first.Hash = Hash(p)
		if q.Seen != nil && q.Seen(p.ID, first.Hash) {
			first.Kept, first.Why = false, inWindow
		}
	}
}
