package window

import (
	"strings"

	"orihon/internal/activity"
	"orihon/llm"
)

// compaction is the state of one call of [Compact].
type compaction struct {
	o      CompactOptions
	whole  []Message          // as they came
	now    []Message          // as they are now, by the same index
	gone   []bool             // by the same index: the summary stands for it
	turn   []int              // by the same index
	kept   []bool             // stays in full until nothing else helps
	acts   []*activity.Action // by the same index: the call that a result answers
	mends  []bool             // by the same index: the result shows a failure mended
	all    bool               // what is kept is shortened, too
	cut    bool               // what is kept is cut, and told in the summary as what is gone
	turns  int
	target int // tokens
	ref    string
	digest *Message // the summary
	taken  []string
}

// messages is the list as it is now.
func (c *compaction) messages() []Message {
	out := make([]Message, 0, len(c.now))
	for i, m := range c.now {
		if c.digest != nil && len(out) == c.systems() && i == c.systems() {
			out = append(out, *c.digest)
		}
		if !c.gone[i] {
			out = append(out, m)
		}
	}
	return out
}

// systems is how many messages of the system stand at the beginning.
func (c *compaction) systems() int {
	n := 0
	for n < len(c.whole) && c.whole[n].Role == llm.System {
		n++
	}
	return n
}

func (c *compaction) cost() int {
	n := 0
	for _, m := range c.messages() {
		n += Cost(m, c.o.Tokens)
	}
	return n
}

// countTurns numbers turns as a journal numbers iterations: one begins with a
// user's message, and with what the assistant does after it saw results.
func (c *compaction) countTurns() {
	c.turn = make([]int, len(c.whole))
	for i, m := range c.whole {
		if m.Role == llm.User || m.Role == llm.Assistant && i > 0 && c.whole[i-1].Role == llm.Tool {
			c.turns++
		}
		c.turn[i] = c.turns
	}
}

// protect marks what stays: system messages, the newest turns, and the newest
// calls with their results.
func (c *compaction) protect(turns, calls int) {
	c.kept = make([]bool, len(c.whole))
	for i := len(c.whole) - 1; i >= 0; i-- {
		m := c.whole[i]
		c.kept[i] = m.Role == llm.System || c.turn[i] > c.turns-turns
		if len(m.Calls) > 0 && calls > 0 {
			calls -= len(m.Calls)
			for j := range firstGroup(c.whole[i:]) {
				c.kept[i+j] = true
			}
		}
	}
}

// readCalls finds for each result the call it answers, and which results show a
// failure of the same subject mended.
func (c *compaction) readCalls() {
	c.acts, c.mends = make([]*activity.Action, len(c.whole)), make([]bool, len(c.whole))
	calls := map[string]*activity.Action{}
	failed := map[string]bool{} // subjects whose last result was an error
	for i, m := range c.whole {
		for _, call := range m.Calls {
			a := activity.New(call.Tool, call.Input, nil)
			calls[call.ID] = &a
		}
		if m.Result == nil || calls[m.Result.ID] == nil {
			continue
		}
		c.acts[i] = calls[m.Result.ID]
		subject := c.acts[i].Subject("")
		c.mends[i] = failed[subject] && !m.Result.Error
		failed[subject] = m.Result.Error
	}
}

// unsign drops reasoning that is signed for the history as it was; old messages
// keep what it decided.
func (c *compaction) unsign() {
	for i := range c.now {
		var rest, signed []Reasoning
		for _, r := range c.now[i].Reasoning {
			if r.Signature == "" {
				rest = append(rest, r)
			} else {
				signed = append(signed, r)
			}
		}
		if !c.kept[i] {
			c.now[i].Text = withDecision(c.now[i].Text, signed)
		}
		c.now[i].Reasoning = rest
	}
}

func withDecision(text string, reasoning []Reasoning) string {
	for _, r := range reasoning {
		for _, s := range sentences(r.Text) {
			if decides(s) && !strings.Contains(text, s) {
				return strings.TrimSpace(text + "\n[Decided: " + clip(s, 300) + "]")
			}
		}
	}
	return text
}
