package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"orihon/internal/score"
	"orihon/memory"
)

// BM25 parameters (Robertson & Zaragoza 2009). k1 is the usual default; b is
// lower than the usual 0.75, since the short texts of a memory differ in length
// for no reason that speaks against the longer one: half a point of recall on
// development data.
const (
	bm25K1    = 1.2
	bm25B     = 0.5
	bm25NearB = 0.7 // of a passage with its neighbours
	// idfPower lets rare words count more than in plain BM25: one point of
	// recall at ten on development data at 1.2 to 1.6, nothing at 2.
	idfPower = 1.3
)

// nearWeights weigh the words of neighbours at distance 1 and 2 against the
// passage's own.
var nearWeights = [2]float64{1, 0.5}

// scorer knows one query and scores passages by it.
type scorer struct {
	terms  []string
	at     map[string]int // term → its place in terms
	idf    []float64
	chosen []int // places of the terms that are searched for
	avgOwn float64
	avgCtx float64 // with neighbours
	vector *score.Vector
	cosine map[int64]float64
}

func newScorer(s memory.Search, df []int, t totals) *scorer {
	sc := &scorer{terms: s.Terms, at: make(map[string]int, len(s.Terms)), idf: make([]float64, len(s.Terms))}
	n := float64(t.passages)
	for i, f := range df {
		f := min(float64(f), n)
		// The variant of the inverse document frequency that is never
		// negative, as in Lucene.
		sc.idf[i] = math.Pow(math.Log(1+(n-f+0.5)/(f+0.5)), idfPower)
	}
	sc.chosen = choose(df, t.passages, s.First, s.MaxTerms, s.CommonShare)
	for _, i := range sc.chosen {
		sc.at[s.Terms[i]] = i
	}
	sc.avgOwn = math.Max(1, float64(t.ownTerms)/math.Max(1, n))
	sc.avgCtx = math.Max(1, float64(t.nearTerms)/math.Max(1, float64(t.nearPassages)))
	if slices.ContainsFunc(s.Vector, func(v float32) bool { return v != 0 }) {
		sc.vector = score.NewRotation(len(s.Vector)).Vector(s.Vector)
	}
	return sc
}

// choose returns the places of the terms that are searched for: the rarest most
// ones, without those in more than the common share of the n passages when
// there are rarer ones. Terms of no passage come last: only a neighbour that is
// itself no passage can hold them. The first so many terms go before all others.
func choose(df []int, n, first, most int, common float64) []int {
	const smallStore = 20 // passages; below, shares mean nothing
	limit := int(common * float64(n))
	if n < smallStore {
		limit = n
	}
	rare := slices.ContainsFunc(df, func(f int) bool { return f > 0 && f <= limit })
	order := make([]int, 0, len(df))
	for i, f := range df {
		if f <= limit || !rare {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if (a < first) != (b < first) {
			return cmp.Compare(a, b)
		}
		if (df[a] == 0) != (df[b] == 0) {
			return cmp.Compare(df[b], df[a])
		}
		return cmp.Compare(df[a], df[b])
	})
	return order[:min(len(order), most)]
}

// bm25 is one term's part of a score.
func bm25(idf, tf, length, average, b float64) float64 {
	return idf * tf * (bm25K1 + 1) / (tf + bm25K1*(1-b+b*length/average))
}

// add counts one term's occurrences in a passage of the given lengths to its
// two text legs. A passage without neighbours is its own context.
func (sc *scorer) add(i int, o occurrence, own, ctx float64, c *legs) {
	if o.own > 0 {
		c.own += bm25(sc.idf[i], float64(o.own), own, sc.avgOwn, bm25B)
	}
	if ctx > own || o.near > 0 || o.far > 0 {
		tf := float64(o.own) + nearWeights[0]*float64(o.near) + nearWeights[1]*float64(o.far)
		c.near += bm25(sc.idf[i], tf, ctx, sc.avgCtx, bm25NearB)
	} else {
		c.near += bm25(sc.idf[i], float64(o.own), own, sc.avgOwn, bm25B)
	}
}

// legs are the text scores of one passage.
type legs struct{ own, near float64 }

