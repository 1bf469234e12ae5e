package window

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/memory"
)

// AutoSummarize calls a standard summariser by itself, with any strategy. Zero
// means the default named.
type AutoSummarize struct {
	Enabled           bool
	IterationInterval int    // iterations since the last summary; 50
	TokenThreshold    int    // tokens of what was said and done since; 50,000
	Summarizer        string // summarizer-chapter
	Options           SummarizerOptions
}

// autoSummary calls a summariser when an iteration is complete and enough has
// happened. What it tells is an ordinary tool result in the journal; where the
// last one ended is read from there.
type autoSummary struct {
	Builder
	o AutoSummarize
	// What was counted so far, from the iteration after the last summary on.
	from, upto, size int
}

// autoSummaryID begins the ids of the calls that nobody made.
const autoSummaryID = "auto-summary-"

func newAutoSummary(b Builder, o AutoSummarize) (Builder, error) {
	o.IterationInterval = cmp.Or(max(o.IterationInterval, 0), 50)
	o.TokenThreshold = cmp.Or(max(o.TokenThreshold, 0), 50_000)
	o.Summarizer = cmp.Or(o.Summarizer, SummarizerChapter)
	if len(o.Options.Program.Command) == 0 && !slices.Contains(Summarizers(), o.Summarizer) {
		return nil, fmt.Errorf("%w summariser %q: use one of %v", memory.ErrInvalid, o.Summarizer, Summarizers())
	}
	return &autoSummary{Builder: b, o: o}, nil
}

// Health returns the figures of a builder that folds, also when a summariser is
// called beside it.
func Health(b Builder) (Stats, bool) {
	if a, ok := b.(*autoSummary); ok {
		b = a.Builder
	}
	f, ok := b.(*Folder)
	if !ok {
		return Stats{}, false
	}
	return f.Stats(), true
}

// OnIterationComplete implements [Builder].
func (a *autoSummary) OnIterationComplete(ctx context.Context, in Input) error {
	if err := a.Builder.OnIterationComplete(ctx, in); err != nil {
		return err
	}
	return a.look(ctx, in)
}

// look calls the summariser when that is due.
func (a *autoSummary) look(ctx context.Context, in Input) error {
	in = in.withDefaults()
	from := max(lastAutoSummary(in.View)+1, in.View.FirstIteration())
	if from != a.from {
		a.from, a.upto, a.size = from, from-1, 0
	}
	for _, e := range in.View.Range(a.upto+1, in.Iteration) {
		a.size += tokens.Estimate(in.View.Text(e))
	}
	a.upto = max(a.upto, in.Iteration)
	if in.Iteration < from || in.Iteration-from+1 < a.o.IterationInterval && a.size < a.o.TokenThreshold {
		return nil
	}
	return a.summarize(ctx, in, from)
}

// SummedUp is a run as it would stand had this builder seen it from its beginning:
// with the summaries that [AutoSummarize] calls for, in their places. It is the run
// itself for a builder that calls for none.
func SummedUp(ctx context.Context, b Builder, v *journal.View) (*journal.View, error) {
	a, ok := b.(*autoSummary)
	if !ok {
		return v, nil
	}
	out := journal.NewView()
	for _, it := range v.Iterations(0, 0) {
		if _, err := out.Append(ctx, it.Events...); err != nil {
			return nil, err
		}
		if err := a.look(ctx, Input{View: out}); err != nil {
			return nil, fmt.Errorf("iteration %d: %w", it.N, err)
		}
	}
	return out, nil
}

// summarize appends a call and its result. A view that takes nothing is left
// alone.
func (a *autoSummary) summarize(ctx context.Context, in Input, from int) error {
	query := fmt.Sprintf("iterations:%d-%d", from, in.Iteration)
	s, err := SummarizeView(ctx, a.o.Summarizer, in.View, SummaryRequest{Query: query}, &a.o.Options)
	if err != nil {
		return fmt.Errorf("summarise %s: %w", query, err)
	}
	output, err := Injection(s)
	if err != nil {
		return err
	}
	input, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return err
	}
	id := fmt.Sprintf("%s%d-%d", autoSummaryID, from, in.Iteration)
	call, err := journal.New(journal.ActionRequest, id, journal.Action{Tool: a.o.Summarizer, Input: input})
	if err != nil {
		return err
	}
	result, err := journal.New(journal.ActionResult, id, journal.Result{Tool: a.o.Summarizer, Output: string(output)})
	if err != nil {
		return err
	}
	if _, err := in.View.Append(ctx, call, result); err != nil && ctx.Err() != nil {
		return err
	}
	return nil
}

// lastAutoSummary is the iteration up to which was summarised; 0 for none.
func lastAutoSummary(v *journal.View) int {
	for _, e := range slices.Backward(v.ByType(journal.ActionRequest)) {
		rest, ok := strings.CutPrefix(e.ID, autoSummaryID)
		var from, to int
		if n, _ := fmt.Sscanf(rest, "%d-%d", &from, &to); ok && n == 2 {
			return to
		}
	}
	return 0
}
