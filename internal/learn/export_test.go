package learn

import "context"

// Rules are how two statements stand to each other.
type Rules struct{}

// Classify returns the relation of the newer statement to the older one and the
// reason; it never fails.
func (Rules) Classify(_ context.Context, older, newer string) (Relation, string, error) {
	rel, why, _ := relate(read(older), read(newer))
	return rel, why, nil
}

// Gate judges a statement.
func Gate(s Statement) Verdict { return gate(s, read(s.Text)) }

// Similarity says how alike two statements are.
func Similarity(a, b string) float64 { return similarity(read(a), read(b)) }

// Restates says how far a newer statement says what an older one says.
func Restates(older, newer string) (all, perhaps bool) {
	n := neighbour{read: read(older)}
	n.relate(read(newer))
	return n.restated, n.resembles
}
