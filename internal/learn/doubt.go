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
