package window

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/activity"
	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/llm"
	"orihon/memory"
	"orihon/workmem"
)

// WorkingMemoryOptions tune the strategy working_memory. Zero means the default
// named.
type WorkingMemoryOptions struct {
	// Overview reads the overview of the session, as [workmem.Store.Overview] and
	// [workmem.Look] do; required.
	Overview  func() (workmem.Overview, error)
	IdleTurns int     // iterations without a change of the overview until the default strategy takes over; 10
	CompactAt float64 // share of the limit above which the oldest messages are compacted; 0.75
	// Compact tunes that compaction; its Limit and Threshold are the strategy's.
	Compact CompactOptions
}

// workingMemory shows the model its own overview, and of the history what the
// overview does not stand for yet.
type workingMemory struct {
	Builder // the default strategy
	o       Options
	w       WorkingMemoryOptions
}

func newWorkingMemory(o Options) (Builder, error) {
	w := o.WorkingMemory
	if w.Overview == nil {
		return nil, fmt.Errorf("%w strategy %s: it needs the overview of a session, see Options.WorkingMemory", memory.ErrInvalid, WorkingMemory)
	}
	w.IdleTurns = cmp.Or(max(w.IdleTurns, 0), idleTurns)
	if w.CompactAt <= 0 || w.CompactAt > 1 {
		w.CompactAt = fallbackFill
	}
	return &workingMemory{o.defaultStrategy(), o, w}, nil
}

// metaRoom is what the end of the messages and the guidance may take, in tokens.
const metaRoom = 420

// Build implements [Builder].
func (b *workingMemory) Build(ctx context.Context, in Input) ([]Placed, error) {
	in = in.withDefaults()
	over, err := b.w.Overview()
	if err != nil {
		return nil, fmt.Errorf("read the overview: %w", err)
	}
	if idle := in.Iteration - max(lastTouch(in.View, in.Iteration), touchedAt(in.View, in.Iteration, over.Touched)); idle > b.w.IdleTurns {
		return b.untouched(ctx, in, over, idle)
	}
	view := shownOverview(over, in.Limit)
	room := in
	room.Limit = in.Limit - in.cost([]Placed{view}) - metaRoom
	messages, err := room.history(b.o.OffloadTokens, over.Pristine)
	if err != nil {
		return nil, err
	}
	messages = behindSystem(messages, view)
	messages = shortOutputs(in, messages)

	fill := float64(in.cost(messages)) / float64(in.Limit)
	g, notice := guidesFor(in.language()), ""
	if fill > b.w.CompactAt {
		o := b.w.Compact
		o.Limit, o.Threshold, o.Tokens = in.Limit-metaRoom, b.w.CompactAt, in.Tokens
		o.At = func(i int) time.Time { return messages[i].At }
		c, err := Compact(Messages(messages), &o)
		if err != nil {
			return nil, err
		}
		if len(c.Steps) > 0 {
			messages = unplaced(c.Messages)
			notice = fmt.Sprintf(g.compacted, percent(b.w.CompactAt))
		}
	}
	return contextMeta{Size: over.Size, Notice: notice}.finish(in, messages, g.at(fill, b.w.CompactAt)), nil
}

// shownOverview is the overview as the model sees it.
func shownOverview(over workmem.Overview, limit int) Placed {
	return asSystem(framedOverview(over, limit/4))
}

// behindSystem puts a message behind those of the system.
func behindSystem(messages []Placed, m Placed) []Placed {
	at := slices.IndexFunc(messages, func(m Placed) bool { return m.Role != llm.System })
	return slices.Insert(slices.Clone(messages), max(at, 0), m)
}

// untouched builds by the default strategy, beside the overview, and says so. That one
// fills no more of the window than what a compaction would leave.
func (b *workingMemory) untouched(ctx context.Context, in Input, over workmem.Overview, idle int) ([]Placed, error) {
	view := shownOverview(over, in.Limit)
	room := in
	room.Limit = int(b.w.CompactAt*float64(in.Limit)) - metaRoom - in.cost([]Placed{view})
	if room.Limit <= 0 {
		return nil, fmt.Errorf("%w: %d tokens, at least %d are needed", ErrBudget, in.Limit, metaRoom)
	}
	messages, err := b.Builder.Build(ctx, room)
	if err != nil {
		return nil, err
	}
	messages = behindSystem(messages, view)
	g, fill := guidesFor(in.language()), float64(in.cost(messages))/float64(in.Limit)
	return contextMeta{Size: over.Size, Notice: fmt.Sprintf(g.untouched, idle)}.finish(in, messages, g.at(fill, b.w.CompactAt)), nil
}