// candidate scores a passage by its terms and its neighbours', for passages
// that are not in the file.
func (sc *scorer) candidate(own []string, near [2][]string) memory.Candidate {
	c := memory.Candidate{Matched: make([]int, len(sc.terms)), Length: len(own)}
	counts := make([]occurrence, len(sc.terms))
	for _, w := range own {
		if i, ok := sc.at[w]; ok {
			counts[i].own++
			c.Matched[i]++
		}
	}
	for d, list := range near {
		for _, w := range list {
			if i, ok := sc.at[w]; ok && d == 0 {
				counts[i].near++
			} else if ok {
				counts[i].far++
			}
		}
	}
	var l legs
	for _, i := range sc.chosen {
		if !counts[i].none() {
			sc.add(i, counts[i], float64(len(own)), float64(contextLength(len(own), near)), &l)
		}
	}
	c.Own, c.Near = l.own, l.near
	return c
}

// found is what the text legs know of the passages in the file.
type found struct {
	sc      *scorer
	rows    []posting
	lengths map[int64][]byte
	legs    []legs  // by rowid
	touched []int64 // rowids with a score, ascending by first touch
}

// posting is one row of the inverted index that belongs to the query.
type posting struct {
	term  int // its place in the query
	block int64
	data  []byte
}

// scan reads the postings of the query and scores every passage in them.
func scan(ctx context.Context, q queryer, sc *scorer) (*found, error) {
	f := &found{sc: sc, lengths: make(map[int64][]byte)}
	if len(sc.chosen) == 0 {
		return f, nil
	}
	if err := f.read(ctx, q); err != nil {
		return nil, err
	}
	blocks := make([]int64, 0, len(f.rows))
	for _, p := range f.rows {
		blocks = append(blocks, p.block)
	}
	slices.Sort(blocks)
	blocks = slices.Compact(blocks)
	if len(blocks) == 0 {
		return f, nil
	}
	if err := f.readLengths(ctx, q, blocks); err != nil {
		return nil, err
	}
	f.legs = make([]legs, (blocks[len(blocks)-1]+1)*blockSize)
	most := 0 // occurrences: each takes two bytes or more
	for _, p := range f.rows {
		most += len(p.data) / 2
	}
	f.touched = make([]int64, 0, min(most, len(f.legs)))
	for _, p := range f.rows {
		if err := f.score(p); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// read reads the postings, one term after the other in the order of the query:
// sums of floats depend on order.
func (f *found) read(ctx context.Context, q queryer) error {
	words, order := make([]string, len(f.sc.chosen)), make([]int, len(f.sc.terms))
	for at, i := range f.sc.chosen {
		words[at], order[i] = f.sc.terms[i], at
	}
	in, args := oneOf(words)
	err := visit(ctx, q, `block, data, term`, `FROM posting WHERE term IN `+in, func(row []driver.Value) error {
		block, data, err := numbered(row)
		if err != nil {
			return err
		}
		term, _ := row[2].(string)
		f.rows = append(f.rows, posting{term: f.sc.at[term], block: block, data: slices.Clone(data)})
		return nil
	}, args...)
	if err != nil {
		return err
	}
	slices.SortFunc(f.rows, func(a, b posting) int {
		return cmp.Or(cmp.Compare(order[a.term], order[b.term]), cmp.Compare(a.block, b.block))
	})
	return nil
}

// readLengths reads the lengths of the passages in some blocks.
func (f *found) readLengths(ctx context.Context, q queryer, blocks []int64) error {
	in, args := oneOf(blocks)
	err := visit(ctx, q, `block, data`, `FROM length WHERE block IN `+in, func(row []driver.Value) error {
		block, data, err := numbered(row)
		f.lengths[block] = slices.Clone(data)
		return err
	}, args...)
	if err != nil {
		return err
	}
	for _, block := range blocks {
		if len(f.lengths[block]) != 4*blockSize {
			return fmt.Errorf("%w: the lengths of block %d are not there", ErrStale, block)
		}
	}
	return nil
}

func (f *found) score(p posting) error {
	lengths := f.lengths[p.block]
	r := occurrences{data: p.data}
	for r.next() {
		slot := 4 * int(r.now.slot)
		own := float64(binary.LittleEndian.Uint16(lengths[slot:]))
		ctx := float64(binary.LittleEndian.Uint16(lengths[slot+2:]))
		rowid := p.block*blockSize + int64(r.now.slot)
		l := &f.legs[rowid]
		if l.own == 0 && l.near == 0 {
			f.touched = append(f.touched, rowid)
		}
		f.sc.add(p.term, r.now, own, ctx, l)
	}
	if r.bad {
		return fmt.Errorf("%w: a posting of %q is broken", ErrStale, f.sc.terms[p.term])
	}
	return nil
}

// matches returns, for some passages, how often each term stands in their own
// text and how long they are.
func (f *found) matches(ids map[int64]bool) (counts map[int64][]int, lengths map[int64]int) {
	counts, lengths = make(map[int64][]int, len(ids)), make(map[int64]int, len(ids))
	wanted := make([]uint64, (len(f.legs)+63)/64)
	for id := range ids {
		counts[id] = make([]int, len(f.sc.terms))
		if id < int64(len(f.legs)) {
			wanted[id/64] |= 1 << (id % 64)
		}
		if l := f.lengths[id/blockSize]; l != nil {
			lengths[id] = int(binary.LittleEndian.Uint16(l[4*(id%blockSize):]))
		}
	}
	for _, p := range f.rows {
		for r := (occurrences{data: p.data}); r.next(); {
			if id := p.block*blockSize + int64(r.now.slot); wanted[id/64]&(1<<(id%64)) != 0 {
				counts[id][p.term] = int(r.now.own)
			}
		}
	}
	return counts, lengths
}

// best returns the visible passages with the highest score on a leg. The
// filter is a query over ever more of the best until enough of them pass.
// Among equals at the end of the list the ID decides, so that a rebuilt index,
// whose rows stand in another order, finds the same.
func best(ctx context.Context, q queryer, f *found, leg func(legs) float64, filter *memory.Filter, limit int) ([]int64, error) {
	for n := 2 * limit; ; n *= 8 {
		t := newTop(n)
		for _, id := range f.touched {
			if s := leg(f.legs[id]); s > 0 {
				t.add(id, s)
			}
		}
		ids := t.ids
		if len(ids) == n {
			ids = equals(f, leg, t.score[0], ids)
		}
		visible, err := visible(ctx, q, ids, filter)
		if err != nil {
			return nil, err
		}
		if len(visible) < limit && n < len(f.touched) {
			continue
		}
		score := func(id int64) float64 { return leg(f.legs[id]) }
		slices.SortFunc(visible, func(a, b int64) int {
			return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(a, b))
		})
		if len(visible) <= limit {
			return visible, nil
		}
		if score(visible[limit-1]) != score(visible[limit]) {
			return visible[:limit], nil
		}
		return byID(ctx, q, visible, score, limit)
	}
}

// equals adds to the best those that score as the worst of them does.
func equals(f *found, leg func(legs) float64, worst float64, best []int64) []int64 {
	have := make(map[int64]bool, len(best))
	for _, id := range best {
		have[id] = true
	}
	out := slices.Clone(best)
	for _, id := range f.touched {
		if leg(f.legs[id]) == worst && !have[id] {
			out = append(out, id)
		}
	}
	return out
}

// byID cuts a list, which is sorted by score, at most and lets the passages'
// IDs decide among those that score as the last one does.
func byID(ctx context.Context, q queryer, sorted []int64, score func(int64) float64, most int) ([]int64, error) {
	last := score(sorted[most-1])
	first := slices.IndexFunc(sorted, func(id int64) bool { return score(id) == last })
	end := first
	for end < len(sorted) && score(sorted[end]) == last {
		end++
	}
	tied, err := queryRowids(ctx, q, `SELECT rowid FROM body WHERE rowid IN (`+list(sorted[first:end])+`) ORDER BY id`+limit(most-first))
	if err != nil {
		return nil, err
	}
	return append(slices.Clone(sorted[:first]), tied...), nil
}

// visible returns those of some passages that pass the filter.
func visible(ctx context.Context, q queryer, ids []int64, f *memory.Filter) ([]int64, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	const most = 1024 // beyond, literals are read faster than arguments
	cond, args := where(f)
	in := "(" + list(ids) + ")"
	if len(ids) <= most {
		var named []any
		in, named = oneOf(ids)
		args = append(named, args...)
	}
	return queryRowids(ctx, q, `SELECT p.rowid FROM passage p WHERE p.rowid IN `+in+` AND `+cond, args...)
}
