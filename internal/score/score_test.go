package score_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/score"
	"orihon/internal/terms"
	"orihon/memory"
	"orihon/memory/memorytest"
)

// rows are passages by number; those with an odd one are invisible.
type rows []memory.Passage

func (r rows) Visible(_ context.Context, ids []int64) (out []int64, err error) {
	for _, id := range ids {
		if id%2 == 0 {
			out = append(out, id)
		}
	}
	return out, nil
}

func (r rows) ByID(_ context.Context, ids []int64, n int) ([]int64, error) {
	ids = slices.SortedFunc(slices.Values(ids), func(a, b int64) int { return strings.Compare(r[a].ID, r[b].ID) })
	return ids[:n], nil
}

// said makes turns of few words, so that many score alike.
func said(r *rand.Rand, n int) rows {
	word := func() string { return []string{"apple", "pear", "plum", "quince", "部署"}[r.IntN(5)] }
	out := make(rows, n)
	for i := range out {
		p := memorytest.Passage(fmt.Sprintf("p%04d", n-i), word()+" "+word()+" "+word())
		if r.IntN(2) == 0 {
			p.Population = memory.UserTurns
			p.Near = []memory.Neighbour{{Text: word(), Distance: 1}, {Text: word() + " " + word(), Distance: 2}}
		}
		out[i] = p
	}
	return out
}

// indexed gives the matches of a query what an index of the passages holds.
func indexed(t *testing.T, q *score.Query, all rows) *score.Matches {
	t.Helper()
	type place struct {
		term  string
		block int64
	}
	postings, lengths := map[place][]score.Occurrence{}, map[int64]score.Lengths{}
	for i := range all {
		e := score.Prepare(&all[i])
		block, slot := int64(i/score.BlockSize), i%score.BlockSize
		for term, o := range score.Count(e.Own, e.Near) {
			o.Slot = uint16(slot)
			postings[place{term, block}] = append(postings[place{term, block}], o)
		}
		if lengths[block] == nil {
			lengths[block] = make(score.Lengths, score.LengthsSize)
		}
		lengths[block].Set(slot, len(e.Own), score.ContextLength(len(e.Own), e.Near))
	}
	m := score.NewMatches(q)
	for at, changes := range postings {
		if slices.Contains(q.Words(), at.term) {
			list, _ := score.Merge(nil, changes)
			m.Add(at.term, at.block, score.Encode(list))
		}
	}
	if err := m.Score(lengths); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWhatIsIndexedScoresAsWhatIsPending(t *testing.T) {
	all := said(rand.New(rand.NewPCG(1, 1)), 5000)
	s := score.Defaults(memory.Search{
		Text: "apple or pear or 部署", Terms: append(terms.Query("apple or pear or 部署"), "plum"), CommonShare: 1,
		Weights: []float64{1, 1, 1, .8}, Alike: []int{-1, -1, -1, 0},
		Filter: memory.Filter{Scopes: []memory.Scope{memory.Personal("ada")}},
	})
	p := score.NewPending(&memory.Batch{Put: all})
	df, total := make([]int, len(s.Terms)), score.Totals{}
	p.Count(&s, df, &total)
	q := score.NewQuery(s, df, total)
	var out memory.Candidates
	p.Search(q, &s, terms.Prepare(s.Text), &out)
	want := make(map[string]memory.Candidate, len(out.Hits))
	for _, c := range out.Hits {
		want[c.Passage.ID] = c
	}

	m := indexed(t, q, all)
	ids := make(map[int64]bool, len(all))
	for i := range all {
		ids[int64(i)] = true
	}
	counts, lengths := m.Counts(ids)
	for i := range all {
		c, found := want[all[i].ID]
		if l := m.Legs(int64(i)); l.Own != c.Own || l.Near != c.Near {
			t.Fatalf("%s: %v indexed, %v and %v pending", all[i].ID, l, c.Own, c.Near)
		}
		if found && (lengths[int64(i)] != c.Length || !slices.Equal(counts[int64(i)], c.Matched)) {
			t.Fatalf("%s: %v of %d indexed, %v of %d pending", all[i].ID, counts[int64(i)], lengths[int64(i)], c.Matched, c.Length)
		}
	}
}

func TestTheBestAreVisibleAndAmongEqualsTheIDDecides(t *testing.T) {
	all := said(rand.New(rand.NewPCG(2, 2)), 3000)
	s := score.Defaults(memory.Search{Terms: []string{"apple"}, CommonShare: 1})
	q := score.NewQuery(s, []int{1000}, score.Totals{Passages: len(all), OwnTerms: 3 * len(all)})
	m := indexed(t, q, all)
	own := func(l score.Legs) float64 { return l.Own }
	for _, limit := range []int{1, 10, 500} {
		got, err := m.Best(t.Context(), all, own, limit)
		if err != nil {
			t.Fatal(err)
		}
		var want []int64
		for i := 0; i < len(all); i += 2 {
			if m.Legs(int64(i)).Own > 0 {
				want = append(want, int64(i))
			}
		}
		slices.SortFunc(want, func(a, b int64) int {
			if d := m.Legs(b).Own - m.Legs(a).Own; d != 0 {
				return int(d / max(d, -d))
			}
			return strings.Compare(all[a].ID, all[b].ID)
		})
		want = want[:min(limit, len(want))]
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("best %d (-want +got):\n%s", limit, diff)
		}
	}
}

func TestWhatMeansTheSameCountsOnceAndALittle(t *testing.T) {
	texts := map[string]string{"both": "apple plum", "one": "apple fig", "near": "plum fig", "two": "apple pear", "none": "fig date"}
	var batch memory.Batch
	for id, text := range texts {
		batch.Put = append(batch.Put, memorytest.Passage(id, text))
	}
	s := score.Defaults(memory.Search{
		Terms: []string{"appl", "pear", "plum"}, Weights: []float64{1, 1, .5}, Alike: []int{-1, -1, 0}, CommonShare: 1, Few: 10,
		Filter: memory.Filter{Scopes: []memory.Scope{memory.Personal("ada")}},
	})
	p := score.NewPending(&batch)
	df, total := make([]int, len(s.Terms)), score.Totals{}
	p.Count(&s, df, &total)
	var out memory.Candidates
	p.Search(score.NewQuery(s, df, total), &s, terms.Prepare(s.Text), &out)
	own := make(map[string]float64)
	for _, c := range out.Hits {
		own[c.Passage.ID] = c.Own
	}
	if own["none"] != 0 || own["near"] != own["one"]/2 {
		t.Errorf("a word that stands for another counts by its weight alone, however rare it is: %v", own)
	}
	if own["both"] <= own["one"] || own["both"] >= own["one"]+own["near"] {
		t.Errorf("a second word for the same counts little: %v", own)
	}
	if own["two"] <= own["both"] {
		t.Errorf("two words asked for are more than one said twice: %v", own)
	}
}