// history is the part of the run that is shown: all of it while the overview is
// the template, then the active turn, and never less than the last messages.
func (in Input) history(offload int, pristine bool) ([]Placed, error) {
	first := in.View.FirstIteration()
	start := first
	if !pristine {
		start = in.activeTurn()
	}
	var notes []Placed
	if c, ok := lastCompaction(in.View, in.Iteration, "history"); ok {
		start = max(start, min(c.iter-c.keep+1, in.Iteration))
		if c.summary != "" {
			notes = append(notes, asUser(fmt.Sprintf("[Earlier, in your own summary at iteration %d] %s", c.iter, tokens.Fit(inert.Text(c.summary), in.Limit/5)), KindSummary, ZoneSummary))
		}
	}
	return in.recent(in.Iteration-start+1, offload, notes)
}

// activeTurn is the iteration of the last thing the user said, or an earlier one
// when fewer than the least of messages came since.
func (in Input) activeTurn() int {
	start := in.View.FirstIteration()
	if e, ok := lastRequest(in.View, in.Iteration); ok {
		start = e.Iter
	}
	for start > in.View.FirstIteration() && spokenIn(in.View.Range(start, in.Iteration)) < leastMessages {
		start--
	}
	return start
}

func spokenIn(events []journal.Event) int {
	n := 0
	for _, e := range events {
		switch e.Type {
		case journal.UserMessage, journal.AssistantMessage, journal.ActionRequest, journal.ActionResult:
			n++
		}
	}
	return n
}

// lastTouch is the iteration in which the overview was last written, by the
// store's tools, the memory tool or any other that names its path; the first
// one when it never was.
func lastTouch(v *journal.View, upto int) int {
	for _, e := range slices.Backward(v.ByType(journal.ActionRequest)) {
		var a journal.Action
		if e.Iter > upto || v.Decode(e, &a) != nil || a.Tool == workmem.ReadTool {
			continue
		}
		var in struct {
			Command string `json:"command"`
			Path    string `json:"path"`
			File    string `json:"file_path"`
			NewPath string `json:"new_path"`
		}
		if json.Unmarshal(a.Input, &in) != nil || in.Command == "view" {
			continue
		}
		for _, p := range [...]string{in.Path, in.File, in.NewPath} {
			p = strings.ReplaceAll(p, `\`, "/")
			ours := p == workmem.OverviewFile && a.Tool == workmem.WriteTool || p == workmem.MemoryRoot+"/"+workmem.OverviewFile ||
				strings.HasSuffix(p, workmem.Dir+"/"+workmem.OverviewFile)
			if !ours {
				continue
			}
			if call := activity.New(a.Tool, nil, []string{p}); call.Effect() != activity.Reading {
				return e.Iter
			}
		}
	}
	return v.FirstIteration()
}

// touchedAt is the iteration in which a file was written last, by whatever way: that
// of the newest event before it. Without a time it is 0.
func touchedAt(v *journal.View, upto int, at time.Time) int {
	if at.IsZero() {
		return 0
	}
	for _, e := range slices.Backward(v.Events()) {
		if e.Iter <= upto && !e.TS.IsZero() && !e.TS.After(at) {
			return e.Iter
		}
	}
	return 0
}

// shortOutputs leaves one line of each tool output that the model gave up by
// [CompactHistory].
func shortOutputs(in Input, messages []Placed) []Placed {
	c, ok := lastCompaction(in.View, in.Iteration, "tool_outputs")
	if !ok {
		return messages
	}
	keep := c.keep
	for i, m := range slices.Backward(messages) {
		if m.Result == nil {
			continue
		}
		e, ok := in.View.ResultOf(m.Result.ID)
		if !ok || e.Seq >= c.seq || m.Result.Error {
			continue
		}
		if keep > 0 {
			keep--
			continue
		}
		short := *m.Result
		first, _, _ := strings.Cut(short.Text, "\n")
		short.Text = fmt.Sprintf("%s [… event %d: %s(event: %d) …]", clip(oneLine(first), 120), e.Seq, ShowHistory, e.Seq)
		if in.Tokens(short.Text) < in.Tokens(m.Result.Text) {
			messages[i].Result = &short
		}
	}
	return messages
}
