package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"orihon/llm"
	"orihon/memory"
	"orihon/window"
)

// SummaryOptions is what [Run.Summarize] sums up, and how. The zero value is the whole
// run in the form that loses least.
type SummaryOptions struct {
	Agent    string // one of [window.Summarizers]; "" is summarizer-adaptive
	From, To int    // iterations; 0 leaves that end open
	// Parent is an earlier result of the same summariser: only what came after
	// its range is read, and the result stands for both.
	Parent json.RawMessage
	// Model writes title, content and outcome of a chapter; nil leaves them to
	// extraction.
	Model llm.Model
}

// Summarize runs a standard summariser over a part of the run. Without a model it
// takes everything from the journal, and the same journal gives the same result.
// That of a session is kept under summaries/ in its folder. A range that the run
// does not have is a [memory.ErrNotFound], an unknown summariser or a parent of
// another one a [memory.ErrInvalid].
func (r *Run) Summarize(ctx context.Context, s SummaryOptions) (window.SummaryResult, error) {
	to := cmp.Or(max(s.To, 0), max(s.From, r.View().LastIteration(), 1))
	if len(r.View().Range(s.From, to)) == 0 {
		return window.SummaryResult{}, fmt.Errorf("iterations %d to %d: %w: the run has %s", max(1, s.From), to, memory.ErrNotFound, r.Span())
	}
	o := window.SummarizerOptions{Model: s.Model}
	if j := r.View().Journal(); j != nil && !r.File {
		o.Cache = &window.SummaryCache{Dir: j.Dir(), Now: r.o.Now}
	}
	return window.SummarizeView(ctx, cmp.Or(s.Agent, window.SummarizerAdaptive), r.View(), window.SummaryRequest{
		Query: fmt.Sprintf("iterations:%d-%d", max(1, s.From), to), Parent: s.Parent,
	}, &o)
}
