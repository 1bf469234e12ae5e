package sqlite

import (
	"context"
	"fmt"
	"time"

	"orihon/internal/score"
	"orihon/internal/terms"
	"orihon/memory"
)

// pending is a batch that is searched in memory beside the file: what the text
// has gained since the last sync, for a reader that must see its own writes
// and must not write. A nil pending is empty.
type pending struct {
	rows  []row
	ids   map[string]bool // passages that the batch puts or removes
	files map[string]bool // files all of whose indexed passages are out of date
}

// Pend makes Search see a batch without writing it. It replaces what was
// pending before; [Index.Apply] does not touch it. Costs grow with the batch,
// at every search.
func (x *Index) Pend(ctx context.Context, b memory.Batch) error {
	if b.Empty() {
		x.pending.Store(nil)
		return nil
	}
	rs, err := rows(lastWins(b.Put))
	if err == nil {
		err = x.embedRows(ctx, rs)
	}
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	p := &pending{rows: rs, ids: make(map[string]bool), files: make(map[string]bool)}
	for i := range rs {
		p.ids[rs[i].passage.ID] = true
	}
	for _, id := range b.Remove {
		p.ids[id] = true
	}
	for _, path := range append(append([]string(nil), b.Replace...), b.Gone...) {
		p.files[path] = true
	}
	x.pending.Store(p)
	return nil
}

func (p *pending) hides(indexed *memory.Passage) bool {
	return p != nil && (p.ids[indexed.ID] || p.files[indexed.Source])
}

// count adds what is pending to the statistics of the index.
func (p *pending) count(words []string, df []int, t *totals) {
	if p == nil {
		return
	}
	for i := range p.rows {
		r := &p.rows[i]
		if r.passage.Retired {
			continue
		}
		t.passages++
		t.ownTerms += len(r.own)
		if len(r.near[0])+len(r.near[1]) > 0 {
			t.nearPassages++
			t.nearTerms += contextLength(len(r.own), r.near)
		}
		has := make(map[string]bool, len(r.own))
		for _, w := range r.own {
			has[w] = true
		}
		for j, w := range words {
			if has[w] {
				df[j]++
			}
		}
	}
}

func (p *pending) search(sc *scorer, s memory.Search, out *memory.Candidates) {
	if p == nil {
		return
	}
	prompt := terms.Prepare(s.Text)
	for i := range p.rows {
		r := &p.rows[i]
		if !s.Filter.Match(&r.passage) {
			continue
		}
		c := sc.candidate(r.own, r.near)
		c.Passage = r.passage
		c.Trigger = called(&r.passage, prompt)
		if v := r.vector; sc.vector != nil && v != nil && v.Dim == sc.vector.Dim {
			c.Vector = score.Cosine(sc.vector, v.Scale, v.Q)
		}
		if c.Own > 0 || c.Near > 0 || c.Trigger || c.Vector > minCosine || within(s.Times, r.passage.Item.Metadata.CreatedAt) {
			out.Hits = append(out.Hits, c)
		}
	}
}

// within reports whether a time lies in one of the spans.
func within(spans []memory.Span, t time.Time) bool {
	for _, s := range spans {
		if !t.Before(s.From) && t.Before(s.To) {
			return true
		}
	}
	return false
}
