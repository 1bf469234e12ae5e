package learn

import (
	"orihon/memory"
)

// Neighbour is a passage that may speak of the same as a statement.
type Neighbour struct {
	memory.Passage
	// Similarity is the calibrated one, 0..1 as [Similarity] gives it, where the
	// finder knows it better than the words do; 0 leaves it to the words.
	Similarity float64
}

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
	// restated says that all of the statement is known from it, resembles that they
	// perhaps say the same, whatever the words.
	restated, resembles bool
	denied              bool // the statement denies a word of it
}

// relate classifies by the rules.
func (n *neighbour) relate(said *reading) {
	var c *comparison
	n.relation, n.why, c = relate(n.read, said)
	n.sameSubject = c == nil || c.sameSubject()
	n.firm = c != nil && c.firm()
	n.denied = c != nil && c.takenBack
	if n.restated, n.resembles = false, false; n.relation != Contradicts {
		n.restated, n.resembles = restates(n.read, said, c)
	}
}

// nothing reports whether a neighbour has nothing to do with the statement.
func (n *neighbour) nothing() bool {
	if n.restated || n.resembles {
		return false
	}
	if n.similarity >= relateSimilarity {
		return n.relation == Unrelated || n.relation == Unknown && !n.sameSubject
	}
	return n.relation == Unrelated || n.relation == Unknown || n.relation == Contradicts && !n.firm
}

// doubtful reports whether the rules see the same subject and cannot tell more.
func (n *neighbour) doubtful() bool {
	return n.relation == Unknown && n.sameSubject && n.similarity >= relateSimilarity
}

// settle takes the word of somebody who knows more than the rules.
func (n *neighbour) settle(r Relation) {
	switch r {
	case Contradicts, Extends, Duplicates, Unrelated:
		n.relation, n.why, n.firm = r, "a model tells: "+string(r), true
		n.restated, n.resembles = false, false
	}
}

func (n *neighbour) conflict() Conflict {
	return Conflict{ID: n.item.ID, Content: n.item.Content, Relation: n.relation, Why: n.why, Scope: n.item.Scope}
}

// comparable reports whether an item can be the older of a pair.
func comparable(it *memory.Item, scope memory.Scope) bool {
	return it.Scope == scope && it.Kind != memory.Note && it.Kind != memory.Episodic
}
