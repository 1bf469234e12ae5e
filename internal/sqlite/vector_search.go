package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"orihon/internal/score"
	"orihon/memory"
)

// OtherEmbedder is what [memory.Candidates] names as degraded when the index
// holds vectors of another embedder than the handle's: they are left out until
// [Index.Reembed] has made new ones. It is no damage.
const OtherEmbedder = "embedder"

// minCosine is the least likeness worth a candidate's place: below it hashed
// vectors of unrelated texts lie.
const minCosine = 0.15

var errOtherEmbedder = errors.New("the vectors are another embedder's")

// byVector finds what is near the prompt's vector and notes the cosine of that
// and of what the other legs have found. Codes of all vectors choose the
// candidates, the vectors themselves rank them.
func (x *Index) byVector(ctx context.Context, q queryer, meta map[string]string, sc *scorer, s memory.Search, found map[int64]bool) ([]int64, error) {
	if sc.vector == nil {
		return nil, nil
	}
	read, err := x.vectorReader(q, meta, sc.vector)
	if err != nil || read == nil {
		if errors.Is(err, errOtherEmbedder) {
			sc.vector = nil // nor compare it with what is pending
		}
		return nil, err
	}
	estimates, err := read.estimate(ctx, s.Filter.NoTurns)
	if err != nil {
		return nil, err
	}
	sc.cosine = make(map[int64]float64)
	others := make([]int64, 0, len(found))
	for id := range found {
		others = append(others, id)
	}
	near, err := read.nearest(ctx, estimates, others, sc.cosine, &s.Filter, max(1, s.Limit/2))
	if err != nil {
		sc.cosine = nil
	}
	return near, err
}

// absent is the estimate of a row that has no vector to be found by.
const absent = math.MinInt32

// nearest returns the visible passages with the best limit cosines. They are
// taken from three times as many with the best estimates, since those err. When
// more than a third of them is invisible it looks further, and at last at all
// that is visible, so that what is invisible never takes the place of what is
// not. On its way it notes the cosines of others, whose vectors often stand in
// the same rows.
func (r *vectorReader) nearest(ctx context.Context, estimates []int32, others []int64, cosine map[int64]float64, filter *memory.Filter, limit int) ([]int64, error) {
	for _, n := range []int{3 * limit, 24 * limit} {
		ids, whole := highest(estimates, n)
		if err := r.cosines(ctx, slices.Concat(ids, others), cosine); err != nil {
			return nil, err
		}
		near, hidden, err := r.closest(ctx, ids, cosine, filter, limit)
		if err != nil || whole || 2*hidden <= len(near) {
			return near, err
		}
	}
	cond, args := where(filter)
	ids, err := queryRowids(ctx, r.q, `SELECT p.rowid FROM passage p WHERE `+cond, args...)
	if err != nil {
		return nil, err
	}
	seen := make([]int32, len(estimates))
	for i := range seen {
		seen[i] = absent
	}
	for _, id := range ids {
		if id < int64(len(seen)) {
			seen[id] = estimates[id]
		}
	}
	ids, _ = highest(seen, 3*limit)
	near, _, err := r.closest(ctx, ids, cosine, filter, limit)
	return near, err
}

// closest returns the best limit of the given rows that are visible, best
// first; among equals at the end the passages' IDs decide, as in [Index.best].
// It notes the cosines of all, and counts the invisible ones that it came by.
func (r *vectorReader) closest(ctx context.Context, ids []int64, cosine map[int64]float64, filter *memory.Filter, limit int) (near []int64, hidden int, err error) {
	if err := r.cosines(ctx, ids, cosine); err != nil {
		return nil, 0, err
	}
	for _, id := range ids {
		if _, known := cosine[id]; !known {
			return nil, 0, fmt.Errorf("%w: vectors: one of %d is not there", ErrStale, len(ids))
		}
	}
	score := func(id int64) float64 { return cosine[id] }
	order := func(a, b int64) int { return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(a, b)) }
	ids = slices.DeleteFunc(ids, func(id int64) bool { return score(id) <= minCosine })
	slices.SortFunc(ids, order)
	for at := 0; at < len(ids) && len(near) < limit; {
		end := min(len(ids), at+limit+limit/8)
		for end < len(ids) && score(ids[end]) == score(ids[end-1]) {
			end++
		}
		seen, err := visible(ctx, r.q, ids[at:end], filter)
		if err != nil {
			return nil, 0, err
		}
		near = append(near, seen...)
		hidden += end - at - len(seen)
		at = end
	}
	slices.SortFunc(near, order)
	switch {
	case len(near) <= limit:
		return near, hidden, nil
	case score(near[limit-1]) != score(near[limit]):
		return near[:limit], hidden, nil
	}
	near, err = byID(ctx, r.q, near, score, limit)
	return near, hidden, err
}

