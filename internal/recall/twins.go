package recall

import (
	"slices"

	"orihon/internal/terms"
	"orihon/memory"
)

// collapse keeps the first of passages that say nearly the same, and returns
// the others apart. What is less relevant than least can not be shown and is
// not looked at. It takes over hits.
func collapse(hits []memory.Hit, least float64) (kept, twins []memory.Hit) {
	const looked = 60
	type statement struct {
		hit   *memory.Hit
		terms []int32 // sorted
		order []int32 // as they stand
	}
	kept = hits[:0] // never more than were looked at
	var said []statement
	number := make(map[string]int32) // of each term that was met
	for i := range hits {
		h := &hits[i]
		// A superseded statement is often its successor's near twin, and no
		// repetition of it.
		if h.Relevance < least || h.Passage.SupersededBy != "" || len(said) == looked {
			kept = append(kept, *h)
			continue
		}
		var s statement
		for _, t := range terms.Index(titled(&h.Passage)) {
			n, ok := number[t]
			if !ok {
				n = int32(len(number))
				number[t] = n
			}
			s.terms = append(s.terms, n)
		}
		s.order = slices.Clone(s.terms)
		slices.Sort(s.terms)
		s.terms = slices.Compact(s.terms)
		twin := slices.IndexFunc(said, func(o statement) bool {
			// The same words in another order say something else: from A to B, from B to A.
			turned := slices.Equal(s.terms, o.terms) && !slices.Equal(s.order, o.order)
			return document(h) == document(o.hit) && alike(s.terms, o.terms) && !turned && agree(&h.Passage, &o.hit.Passage)
		})
		if twin < 0 {
			kept = append(kept, *h)
			s.hit = &kept[len(kept)-1]
			said = append(said, s)
			continue
		}
		h.Why = "says nearly the same as " + said[twin].hit.Passage.ID
		twins = append(twins, *h)
	}
	return kept, twins
}

// titled is the text by which two passages are held against each other: the same
// words under another title speak of something else.
func titled(p *memory.Passage) string { return p.Item.Title + "\n" + p.Item.Content }

// alike reports whether two sorted sets share nine tenths of all they hold.
func alike(a, b []int32) bool {
	if len(a) == 0 || len(b) == 0 || 10*min(len(a), len(b)) < 9*max(len(a), len(b)) {
		return false
	}
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	return 10*both >= 9*(len(a)+len(b)-both)
}

// agree reports whether two texts hold the same figures and the same words of
// negation and order, in the same places among each other: statements alike in
// all else but these contradict each other.
func agree(a, b *memory.Passage) bool {
	return slices.Equal(telling(titled(a)), telling(titled(b)))
}
