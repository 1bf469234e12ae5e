package recall

import (
	"context"
	"slices"
	"time"

	"orihon/memory"
)

// Pair is two statements, by their IDs, of which one may have replaced the other.
type Pair struct {
	One, Other string
	Since      time.Time // when that was found: what was put in other words later is no part of it
	// Ends reports whether a later statement may end an earlier one; nil is always.
	Ends func(earlier, later string) bool
}

// disputed brings with every statement that is to be shown the later one that may have
// replaced it, where a person has not decided yet: the older one alone would look as if
// nothing spoke against it.
func (e *Engine) disputed(ctx context.Context, q *memory.Query, p *parsed, hits []memory.Hit) []memory.Hit {
	if e.odds == nil || !q.AsOf.IsZero() || !slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Kept && statement(&h) }) {
		return hits
	}
	for _, pair := range e.odds(ctx) {
		hits = e.latest(ctx, q, p, hits, &pair)
	}
	return hits
}

// latest puts the later one of a pair before the older, where that is to be shown: it
// brings it where no leg has found it.
func (e *Engine) latest(ctx context.Context, q *memory.Query, p *parsed, hits []memory.Hit, pair *Pair) []memory.Hit {
	i := slices.IndexFunc(hits, func(h memory.Hit) bool { return h.Kept && h.Behind() == "" && pair.besides(h.Passage.ID) != "" })
	if i < 0 {
		return hits
	}
	older, id := hits[i], pair.besides(hits[i].Passage.ID)
	at := slices.IndexFunc(hits, func(h memory.Hit) bool { return h.Passage.ID == id })
	var later memory.Hit
	if at >= 0 {
		later = hits[at]
	} else if found := e.fetch(ctx, q, p, []string{id}); len(found) > 0 {
		later = memory.Hit{Passage: found[0], Hash: Hash(&found[0]), Relevance: older.Relevance, Score: older.Score, Activation: memory.NoActivation}
	}
	if !pair.replaced(&older.Passage, &later.Passage) {
		// It may be the later one itself, and the other is to be shown, too.
		if at < 0 || !later.Kept || !pair.replaced(&later.Passage, &older.Passage) {
			return hits
		}
		i, at, older, later = at, i, later, older
	}
	if !later.Kept {
		admitted(q, &later)
	}
	older.Later = later.Passage.ID
	hits[i] = older
	if at >= 0 && at < i {
		return hits
	}
	if at >= 0 {
		hits = slices.Delete(hits, at, at+1)
	}
	return slices.Insert(hits, i, later)
}

// besides is the other one of a pair; empty for an ID that is not of it.
func (pair *Pair) besides(id string) string {
	switch id {
	case pair.One:
		return pair.Other
	case pair.Other:
		return pair.One
	}
	return ""
}

// replaced reports whether a passage of a pair may have been replaced by the other one,
// which was said later; both hold now, in the words in which they were held together.
func (pair *Pair) replaced(older, later *memory.Passage) bool {
	holds := func(p *memory.Passage) bool {
		return p.SupersededBy == "" && !p.Item.Metadata.RewordedAt.After(pair.Since)
	}
	return holds(older) && holds(later) && later.Item.Metadata.CreatedAt.After(older.Item.Metadata.CreatedAt) &&
		(pair.Ends == nil || pair.Ends(older.Item.Content, later.Item.Content))
}
