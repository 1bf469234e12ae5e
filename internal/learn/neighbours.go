package learn

import (
	"cmp"
	"context"
	"slices"

	"orihon/memory"
)

// Neighbour is a passage that may speak of the same as a statement.
type Neighbour struct {
	memory.Passage
	// Similarity is the calibrated one, 0..1 as [Similarity] gives it, where the
	// finder knows it better than the words do; 0 leaves it to the words.
	Similarity float64
}

// mostNeighbours is how many neighbours a statement is held against.
const mostNeighbours = 10

// Thresholds on similarity.
const (
	sameSimilarity    = 0.95 // above: the same statement
	mergeSimilarity   = 0.90 // from here: the same in other words
	updateSimilarity  = 0.80 // from here: perhaps a newer wording
	confirmSimilarity = 0.75 // from here: seen again
	relateSimilarity  = 0.60 // from here: classified
)

// neighbour is an item as it is now, and how a statement stands to it.
type neighbour struct {
	item        memory.Item
	read        *reading
	similarity  float64
	relation    Relation
	why         string
	sameSubject bool
	firm        bool // see [comparison.firm]
	close       bool // see [comparison.close]
	part        bool // see [comparison.part]
}

// relate classifies by the rules.
func (n *neighbour) relate(said *reading) {
	var c *comparison
	n.relation, n.why, c = relate(n.read, said)
	n.sameSubject = c == nil || c.sameSubject()
	n.firm = c != nil && c.firm()
	n.close = c == nil || c.close()
	n.part = c != nil && c.part()
}

// nothing reports whether a neighbour has nothing to do with the statement;
// with a model that is left to it where the wording is similar.
func (n *neighbour) nothing(model bool) bool {
	if n.similarity >= relateSimilarity {
		return !model && (n.relation == Unrelated || n.relation == Unknown && !n.sameSubject)
	}
	return n.relation == Unrelated || n.relation == Unknown || n.relation == Contradicts && !n.firm
}

func (n *neighbour) conflict() Conflict {
	return Conflict{ID: n.item.ID, Content: n.item.Content, Relation: n.relation, Why: n.why}
}

// neighbours are the current items of the scope that a statement is held
// against, the most similar first, classified. An index that fails must not
// lose a statement: then there are only those of the batch.
func (b *batch) neighbours(ctx context.Context, s Statement, said *reading) ([]neighbour, error) {
	if s.Kind == memory.Episodic || s.Kind == memory.Note {
		return nil, nil // what happened does not stop having happened
	}
	found, err := b.l.o.Find(ctx, s.Scope, s.Text)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		found = nil
	}
	var near []neighbour
	seen := make(map[string]bool)
	look := func(it *memory.Item, given float64) {
		if seen[it.ID] || !comparable(it, s.Scope) {
			return
		}
		seen[it.ID] = true
		n := neighbour{item: *it, read: b.read(it.Content), similarity: given}
		if given <= 0 {
			n.similarity = similarity(n.read, said)
		}
		near = append(near, n)
	}
	for i := range found {
		p := &found[i]
		if p.Conversation() || p.Retired || p.SupersededBy != "" {
			continue
		}
		look(&p.Item, p.Similarity)
	}
	for _, id := range b.alike(s.Scope, s.Text) {
		it := b.items[id]
		look(&it, 0)
	}
	slices.SortStableFunc(near, func(a, b neighbour) int { return cmp.Compare(b.similarity, a.similarity) })
	near = near[:min(len(near), mostNeighbours)]
	return b.classify(ctx, s, said, near)
}

// comparable reports whether an item can be the older of a pair.
func comparable(it *memory.Item, scope memory.Scope) bool {
	return it.Scope == scope && it.Kind != memory.Note && it.Kind != memory.Episodic
}

// classify says how the statement stands to each neighbour, and leaves out
// those it has nothing to do with. The store is the truth: an index may lag
// behind it.
func (b *batch) classify(ctx context.Context, s Statement, said *reading, near []neighbour) ([]neighbour, error) {
	now := b.l.o.Now()
	out := near[:0]
	for _, n := range near {
		if n.relate(said); n.nothing(b.l.o.Classifier != nil) {
			continue
		}
		it, err := b.get(ctx, n.item.ID)
		if err != nil || !it.ValidTo.IsZero() && !it.ValidTo.After(now) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue // forgotten or replaced since
		}
		if it.Content != n.item.Content {
			n.read = b.read(it.Content)
			n.similarity = similarity(n.read, said)
			n.relate(said)
		}
		n.item = it
		if b.l.o.Classifier != nil && n.similarity >= relateSimilarity && n.similarity < 1 {
			rel, why, err := b.l.o.Classifier.Classify(ctx, it.Content, s.Text)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err == nil && !(rel == Duplicates && differs(n.read, said)):
				n.relation, n.why = rel, why
			}
		}
		if n.relation != Unrelated {
			out = append(out, n)
		}
	}
	return out, nil
}

// differs reports whether two statements differ in what makes a pair never a
// duplicate, whoever classified it.
func differs(a, b *reading) bool {
	c := compare(a, b)
	return c.figures || len(c.flipped)+len(c.opposites)+len(c.values)+len(c.swapped) > 0
}
