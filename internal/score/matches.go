package score

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"orihon/memory"
)

// Matches are the passages of an index that hold words of a query, and their
// text scores. Passages go by the numbers that the index gave them. First every
// posting is added, then [Matches.Score] is called once.
type Matches struct {
	q        *Query
	postings []posting
	lengths  map[int64]Lengths
	legs     []Legs  // by number
	told     []told  // by number
	touched  []int64 // numbers with a score, ascending by first touch
}

// posting is one of the inverted index that belongs to the query.
type posting struct {
	term  int // its place in the query
	block int64
	data  []byte
}

// NewMatches returns those of a query, none so far.
func NewMatches(q *Query) *Matches { return &Matches{q: q} }

// Add takes the posting of one of the query's words, as [Encode] wrote it, and
// keeps it.
func (m *Matches) Add(word string, block int64, data []byte) {
	m.postings = append(m.postings, posting{term: m.q.at[word], block: block, data: data})
}

// Blocks are those with a posting, ascending.
func (m *Matches) Blocks() []int64 {
	blocks := make([]int64, 0, len(m.postings))
	for _, p := range m.postings {
		blocks = append(blocks, p.block)
	}
	slices.Sort(blocks)
	return slices.Compact(blocks)
}

// Score scores every passage in the postings, one term after the other in the
// order of the query: sums of floats depend on order. It takes the lengths of
// every one of [Matches.Blocks].
func (m *Matches) Score(lengths map[int64]Lengths) error {
	m.lengths = lengths
	if len(m.postings) == 0 {
		return nil
	}
	order := make([]int, len(m.q.terms))
	for at, i := range m.q.chosen {
		order[i] = at
	}
	slices.SortFunc(m.postings, func(a, b posting) int {
		return cmp.Or(cmp.Compare(order[a.term], order[b.term]), cmp.Compare(a.block, b.block))
	})
	last := int64(0)
	most := 0 // occurrences: each takes two bytes or more
	for _, p := range m.postings {
		if len(lengths[p.block]) != LengthsSize {
			return fmt.Errorf("%w: the lengths of block %d are not there", memory.ErrStale, p.block)
		}
		last = max(last, p.block)
		most += len(p.data) / 2
	}
	m.legs, m.told = make([]Legs, (last+1)*BlockSize), make([]told, (last+1)*BlockSize)
	m.touched = make([]int64, 0, min(most, len(m.legs)))
	for _, p := range m.postings {
		if err := m.score(p); err != nil {
			return err
		}
	}
	return nil
}

func (m *Matches) score(p posting) error {
	lengths := m.lengths[p.block]
	r := occurrences{data: p.data}
	for r.next() {
		own, context := lengths.at(int(r.now.Slot))
		id := p.block*BlockSize + int64(r.now.Slot)
		l := &m.legs[id]
		if l.Own == 0 && l.Near == 0 {
			m.touched = append(m.touched, id)
		}
		l.add(m.told[id].less(m.q.legs(p.term, r.now, float64(own), float64(context)), m.q.source[p.term]))
	}
	if r.bad {
		return fmt.Errorf("%w: a posting of %q is broken", memory.ErrStale, m.q.terms[p.term])
	}
	return nil
}

// Legs are the scores of a passage.
func (m *Matches) Legs(id int64) (l Legs) {
	if id < int64(len(m.legs)) {
		l = m.legs[id]
	}
	return l
}

// Counts returns, for some passages, how often each term of the search stands in
// their own text and how long they are.
func (m *Matches) Counts(ids map[int64]bool) (counts map[int64][]int, lengths map[int64]int) {
	counts, lengths = make(map[int64][]int, len(ids)), make(map[int64]int, len(ids))
	wanted := make([]uint64, (len(m.legs)+63)/64)
	for id := range ids {
		counts[id] = make([]int, len(m.q.terms))
		if id < int64(len(m.legs)) {
			wanted[id/64] |= 1 << (id % 64)
		}
		if l := m.lengths[id/BlockSize]; l != nil {
			lengths[id], _ = l.at(int(id % BlockSize))
		}
	}
	for _, p := range m.postings {
		for r := (occurrences{data: p.data}); r.next(); {
			if id := p.block*BlockSize + int64(r.now.Slot); wanted[id/64]&(1<<(id%64)) != 0 {
				counts[id][p.term] = int(r.now.Own)
			}
		}
	}
	return counts, lengths
}

// Best returns the visible passages with the highest score on a leg, at most
// limit. Rows are asked about ever more of the best until enough of them are
// visible. Among equals at the end of the list the passages' IDs decide, so that
// a rebuilt index, which numbers them otherwise, finds the same.
func (m *Matches) Best(ctx context.Context, rows Rows, leg func(Legs) float64, limit int) ([]int64, error) {
	for n := 2 * limit; ; n *= 8 {
		t := newTop(n)
		for _, id := range m.touched {
			if s := leg(m.legs[id]); s > 0 {
				t.add(id, s)
			}
		}
		ids := t.ids
		if len(ids) == n {
			ids = m.equals(leg, t.score[0], ids)
		}
		visible, err := rows.Visible(ctx, ids)
		if err != nil {
			return nil, err
		}
		if len(visible) >= limit || n >= len(m.touched) {
			score := func(id int64) float64 { return leg(m.legs[id]) }
			return first(ctx, rows, visible, score, limit)
		}
	}
}

// equals adds to the best those that score as the worst of them does.
func (m *Matches) equals(leg func(Legs) float64, worst float64, best []int64) []int64 {
	have := make(map[int64]bool, len(best))
	for _, id := range best {
		have[id] = true
	}
	out := slices.Clone(best)
	for _, id := range m.touched {
		if leg(m.legs[id]) == worst && !have[id] {
			out = append(out, id)
		}
	}
	return out
}
