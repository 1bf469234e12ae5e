package score

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"orihon/internal/terms"
	"orihon/memory"
)

// Pending is a batch that is searched in memory beside an index: what the text
// has gained since the last sync, for a reader that must see its own writes
// and must not write. A nil one is empty.
type Pending struct {
	Entries []Entry
	ids     map[string]bool // passages that the batch puts or removes
	files   map[string]bool // files all of whose indexed passages are out of date
}

// NewPending prepares a batch; its entries have no vectors so far.
func NewPending(b *memory.Batch) *Pending {
	p := &Pending{ids: make(map[string]bool), files: make(map[string]bool)}
	put := b.Last()
	for i := range put {
		p.Entries = append(p.Entries, Prepare(&put[i]))
		p.ids[put[i].ID] = true
	}
	for _, id := range b.Remove {
		p.ids[id] = true
	}
	for _, path := range slices.Concat(b.Replace, b.Gone) {
		p.files[path] = true
	}
	return p
}

// Under is what is pending once over is, too; where both know of a passage, over does.
func (p *Pending) Under(over *Pending) *Pending {
	if p == nil || over == nil {
		return cmp.Or(over, p)
	}
	out := &Pending{Entries: slices.Clone(over.Entries), ids: maps.Clone(over.ids), files: maps.Clone(over.files)}
	for i := range p.Entries {
		if !over.Hides(&p.Entries[i].Passage) {
			out.Entries = append(out.Entries, p.Entries[i])
		}
	}
	maps.Copy(out.ids, p.ids)
	maps.Copy(out.files, p.files)
	return out
}

// Hides reports whether an indexed passage is out of date.
func (p *Pending) Hides(indexed *memory.Passage) bool {
	return p != nil && (p.ids[indexed.ID] || p.files[indexed.Source])
}

// Matching returns the passages that pass the filter.
func (p *Pending) Matching(f *memory.Filter) (out []memory.Passage) {
	if p == nil {
		return nil
	}
	for i := range p.Entries {
		if f.Match(&p.Entries[i].Passage) {
			out = append(out, p.Entries[i].Passage)
		}
	}
	return out
}

// Count adds what is pending to the statistics of the index: df counts the
// passages that hold each of the words of a search. What a session said itself is not
// counted for it: by its own prompt all of the prompt's words would be known.
func (p *Pending) Count(s *memory.Search, df []int, t *Totals) {
	if p == nil {
		return
	}
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.Passage.Retired || e.Passage.Conversation() && s.Filter.NotSession != "" && e.Passage.Item.Metadata.Session == s.Filter.NotSession {
			continue
		}
		t.Add(e.Own, e.Near, e.Passage.Stated(), 1)
		has := make(map[string]bool, len(e.Own))
		for _, w := range e.Own {
			has[w] = true
		}
		for j, w := range s.Terms {
			if has[w] {
				df[j]++
			}
		}
	}
}

// Search appends what the search finds to out. q and prompt are of the search.
func (p *Pending) Search(q *Query, s *memory.Search, prompt terms.Prepared, out *memory.Candidates) {
	if p == nil {
		return
	}
	few := len(p.Entries) <= s.Few
	for i := range p.Entries {
		e := &p.Entries[i]
		if !s.Filter.Match(&e.Passage) {
			continue
		}
		c := q.candidate(e)
		c.Trigger = Called(&e.Passage, prompt)
		if v := e.Vector; q.Vector != nil && v != nil && v.Dim == q.Vector.Dim {
			c.Vector = Cosine(q.Vector, v.Scale, v.Q)
		}
		if few && !e.Passage.Conversation() || c.Own > 0 || c.Near > 0 || c.Trigger || c.Vector > MinCosine || within(s.Times, e.Passage.Item.Metadata.CreatedAt) {
			out.Hits = append(out.Hits, c)
		}
	}
}

// Called reports whether a trigger or alias of the passage is in the prompt.
func Called(p *memory.Passage, prompt terms.Prepared) bool {
	return slices.ContainsFunc(p.Item.Triggers, prompt.Contains) || slices.ContainsFunc(p.Item.Aliases, prompt.Contains)
}

// within reports whether a time lies in one of the spans.
func within(spans []memory.Span, t time.Time) bool {
	return slices.ContainsFunc(spans, func(s memory.Span) bool { return !t.Before(s.From) && t.Before(s.To) })
}
