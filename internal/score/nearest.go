package score

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"orihon/memory"
)

// Rows answers for the passages of an index, by their numbers, what no score
// tells. The filter is that of the search.
type Rows interface {
	// Visible returns those of some passages that pass the filter.
	Visible(ctx context.Context, ids []int64) ([]int64, error)
	// ByID returns the n of some passages that stand first by the passages' IDs,
	// in their order.
	ByID(ctx context.Context, ids []int64, n int) ([]int64, error)
}

// VectorRows are the rows of an index that holds vectors.
type VectorRows interface {
	Rows
	// All returns all that pass the filter.
	All(ctx context.Context) ([]int64, error)
	// Cosines writes the cosine of some passages with the query to out, unless
	// it is there; passages without a vector have none.
	Cosines(ctx context.Context, ids []int64, out map[int64]float64) error
}

// MinCosine is the least likeness worth a candidate's place: below it hashed
// vectors of unrelated texts lie.
const MinCosine = 0.15

// maxEquals is how many passages may share the last cosine that is chosen. Where
// more do, the words that the table knows tell nothing about any of them.
const maxEquals = 1024

// Absent is the estimate of a passage that has no vector to be found by.
const Absent = math.MinInt32

// Near looks for the passages whose vectors are near a query's: codes of all
// vectors choose the candidates, the vectors themselves rank them.
type Near struct {
	Rows VectorRows
	// Estimates are the scores of all codes, see [Probe], by number; [Absent]
	// where there is none.
	Estimates []int32
	// Cosines is where every cosine is noted that is met on the way.
	Cosines map[int64]float64
}

// Best returns the visible passages with the best limit cosines. They are taken
// from three times as many with the best estimates, since those err. When more
// than a third of them is invisible it looks further, and at last at all that is
// visible, so that what is invisible never takes the place of what is not. On
// its way it notes the cosines of others, whose vectors often stand in the same
// rows.
func (n *Near) Best(ctx context.Context, others []int64, limit int) ([]int64, error) {
	for _, most := range []int{3 * limit, 24 * limit} {
		ids, whole := highest(n.Estimates, most)
		if err := n.Rows.Cosines(ctx, slices.Concat(ids, others), n.Cosines); err != nil {
			return nil, err
		}
		near, hidden, err := n.closest(ctx, ids, limit)
		if err != nil || whole || 2*hidden <= len(near) {
			return near, err
		}
	}
	ids, err := n.Rows.All(ctx)
	if err != nil {
		return nil, err
	}
	seen := make([]int32, len(n.Estimates))
	for i := range seen {
		seen[i] = Absent
	}
	for _, id := range ids {
		if id < int64(len(seen)) {
			seen[id] = n.Estimates[id]
		}
	}
	ids, _ = highest(seen, 3*limit)
	near, _, err := n.closest(ctx, ids, limit)
	return near, err
}

// Usual is the spread of the query's cosines with at most so many passages, at even
// distances from the first to the last.
func (n *Near) Usual(ctx context.Context, most int) (memory.Spread, error) {
	var held []int64
	for id, e := range n.Estimates {
		if e != Absent {
			held = append(held, int64(id))
		}
	}
	ids := make([]int64, 0, most)
	for i := range min(most, len(held)) {
		ids = append(ids, held[i*len(held)/min(most, len(held))])
	}
	cosines := make(map[int64]float64, len(ids))
	if err := n.Rows.Cosines(ctx, ids, cosines); err != nil {
		return memory.Spread{}, err
	}
	out := memory.Spread{N: len(cosines)}
	for _, id := range ids {
		out.Mean += cosines[id] / float64(max(1, out.N))
	}
	for _, id := range ids {
		if c, known := cosines[id]; known {
			out.Deviation += (c - out.Mean) * (c - out.Mean) / float64(out.N)
		}
	}
	out.Deviation = math.Sqrt(out.Deviation)
	return out, nil
}

