package window

import (
	"cmp"
	"context"
	"fmt"

	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/llm"
)

// sliding shows the last iterations.
type sliding struct {
	passive
	o Options
}

func newSliding(o Options) *sliding {
	o.WindowSize = cmp.Or(max(o.WindowSize, 0), 50)
	return &sliding{o: o}
}

// Build implements [Builder].
func (s *sliding) Build(_ context.Context, in Input) ([]Placed, error) {
	in = in.withDefaults()
	return in.recent(s.o.WindowSize, s.o.OffloadTokens, nil)
}

// needed implements [Needed].
func (s *sliding) needed(in Input) int { return in.Iteration - s.o.WindowSize }

// checkpoints is sliding with a sentence for every stretch that has left.
type checkpoints struct {
	passive
	o    Options
	done summaries
}

func newCheckpoints(o Options) *checkpoints {
	o = newSliding(o).o
	o.CheckpointInterval = cmp.Or(max(o.CheckpointInterval, 0), 50)
	return &checkpoints{o: o, done: summaries{kind: kindCheckpoint, write: summarizer{model: o.Model}}}
}

// Build implements [Builder].
func (c *checkpoints) Build(_ context.Context, in Input) ([]Placed, error) {
	in = in.withDefaults()
	c.done.read(in.View)
	text := c.done.within(in.Iteration, in.Limit/10, func(t told) string {
		return fmt.Sprintf("- Iterations %d–%d: %s", t.From, t.To, t.Text)
	})
	return in.recent(c.o.WindowSize, c.o.OffloadTokens, note("Checkpoints of the run so far:", text))
}

// OnIterationComplete implements [Builder].
func (c *checkpoints) OnIterationComplete(ctx context.Context, in Input) error {
	in = in.withDefaults()
	c.done.read(in.View)
	for from := c.done.end() + 1; in.Iteration-from+1 >= c.o.CheckpointInterval; from = c.done.end() + 1 {
		to := from + c.o.CheckpointInterval - 1
		text := c.sentence(ctx, in.View, from, to)
		c.done.add(ctx, in.View, told{Text: text, Kind: kindCheckpoint, From: from, To: to})
	}
	return nil
}

// sentence sums a range up in one.
func (c *checkpoints) sentence(ctx context.Context, v *journal.View, from, to int) string {
	events := v.Range(from, to)
	if c.o.Model != nil && c.o.CheckpointPrompt != "" {
		answer, err := c.o.Model.Generate(ctx, llm.Request{MaxTokens: 200, Messages: []Message{
			{Role: llm.System, Text: c.o.CheckpointPrompt + "\n" + inert.Rule},
			{Role: llm.User, Text: inert.Data("record", tokens.Fit(plainText(v, events), 20_000))},
		}})
		if text := oneLine(answer.Message.Text); err == nil && text != "" {
			return clip(text, 300)
		}
	}
	s := c.done.write.summarize(ctx, stretch{view: v, events: events, hash: rangeHash(events), limit: 60})
	if s.Outcome == "" {
		return clip(s.Title, 200)
	}
	return clip(s.Title, 90) + " → " + clip(s.Outcome, 200)
}

// queryOnDemand shows the last iterations; the rest is asked for with tools.
type queryOnDemand struct {
	passive
	o Options
}

func newQueryOnDemand(o Options) *queryOnDemand {
	o.RecentSize = cmp.Or(max(o.RecentSize, 0), 50)
	return &queryOnDemand{o: o}
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

// needed implements [Needed].
func (q *queryOnDemand) needed(in Input) int { return in.Iteration - q.o.RecentSize }