// highest returns the rows with the n best estimates and those that equal the
// last of them; whole says that these are all there are.
func highest(estimates []int32, n int) (ids []int64, whole bool) {
	best := newTop(n)
	least := int32(absent)
	for id, s := range estimates {
		if s <= least {
			continue
		}
		best.add(int64(id), float64(s))
		if len(best.ids) == n {
			least = int32(best.score[0])
		}
	}
	if len(best.ids) < n {
		return best.ids, true
	}
	ids = best.ids
	kept := make(map[int64]bool)
	for i, id := range ids {
		if int32(best.score[i]) == least {
			kept[id] = true
		}
	}
	for id, s := range estimates {
		if s == least && !kept[int64(id)] {
			ids = append(ids, int64(id))
		}
	}
	return ids, false
}

// vectorReader reads the vectors of one search.
type vectorReader struct {
	q      queryer
	cache  *vectorCache
	g      *generation
	layout layout
	query  *score.Vector
}

// vectorReader is nil when there are no vectors.
func (x *Index) vectorReader(q queryer, meta map[string]string, query *score.Vector) (*vectorReader, error) {
	g, err := readGeneration(meta, servingKey)
	if err == nil && g == nil {
		err = fmt.Errorf("%w: it names no embedder", ErrStale)
	}
	if err != nil || g.Held == 0 {
		return nil, err
	}
	if g.Embedder != x.embed.ID() {
		return nil, errOtherEmbedder
	}
	if g.Dim != query.Dim {
		return nil, fmt.Errorf("the prompt's vector has %d dimensions, those of the index %d", query.Dim, g.Dim)
	}
	return &vectorReader{q: q, cache: &x.vectors, g: g, layout: newLayout(g.Dim), query: query}, nil
}

// estimate scores every row by its code; turns may be left out, since in a
// home with many conversations they would be most of what a filter drops.
func (r *vectorReader) estimate(ctx context.Context, noTurns bool) ([]int32, error) {
	p := score.NewProbe(r.query)
	size, slots := score.CodeSize(r.layout.padded), r.layout.codeSlots
	out := make([]int32, 0, r.g.Held+slots)
	held := 0
	err := r.codes(ctx, func(chunk int64, data []byte) {
		for first := chunk * int64(slots); int64(len(out)) < first+int64(slots); {
			out = append(out, absent)
		}
		scores := out[chunk*int64(slots):][:slots]
		p.Scores(data[slots:], size, scores)
		for i, state := range data[:slots] {
			held += holds(state)
			if state&slotHeld == 0 || noTurns && state&slotTurn != 0 {
				scores[i] = absent
			}
		}
	})
	if err == nil && held != r.g.Held {
		err = fmt.Errorf("%w: %d vectors, want %d", ErrStale, held, r.g.Held)
	}
	return out, err
}

// codes calls use with every row of codes, from the cache if it has them.
func (r *vectorReader) codes(ctx context.Context, use func(chunk int64, data []byte)) error {
	if rows, ok := r.cache.codes(r.g); ok {
		for _, row := range rows {
			use(row.chunk, row.data)
		}
		return nil
	}
	keep := r.cache.keeps(r.g.Held * score.CodeSize(r.layout.padded))
	first := r.g.N << generationBits
	var kept []codeRow
	err := visit(ctx, r.q, `chunk, data`, `FROM code WHERE chunk >= ? AND chunk < ?`, func(row []driver.Value) error {
		chunk, data, err := numbered(row)
		if err != nil {
			return err
		}
		body, err := checked(data, r.layout.codeRow())
		if err != nil {
			return err
		}
		use(chunk-first, body)
		if keep {
			kept = append(kept, codeRow{chunk - first, slices.Clone(body)})
		}
		return nil
	}, first, first+1<<generationBits)
	if err != nil {
		return err
	}
	if keep {
		r.cache.keep(r.g, kept)
	}
	return nil
}

// cosines writes the cosine of the given rows with the query to out, unless it
// is there; rows without a vector have none.
func (r *vectorReader) cosines(ctx context.Context, ids []int64, out map[int64]float64) error {
	slots := int64(r.layout.vecSlots)
	first := r.g.N << generationBits
	byChunk := make(map[int64][]int64, len(ids))
	for _, id := range ids {
		if _, known := out[id]; !known {
			byChunk[id/slots] = append(byChunk[id/slots], id)
		}
	}
	score := func(chunk int64, data []byte) {
		for _, id := range byChunk[chunk] {
			at := data[int(id%slots)*(4+r.layout.padded):]
			if scale := math.Float32frombits(binary.LittleEndian.Uint32(at)); scale != 0 {
				out[id] = score.Cosine(r.query, scale, at[4:])
			}
		}
	}
	var missing []int64
	for chunk := range byChunk {
		if data, ok := r.cache.row(r.g, chunk); ok {
			score(chunk, data)
		} else {
			missing = append(missing, first+chunk)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	in, args := oneOf(missing)
	return visit(ctx, r.q, `chunk, data`, `FROM vec WHERE chunk IN `+in, func(row []driver.Value) error {
		chunk, data, err := numbered(row)
		if err != nil {
			return err
		}
		body, err := checked(data, r.layout.vecRow())
		if err != nil {
			return err
		}
		score(chunk-first, body)
		r.cache.add(r.g, chunk-first, body)
		return nil
	}, args...)
}