// closest returns the best limit of the given passages that are visible, best
// first. Among equals at the end the passages' IDs decide, as in [Matches.Best];
// more than [maxEquals] of them are left out. It notes the cosines of all, and
// counts the invisible ones that it came by.
func (n *Near) closest(ctx context.Context, ids []int64, limit int) (near []int64, hidden int, err error) {
	if err := n.Rows.Cosines(ctx, ids, n.Cosines); err != nil {
		return nil, 0, err
	}
	for _, id := range ids {
		if _, known := n.Cosines[id]; !known {
			return nil, 0, fmt.Errorf("%w: vectors: one of %d is not there", memory.ErrStale, len(ids))
		}
	}
	score := func(id int64) float64 { return n.Cosines[id] }
	ids = slices.DeleteFunc(ids, func(id int64) bool { return score(id) <= MinCosine })
	sortBy(ids, score)
	for at := 0; at < len(ids) && len(near) < limit; {
		end := min(len(ids), at+limit+limit/8)
		last := score(ids[end-1])
		begin := at
		for score(ids[begin]) != last {
			begin++
		}
		for end < len(ids) && score(ids[end]) == last {
			end++
		}
		if end-begin > maxEquals {
			ids = ids[:begin]
			end = begin
		}
		seen, err := n.Rows.Visible(ctx, ids[at:end])
		if err != nil {
			return nil, 0, err
		}
		near = append(near, seen...)
		hidden += end - at - len(seen)
		at = end
	}
	near, err = first(ctx, n.Rows, near, score, limit)
	return near, hidden, err
}

// sortBy sorts passages by score, best first, and equals by number.
func sortBy(ids []int64, score func(int64) float64) {
	slices.SortFunc(ids, func(a, b int64) int {
		return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(a, b))
	})
}

// first sorts passages by score and returns the best, at most limit. The
// passages' IDs decide among those that score as the last one does.
func first(ctx context.Context, rows Rows, ids []int64, score func(int64) float64, limit int) ([]int64, error) {
	sortBy(ids, score)
	if len(ids) <= limit {
		return ids, nil
	}
	last := score(ids[limit-1])
	if last != score(ids[limit]) {
		return ids[:limit], nil
	}
	begin := slices.IndexFunc(ids, func(id int64) bool { return score(id) == last })
	end := begin
	for end < len(ids) && score(ids[end]) == last {
		end++
	}
	tied, err := rows.ByID(ctx, ids[begin:end], limit-begin)
	if err != nil {
		return nil, err
	}
	return append(slices.Clone(ids[:begin]), tied...), nil
}

// highest returns the passages with the n best estimates and those that equal
// the last of them; whole says that these are all there are.
func highest(estimates []int32, n int) (ids []int64, whole bool) {
	best := newTop(n)
	least := int32(Absent)
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

// top keeps the best few of a stream of scores: a binary heap with the worst
// of the kept on top.
type top struct {
	limit int
	ids   []int64
	score []float64
}

func newTop(limit int) *top { return &top{limit: limit} }

func (t *top) add(id int64, s float64) {
	if len(t.ids) < t.limit {
		t.ids, t.score = append(t.ids, id), append(t.score, s)
		for i := len(t.ids) - 1; i > 0; {
			up := (i - 1) / 2
			if !t.worse(i, up) {
				break
			}
			t.swap(i, up)
			i = up
		}
		return
	}
	if s <= t.score[0] {
		return
	}
	t.ids[0], t.score[0] = id, s
	for i := 0; ; {
		worst := i
		for _, c := range []int{2*i + 1, 2*i + 2} {
			if c < len(t.ids) && t.worse(c, worst) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		t.swap(i, worst)
		i = worst
	}
}

// worse orders by score, then by age: the later of two equals goes first.
func (t *top) worse(i, j int) bool {
	if t.score[i] != t.score[j] {
		return t.score[i] < t.score[j]
	}
	return t.ids[i] > t.ids[j]
}

func (t *top) swap(i, j int) {
	t.ids[i], t.ids[j] = t.ids[j], t.ids[i]
	t.score[i], t.score[j] = t.score[j], t.score[i]
}
