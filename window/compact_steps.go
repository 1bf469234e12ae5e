package window

import (
	"encoding/json"
	"fmt"
	"strings"

	"orihon/internal/activity"
	"orihon/internal/tokens"
	"orihon/llm"
)

type compactStep struct {
	name string
	do   func() bool // reports whether it changed anything
}

// steps are what is tried one after the other until the target is met.
func (c *compaction) steps() []compactStep {
	return []compactStep{
		{StepFiles, func() bool { return c.each(c.shortenFile) }},
		{StepOutputs, func() bool { return c.each(c.shortenOutput) }},
		{StepReasoning, c.dropReasoning},
		{StepSummary, c.summarize},
		{StepCut, c.giveWay},
	}
}

// least is the size below which a text is left alone, in tokens: what would
// stand in its place takes half of that.
const least = 60

// each changes the messages that are not kept, or all of them, oldest first, until
// the target is met. Signed reasoning leaves with the first change.
func (c *compaction) each(change func(i int) bool) bool {
	changed, room := false, c.cost()-c.target
	for i := range c.now {
		if room <= 0 {
			break
		}
		if c.kept[i] && (!c.all || c.now[i].Role == llm.System) || c.gone[i] {
			continue
		}
		before := Cost(c.now[i], c.o.Tokens)
		old := c.now[i]
		if !change(i) {
			continue
		}
		if after := Cost(c.now[i], c.o.Tokens); after < before {
			room -= before - after
			changed = true
		} else {
			c.now[i] = old
		}
	}
	if changed {
		c.unsign()
	}
	return changed
}

// shortenFile replaces the contents of a file, read or written, by its path and
// lines.
func (c *compaction) shortenFile(i int) bool {
	m := c.now[i]
	switch {
	case m.Result != nil && !m.Result.Error:
		a := c.acts[i]
		if a == nil || a.Effect() != activity.Reading || len(a.Files) == 0 || c.o.Tokens(m.Result.Text) < least {
			return false
		}
		r := *m.Result
		r.Text = fmt.Sprintf("[%s was shown here: %s]", fileLines(a, r.Text), c.ref)
		c.now[i].Result = &r
		return true
	case len(m.Calls) > 0:
		calls, changed := append([]Call(nil), m.Calls...), false
		for k, call := range calls {
			a := activity.New(call.Tool, call.Input, nil)
			if a.Effect() != activity.Editing || c.o.Tokens(string(call.Input)) < 2*least {
				continue
			}
			if input, ok := c.shortInput(call.Input); ok {
				calls[k].Input, changed = input, true
			}
		}
		c.now[i].Calls = calls
		return changed
	}
	return false
}

// fileLines is the path of a file and which of its lines a text holds.
func fileLines(a *activity.Action, text string) string {
	from := 1
	var in struct{ Offset, Limit int }
	if json.Unmarshal(a.Input, &in) == nil && in.Offset > 0 {
		from = in.Offset
	}
	return fmt.Sprintf("%s:%d-%d", oneLine(a.Files[0]), from, from+strings.Count(strings.TrimSuffix(text, "\n"), "\n"))
}

// shortInput is an input with its long texts replaced by a reference.
func (c *compaction) shortInput(raw json.RawMessage) (json.RawMessage, bool) {
	var in map[string]any
	if json.Unmarshal(raw, &in) != nil {
		return nil, false
	}
	for key, v := range in {
		if s, ok := v.(string); ok && c.o.Tokens(s) >= least {
			in[key] = fmt.Sprintf("[%d lines: %s]", 1+strings.Count(strings.TrimSuffix(s, "\n"), "\n"), c.ref)
		}
	}
	out, err := json.Marshal(in)
	return out, err == nil
}

// shortenOutput leaves one line of what a tool answered. Errors stay, and the
// answers that show them mended.
func (c *compaction) shortenOutput(i int) bool {
	r := c.now[i].Result
	if r == nil || r.Error || c.o.Tokens(r.Text) < least || c.mends[i] {
		return false
	}
	line := ""
	for l := range strings.Lines(r.Text) {
		if line = oneLine(l); line != "" {
			break
		}
	}
	short := *r
	short.Text = fmt.Sprintf("%s [%d lines: %s]", clip(line, 120), 1+strings.Count(strings.TrimSuffix(r.Text, "\n"), "\n"), c.ref)
	c.now[i].Result = &short
	return true
}

