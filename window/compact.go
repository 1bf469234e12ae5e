package window

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/tokens"
	"orihon/llm"
)

// CompactOptions tune [Compact]. Nil means the zero value, and zero the default
// named.
type CompactOptions struct {
	Limit     int     // tokens of all messages together; [DefaultLimit]
	Threshold float64 // share of Limit above which anything is done; 0.8
	Target    float64 // share of Limit that is aimed at once it is; 0.6, never above Threshold
	KeepTurns int     // newest turns that stay as they are; 10
	KeepCalls int     // newest tool calls that stay in full; 5

	// Tokens counts as the model's tokenizer does; nil is an estimate by kind
	// of character.
	Tokens func(string) int
	// At tells when a message was written, by its index: the zero time where that
	// is not known, as of all messages with nil.
	At func(i int) time.Time
	// Now is the time of the compaction, before which everything without a time
	// was written; nil is [time.Now].
	Now func() time.Time
	// Store keeps a segment under its name, history/<segment>.json, before
	// Compact returns; [HistoryDir] makes one of a folder. With nil the
	// segment is only returned.
	Store func(name string, data []byte) error
}

// Compacted is what [Compact] made of a list of messages.
type Compacted struct {
	Messages []Message `json:"messages"`
	Before   int       `json:"before"`           // tokens
	After    int       `json:"after"`            // tokens
	Steps    []string  `json:"steps,omitempty"`  // what was done, in order: see the Step constants; empty when nothing was
	Segment  Segment   `json:"segment,omitzero"` // what [Reconstruct] needs; its name is empty when nothing was done
}

// The steps, in the order they are taken. Those before StepSummary only replace
// what can be looked up by where it can be.
const (
	StepFiles     = "files"     // contents of files → path:lines
	StepOutputs   = "outputs"   // outputs of tools → one line
	StepReasoning = "reasoning" // old reasoning → what it decided
	StepSummary   = "summary"   // turns → a rolling summary
	StepCut       = "cut"       // what is always kept is kept shorter
)

// Compact makes a list of messages smaller for a caller with a loop of its own.
// Below the threshold it returns the list as it is. Above, it first replaces
// what can be looked up by references, and only when that is not enough the
// turns before the newest by a summary. It tells in their own words, while there is
// room and in this order, the first task, what goes on to hold of what the user said
// and the newest of it, decisions, milestones and the rest that was said; then errors
// with what mended them. Where not even that fits, outputs of the newest calls give
// way, then the last turns, see giveWay. Where anything was changed, signed reasoning
// goes from all messages: providers refuse it in an edited history.
//
// The messages must be valid, see [Check], and so is the result. The same
// messages, options and times give the same result. It fails with [ErrBudget]
// when the messages of the system and the beginning of the first task do not fit.
func Compact(messages []Message, o *CompactOptions) (Compacted, error) {
	if err := Check(messages); err != nil {
		return Compacted{}, err
	}
	if len(messages) == 0 {
		return Compacted{}, nil
	}
	c := newCompaction(messages, o)
	out := Compacted{Messages: messages, Before: c.cost(), After: c.cost()}
	if float64(out.Before) <= c.o.Threshold*float64(c.o.Limit) {
		return out, nil
	}
	for _, step := range c.steps() {
		if c.cost() <= c.target {
			break
		}
		if step.do() {
			c.taken = append(c.taken, step.name)
		}
	}
	if len(c.taken) > 0 {
		c.leaveName()
	}
	if n := c.cost(); n > c.o.Limit {
		return Compacted{}, fmt.Errorf("%w: what never goes, the system prompt and the beginning of the first task, takes %d tokens, the limit is %d", ErrBudget, n, c.o.Limit)
	}
	if len(c.taken) == 0 || c.cost() >= out.Before {
		return out, nil // what would take its place is no smaller
	}
	out.Messages, out.After, out.Steps = c.messages(), c.cost(), c.taken
	var err error
	if out.Segment, err = c.segment(out.Messages); err != nil {
		return Compacted{}, err
	}
	if c.o.Store != nil {
		if err := c.o.Store(out.Segment.Name, out.Segment.Data); err != nil {
			return Compacted{}, fmt.Errorf("store %s: %w", out.Segment.Name, err)
		}
	}
	return out, nil
}

// leaveName sees to it that the segment is named somewhere in what is left:
// what was done may have left only steps that name nothing, such as dropping
// reasoning, or a summary whose room went to older ones.
func (c *compaction) leaveName() {
	if slices.Contains(segmentNames(c.messages()), c.ref) {
		return
	}
	note := "[" + c.ref + "]"
	if c.digest != nil {
		c.digest.Text += "\n" + note
		return
	}
	for i := range c.now {
		m := &c.now[i]
		switch {
		case c.gone[i] || same(c.whole[i], *m):
		case m.Result != nil:
			r := *m.Result
			r.Text = strings.TrimSpace(r.Text + " " + note)
			m.Result = &r
			return
		case m.Role != llm.System:
			m.Text = strings.TrimSpace(m.Text + " " + note)
			return
		}
	}
}

func newCompaction(messages []Message, o *CompactOptions) *compaction {
	c := &compaction{whole: messages, now: append([]Message(nil), messages...), gone: make([]bool, len(messages))}
	if o != nil {
		c.o = *o
	}
	c.o = c.o.withDefaults()
	c.target = int(c.o.Target * float64(c.o.Limit))
	c.ref = segmentName(messages, c.o)
	c.readCalls()
	c.countTurns()
	c.protect(c.o.KeepTurns, c.o.KeepCalls)
	return c
}

func (o CompactOptions) withDefaults() CompactOptions {
	o.Limit = cmp.Or(max(o.Limit, 0), DefaultLimit)
	if o.Threshold <= 0 || o.Threshold > 1 {
		o.Threshold = 0.8
	}
	o.Target = cmp.Or(max(o.Target, 0), 0.6)
	o.Target = min(o.Target, o.Threshold)
	o.KeepTurns = cmp.Or(max(o.KeepTurns, 0), 10)
	o.KeepCalls = cmp.Or(max(o.KeepCalls, 0), 5)
	if o.Tokens == nil {
		o.Tokens = tokens.Estimate
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.At == nil {
		o.At = func(int) time.Time { return time.Time{} }
	}
	return o
}
