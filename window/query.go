package window

import (
	"context"
	"fmt"
)

// queryOnDemand shows the last iterations; the rest is asked for with tools.
type queryOnDemand struct{ o Options }

func newQueryOnDemand(o Options) *queryOnDemand {
	if o.RecentSize <= 0 {
		o.RecentSize = 50
	}
	return &queryOnDemand{o}
}

// Build implements [Builder].
func (q *queryOnDemand) Build(_ context.Context, in Input) ([]Placed, error) {
	in = in.withDefaults()
	var notes []Placed
	if first := in.View.FirstIteration(); !q.o.NoQueryTool && in.Iteration-q.o.RecentSize >= first {
		notes = note("Earlier iterations are not shown.",
			fmt.Sprintf("Iterations %d on stand in the journal: query_history(query) finds in them, summarize_phase(start, end) sums a range up.", first))
	}
	return in.recent(q.o.RecentSize, q.o.OffloadTokens, notes)
}

// OnIterationComplete implements [Builder].
func (q *queryOnDemand) OnIterationComplete(context.Context, Input) error { return nil }

// OnPhaseComplete implements [Builder].
func (q *queryOnDemand) OnPhaseComplete(context.Context, Input, string) error { return nil }