// dropReasoning leaves of old reasoning what it decided.
func (c *compaction) dropReasoning() bool {
	return c.each(func(i int) bool {
		m := &c.now[i]
		if len(m.Reasoning) == 0 {
			return false
		}
		m.Text = withDecision(m.Text, m.Reasoning)
		m.Reasoning = nil
		return true
	})
}

// giveWay shortens what is always kept until the limit is met: first what tools
// answered to the newest calls, then the turns of the newest that the summary can
// stand for, then what is left of the last one. In all of these the summary has
// what the user said, decisions and milestones in their own words. Only where
// that does not fit beside the last turn, mere steps go, and then that turn.
func (c *compaction) giveWay() bool {
	if c.target = c.o.Limit; c.cost() <= c.target {
		return false // the target is a wish, the limit is not
	}
	fits := func() bool { c.summarize(); return c.cost() <= c.o.Limit }
	c.all = true
	c.each(c.shortenFile)
	if c.each(c.shortenOutput); fits() {
		return true
	}
	for turns := c.o.KeepTurns / 2; turns >= 1; turns /= 2 {
		if c.protect(turns, min(turns, c.o.KeepCalls)); fits() {
			return true
		}
	}
	c.protect(1, 1)
	for _, room := range [...]int{1024, 512, 256, 128, 64, 32} {
		if c.cutTexts(room); fits() {
			return true
		}
	}
	if c.leaveSteps(); c.cost() > c.o.Limit {
		c.leaveTurn()
	}
	return true
}

// leaveSteps leaves out what does not fit of the steps that the user asked for.
func (c *compaction) leaveSteps() {
	now, _ := c.rolled()
	rest := c.leave()
	needs := now.withoutSteps().needs(c.o.Tokens)
	c.digest = &Message{Role: llm.User, Text: now.text(max(needs, c.o.Limit-rest), c.o.Tokens)}
}

// leaveTurn leaves of all but the system's messages what is needed most of the
// summary, down to the beginning of the first task, and says what is gone.
func (c *compaction) leaveTurn() {
	now, _ := c.rolled()
	c.protect(0, 0)
	rest, n := c.leave(), 0
	for _, gone := range c.gone {
		if gone {
			n++
		}
	}
	now = now.withoutSteps()
	now.tombstones = []string{fmt.Sprintf("%s%d messages left out] %s", tombstoneMark, n, c.ref)}
	c.digest = &Message{Role: llm.User, Text: now.text(c.o.Limit-rest, c.o.Tokens)}
}

// cutTexts leaves the first and the last lines of every text of more than room
// tokens, but for the system's.
func (c *compaction) cutTexts(room int) {
	c.cut = true
	c.unsign()
	cut := func(s string) string {
		if c.o.Tokens(s) <= room {
			return s
		}
		note := fmt.Sprintf(" [… %s …] ", c.ref)
		if lines := strings.Count(s, "\n"); lines > 0 {
			note = fmt.Sprintf("\n[… of %d lines: %s …]\n", lines+1, c.ref)
		}
		left := max(0, room-tokens.Estimate(note))
		head := firstLines(s, left*2/3)
		out := strings.TrimSpace(head + note + lastLines(s[len(head):], left/3))
		if c.o.Tokens(out) >= c.o.Tokens(s) {
			return s
		}
		return out
	}
	for i := range c.now {
		m := &c.now[i]
		if m.Role == llm.System || c.gone[i] {
			continue
		}
		m.Reasoning = nil
		m.Text = cut(m.Text)
		if m.Result != nil {
			r := *m.Result
			r.Text = cut(r.Text)
			m.Result = &r
		}
		m.Calls = append([]Call(nil), m.Calls...)
		for k, call := range m.Calls {
			if c.o.Tokens(string(call.Input)) > room {
				m.Calls[k].Input = object("left_out", c.ref)
			}
		}
	}
}
