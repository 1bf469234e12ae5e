package window

import (
	"context"
	"slices"
	"strings"

	"orihon/journal"
)

// Kinds of SUMMARY events that the strategies write.
const (
	kindCheckpoint = "checkpoint"
	kindStory      = "story"
	kindChapter    = "chapter"
)

// told is the payload of a SUMMARY event of a strategy. Text comes first, so
// that whoever reads a message reads that.
type told struct {
	Text string `json:"text"`
	Kind string `json:"kind"`
	From int    `json:"from"` // iterations
	To   int    `json:"to"`
}

// summaries are what a strategy has written into the journal, oldest first.
// On a view that takes nothing they are kept here.
type summaries struct {
	kind  string
	upto  int // SUMMARY events read
	list  []told
	write summarizer
}

// read takes up what stands in the journal.
func (s *summaries) read(v *journal.View) {
	events := v.ByType(journal.Summary)
	for _, e := range events[min(s.upto, len(events)):] {
		var t told
		if v.Decode(e, &t) == nil && t.Kind == s.kind && t.To > s.end() {
			s.list = append(s.list, t)
		}
	}
	s.upto = len(events)
}

// end is the last iteration that is told of.
func (s *summaries) end() int {
	if len(s.list) == 0 {
		return 0
	}
	return s.list[len(s.list)-1].To
}

// add writes a summary of a range of iterations.
func (s *summaries) add(ctx context.Context, v *journal.View, t told) {
	s.read(v)
	if t.To <= s.end() {
		return
	}
	err := write(ctx, v, journal.Summary, struct {
		Role string `json:"role"`
		told
	}{journal.RoleAssistant, t})
	if err != nil {
		s.list = append(s.list, t) // only looked at: kept for this builder
		return
	}
	s.read(v)
}

// within gives the summaries up to an iteration in at most limit tokens, the
// newest first to stay.
func (s *summaries) within(upto, limit int, line func(told) string) string {
	var lines []string
	for _, t := range slices.Backward(s.list) {
		if t.To > upto {
			continue
		}
		l := line(t)
		if limit -= lineCost(l); limit < 0 {
			break
		}
		lines = append(lines, l)
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}
