package window_test

import (
	"context"
	"fmt"
	"reflect"

	"orihon/journal"
	"orihon/window"
)

// step is what a strategy built for one iteration of a replay.
type step struct {
	Iteration int
	Messages  int
	Tokens    int  // of the context
	Cached    int  // tokens of its beginning that are those of the step before
	Valid     bool // roles, calls and results, limit
	Err       error
	Epoch     bool // the strategy rewrote what it had shown
}

// replayReport is what a strategy did over a whole run.
type replayReport struct {
	Strategy string
	Limit    int
	Steps    []step
	Epochs   int          // steps at which the beginning changed
	Cached   float64      // share of all tokens served from an unchanged beginning
	Most     int          // tokens of the largest context
	Stats    window.Stats // of folding
}

// OK reports whether every step was valid and within the limit.
func (r *replayReport) OK() error {
	for _, s := range r.Steps {
		if !s.Valid {
			return fmt.Errorf("%s, iteration %d: %w", r.Strategy, s.Iteration, s.Err)
		}
	}
	return nil
}

// replay runs a strategy over a run as if it happened now: before each
// iteration the context is built from what was known, and measured. The run is
// copied; what the strategy writes stays in the copy.
func replay(ctx context.Context, v *journal.View, strategy string, limit int) (replayReport, error) {
	b, err := window.New(strategy, nil)
	if err != nil {
		return replayReport{}, err
	}
	report := replayReport{Strategy: strategy, Limit: limit}
	copied := journal.NewView()
	var before []window.Message
	sum, cached := 0, 0
	for _, it := range v.Iterations(0, 0) {
		events, err := withoutFolds(v, it.Events)
		if err != nil {
			return report, err
		}
		if _, err := copied.Append(ctx, events...); err != nil {
			return report, err
		}
		in := window.Input{View: copied, Limit: limit}
		step := step{Iteration: it.N}
		if err := b.OnIterationComplete(ctx, in); err != nil {
			return report, err
		}
		messages, err := window.Build(ctx, b, in)
		if err != nil {
			step.Err = err
		} else {
			step.Valid, step.Messages = true, len(messages)
			step.measure(messages, before)
			before = messages
		}
		if ctx.Err() != nil {
			return report, ctx.Err()
		}
		sum, cached = sum+step.Tokens, cached+step.Cached
		report.Most = max(report.Most, step.Tokens)
		if step.Epoch {
			report.Epochs++
		}
		report.Steps = append(report.Steps, step)
	}
	if sum > 0 {
		report.Cached = float64(cached) / float64(sum)
	}
	report.Stats, _ = window.Health(b)
	return report, nil
}

// measure compares a context with the one before it.
func (s *step) measure(now, before []window.Message) {
	unchanged := true
	for i, m := range now {
		n := window.Cost(m, nil)
		s.Tokens += n
		unchanged = unchanged && i < len(before) && reflect.DeepEqual(m, before[i])
		if unchanged {
			s.Cached += n
		} else if i < len(before) {
			s.Epoch = true
		}
	}
}

// withoutFolds are events with their whole payloads, without what a strategy
// wrote.
func withoutFolds(v *journal.View, events []journal.Event) ([]journal.Event, error) {
	out := make([]journal.Event, 0, len(events))
	for _, e := range events {
		switch e.Type {
		case journal.Fold, journal.Unfold, journal.ContextBuilt:
			continue
		}
		body, err := v.Body(e)
		if err != nil {
			return nil, err
		}
		e.Payload = body
		out = append(out, e)
	}
	return out, nil
}
