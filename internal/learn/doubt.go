package learn

import (
	"context"

	"orihon/memory"
)

// Doubts are the items of which the rules cannot tell how a statement stands to
// them. Whoever knows more answers for them in [Options.Related]. Nothing is
// decided.
func (l *Learner) Doubts(ctx context.Context, s Statement) ([]memory.Item, error) {
	s, _, err := l.clean(s)
	if err != nil {
		return nil, err
	}
	b := l.batch()
	near, err := b.neighbours(ctx, s, b.read(s.Text))
	var out []memory.Item
	for i := range near {
		if near[i].doubtful() {
			out = append(out, near[i].item)
		}
	}
	return out, err
}

// Same reports whether two statements say the same, in whatever words.
func Same(a, b string) bool {
	n, m := neighbour{read: read(a)}, neighbour{read: read(b)}
	n.similarity = similarity(n.read, m.read)
	n.relate(m.read)
	m.relate(n.read)
	return n.restated || m.restated || n.relation == Duplicates && n.similarity >= mergeSimilarity
}

// SameWords reports whether two texts differ in nothing but case, spaces and the sign at
// the end.
func SameWords(a, b string) bool { return normal(a) == normal(b) }
