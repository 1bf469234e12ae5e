package window

import (
	"cmp"
	"context"
	"fmt"

	"orihon/journal"
	"orihon/memory"
)

// twoLayer shows the last iterations and one running story of all before.
type twoLayer struct {
	passive
	o     Options
	story summaries
}

func newTwoLayer(o Options) (*twoLayer, error) {
	o.RecentSize = cmp.Or(max(o.RecentSize, 0), 50)
	o.SummaryMaxTokens = cmp.Or(max(o.SummaryMaxTokens, 0), 5000)
	o.UpdateInterval = cmp.Or(max(o.UpdateInterval, 0), 20)
	switch o.SummaryStyle {
	case "":
		o.SummaryStyle = "concise"
	case "concise", "detailed":
	default:
		return nil, fmt.Errorf("%w summary_style %q: use concise or detailed", memory.ErrInvalid, o.SummaryStyle)
	}
	return &twoLayer{o: o, story: summaries{kind: kindStory, write: summarizer{model: o.Model}}}, nil
}

// Build implements [Builder].
func (t *twoLayer) Build(_ context.Context, in Input) ([]Placed, error) {
	in = in.withDefaults()
	t.story.read(in.View)
	limit := min(t.o.SummaryMaxTokens, in.Limit/4)
	text := t.story.within(in.Iteration, limit, func(s told) string {
		return fmt.Sprintf("[%d–%d] %s", s.From, s.To, s.Text)
	})
	// Nothing falls between story and window, unless there is no room.
	recent := max(t.o.RecentSize, in.Iteration-t.story.end())
	return in.recent(recent, t.o.OffloadTokens, note("The story so far:", text))
}

// OnIterationComplete tells of the iterations that are about to leave the
// window, some at a time.
func (t *twoLayer) OnIterationComplete(ctx context.Context, in Input) error {
	in = in.withDefaults()
	t.story.read(in.View)
	size := 80
	if t.o.SummaryStyle == "detailed" {
		size = 240
	}
	last := in.Iteration - t.o.RecentSize
	for from := t.story.end() + 1; last-from+1 >= t.o.UpdateInterval; from = t.story.end() + 1 {
		to := from + t.o.UpdateInterval - 1
		events := in.View.Range(from, to)
		s := t.story.write.summarize(ctx, stretch{view: in.View, events: events, hash: rangeHash(events), limit: size})
		t.story.add(ctx, in.View, told{Text: s.line(), Kind: kindStory, From: from, To: to})
	}
	return nil
}

// milestone shows the chapters that are closed and the one under way in full.
type milestone struct {
	o        Options
	chapters summaries
}

func newMilestone(o Options) *milestone {
	o.FallbackInterval = cmp.Or(max(o.FallbackInterval, 0), 50)
	return &milestone{o, summaries{kind: kindChapter, write: summarizer{model: o.Model}}}
}

// Build implements [Builder].
func (m *milestone) Build(_ context.Context, in Input) ([]Placed, error) {
	in = in.withDefaults()
	m.chapters.read(in.View)
	text := m.chapters.within(in.Iteration, in.Limit/4, func(t told) string {
		return fmt.Sprintf("Chapter, iterations %d–%d: %s", t.From, t.To, t.Text)
	})
	return in.recent(max(1, in.Iteration-m.chapters.end()), m.o.OffloadTokens, note("Chapters so far:", text))
}

// OnIterationComplete closes a chapter when the model says that a part of the
// work is over, and after the fallback interval.
func (m *milestone) OnIterationComplete(ctx context.Context, in Input) error {
	in = in.withDefaults()
	m.chapters.read(in.View)
	if in.Iteration-m.chapters.end() >= m.o.FallbackInterval || phaseEnds(in.View, in.Iteration) {
		m.close(ctx, in, "")
	}
	return nil
}

// OnPhaseComplete implements [Builder].
func (m *milestone) OnPhaseComplete(ctx context.Context, in Input, name string) error {
	m.close(ctx, in.withDefaults(), name)
	return nil
}

// close ends the chapter before the current iteration, which stays in view.
func (m *milestone) close(ctx context.Context, in Input, name string) {
	m.chapters.read(in.View)
	from, to := m.chapters.end()+1, in.Iteration-1
	if to < from {
		return
	}
	events := in.View.Range(from, to)
	s := m.chapters.write.summarize(ctx, stretch{view: in.View, events: events, hash: rangeHash(events), limit: 150})
	if name != "" {
		s.Title = clip(oneLine(name), 120)
	}
	m.chapters.add(ctx, in.View, told{Text: s.line(), Kind: kindChapter, From: from, To: to})
}

// phaseEnds reports whether a part of the work ended in an iteration: by a call
// of a tool named for milestones, or because the model says so.
func phaseEnds(v *journal.View, iteration int) bool {
	for _, e := range v.Range(iteration, iteration) {
		switch e.Type {
		case journal.ActionRequest:
			var a journal.Action
			if v.Decode(e, &a) == nil && marksMilestone(a.Tool) {
				return true
			}
		case journal.AssistantMessage, journal.Thought:
			var m journal.Message
			if v.Decode(e, &m) == nil && !journal.IsReasoning(e, m) && saysDone(m.Text) {
				return true
			}
		}
	}
	return false
}
