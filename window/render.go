package window

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/llm"
)

// caps bound what enters a context whole, in tokens.
type caps struct {
	output int // of a tool
	text   int // of a message
	input  int // of a call
}

// defaultOffload is the largest tool output that enters whole, in tokens.
const defaultOffload = 20_000

// capsFor are the caps of a window of limit tokens.
func capsFor(limit, offload int) caps {
	offload = cmp.Or(max(offload, 0), defaultOffload)
	return caps{
		output: max(64, min(offload, limit/8)),
		text:   max(64, limit/4),
		input:  max(64, limit/4),
	}
}

// tighter halves the caps.
func (c caps) tighter() caps {
	return caps{max(24, c.output/2), max(24, c.text/2), max(24, c.input/2)}
}

// tightest reports caps below which nothing is left to cut.
func (c caps) tightest() bool { return c.output <= 24 && c.text <= 24 && c.input <= 24 }

// renderer turns events into messages. What it makes of an iteration depends
// on that iteration alone, and on the results of its calls.
type renderer struct {
	view  *journal.View
	caps  caps
	upto  int // iteration behind which nothing is known yet
	brief bool
	// reasoningFrom is the sequence number from which reasoning is kept: what
	// came before a fold was signed for another history.
	reasoningFrom int64
	// note renders events that are no part of the conversation; nil for none.
	note func(journal.Event) []Placed

	out     []Placed
	pending *Placed
	used    map[string]bool // call ids
	calls   []pendingCall   // of pending
}

type pendingCall struct {
	id    string // in the messages
	event journal.Event
	tool  string
}

// render makes the messages of events, in their order. A renderer can be used
// again, for others.
func (r renderer) render(events []journal.Event) []Placed {
	r.used = map[string]bool{}
	for i, e := range events {
		switch e.Type {
		case journal.UserMessage:
			r.flush(events[i:])
			if text := strings.TrimSpace(r.view.Text(e)); text != "" {
				r.add(e, Message{Role: llm.User, Text: r.shorten(text, r.caps.text, e)})
			}
		case journal.Thought, journal.AssistantMessage:
			r.say(e, events[i:])
		case journal.ActionRequest:
			r.call(e)
		case journal.ActionResult:
			r.result(e, events[i:])
		default:
			if r.note != nil {
				if notes := r.note(e); len(notes) > 0 {
					r.flush(events[i:])
					r.out = append(r.out, notes...)
				}
			}
		}
	}
	r.flush(nil)
	return r.out
}

// add takes a message of the iteration of an event.
func (r *renderer) add(e journal.Event, m Message) {
	r.out = append(r.out, Placed{Message: m, Iteration: e.Iter, At: e.TS})
}

func (r *renderer) say(e journal.Event, rest []journal.Event) {
	var m journal.Message
	if r.view.Decode(e, &m) != nil || strings.TrimSpace(m.Text) == "" && m.Signature == "" {
		return
	}
	if r.pending != nil && len(r.calls) > 0 {
		r.flush(rest)
	}
	if journal.IsReasoning(e, m) {
		if e.Seq < r.reasoningFrom {
			return
		}
		if r.pending != nil && r.pending.Text != "" {
			r.flush(rest)
		}
		r.open(e).Reasoning = append(r.pending.Reasoning, Reasoning{Text: m.Text, Signature: m.Signature, Sealed: m.Sealed})
		return
	}
	text := r.shorten(strings.TrimSpace(m.Text), r.caps.text, e)
	if p := r.open(e); p.Text == "" {
		p.Text = text
	} else {
		p.Text += "\n\n" + text
	}
}

func (r *renderer) open(e journal.Event) *Placed {
	if r.pending == nil {
		r.pending = &Placed{Message: Message{Role: llm.Assistant}, Iteration: e.Iter, At: e.TS}
	}
	return r.pending
}

func (r *renderer) call(e journal.Event) {
	var a journal.Action
	if r.view.Decode(e, &a) != nil {
		return
	}
	id := e.ID
	if id == "" || r.used[id] {
		id = fmt.Sprintf("event-%d", e.Seq)
	}
	r.used[id] = true
	input := a.Input
	switch {
	case len(bytes.TrimSpace(input)) == 0:
		input = json.RawMessage("{}")
	case !isObject(input):
		input = object("input", string(input))
	}
	if n := tokens.Estimate(string(input)); n > r.caps.input {
		input = object("left_out", r.shorten(string(input), r.caps.input, e))
	}
	r.open(e).Calls = append(r.pending.Calls, Call{ID: id, Tool: a.Tool, Input: input})
	r.calls = append(r.calls, pendingCall{id, e, a.Tool})
}

// object is a JSON object of one text.
func object(name, text string) json.RawMessage {
	raw, _ := json.Marshal(map[string]string{name: text}) // strings always encode
	return raw
}

// result closes the round; what no call is known for is told as it is.
func (r *renderer) result(e journal.Event, rest []journal.Event) {
	if len(r.calls) > 0 {
		r.flush(rest)
	}
	if r.used[e.ID] || e.ID == "" || r.view.Requested(e.ID) {
		return
	}
	if m := r.answer("", "", e); m.Result.Text != "" {
		r.add(e, Message{Role: llm.User, Text: "[A tool answered: " + m.Result.Tool + "]\n" + inert.Text(m.Result.Text)})
	}
}

// flush ends the assistant's message and gives the results of its calls. rest
// is where the results of calls without an id are looked for.
func (r *renderer) flush(rest []journal.Event) {
	if r.pending == nil {
		return
	}
	m, calls := *r.pending, r.calls
	r.pending, r.calls = nil, nil
	if m.Text == "" && len(m.Calls) == 0 {
		return // thinking that led to nothing
	}
	r.out = append(r.out, m)
	for _, c := range calls {
		e, ok := r.view.ResultOf(c.event.ID)
		if c.event.ID == "" {
			e, ok = anonymousResult(r.view, rest, c.tool)
		}
		if !ok || e.Iter > r.upto && r.upto > 0 {
			r.add(c.event, Message{Role: llm.Tool, Result: &Result{ID: c.id, Tool: c.tool, Text: "[no result was recorded]", Error: true}})
			continue
		}
		r.add(c.event, r.answer(c.id, c.tool, e))
	}
}

// anonymousResult is the first result without an id of a tool.
func anonymousResult(v *journal.View, rest []journal.Event, tool string) (journal.Event, bool) {
	for _, e := range rest {
		var p journal.Result
		if e.Type == journal.ActionResult && e.ID == "" && v.Decode(e, &p) == nil && p.Tool == tool {
			return e, true
		}
	}
	return journal.Event{}, false
}

func (r *renderer) answer(id, tool string, e journal.Event) Message {
	var p journal.Result
	if err := r.view.Decode(e, &p); err != nil {
		p = journal.Result{Output: "[the result cannot be read: " + err.Error() + "]", Error: true}
	}
	tool = cmp.Or(tool, p.Tool)
	text := cmp.Or(p.Output, "[no output]")
	limit := r.caps.output
	if r.brief {
		limit = min(limit, briefOutput)
		if p.Error {
			limit = min(r.caps.output, 4*briefOutput)
		}
	}
	return Message{Role: llm.Tool, Result: &Result{ID: id, Tool: tool, Text: r.shorten(text, limit, e), Error: p.Error}}
}

// shorten leaves head and tail of a text that is too long, and says where the
// rest stands.
func (r *renderer) shorten(text string, limit int, e journal.Event) string {
	size := tokens.Estimate(text)
	if size <= limit {
		return text
	}
	note := fmt.Sprintf("\n[… about %d tokens are left out here; event %d of the journal holds all: show_history(event: %d) …]\n", size-limit, e.Seq, e.Seq)
	room := limit - tokens.Estimate(note)
	if room < 16 {
		note = fmt.Sprintf(" [… event %d …] ", e.Seq)
		room = max(0, limit-tokens.Estimate(note))
	}
	head := tokens.Fit(text, room*2/3)
	return head + note + fitEnd(text[len(head):], room-room*2/3)
}

// firstLines are as many whole lines of a text as cost at most limit tokens, or
// as much of the first one.
func firstLines(s string, limit int) string {
	head := tokens.Fit(s, limit)
	if i := strings.LastIndexByte(head, '\n'); i > 0 && len(head) < len(s) && s[len(head)] != '\n' {
		return head[:i]
	}
	return head
}

// lastLines is firstLines from the end.
func lastLines(s string, limit int) string {
	tail := fitEnd(s, limit)
	if i := strings.IndexByte(tail, '\n'); i >= 0 && len(tail) < len(s) && s[len(s)-len(tail)-1] != '\n' {
		return tail[i+1:]
	}
	return tail
}

// fitEnd is as much of the end of a text as costs at most limit tokens.
func fitEnd(s string, limit int) string {
	if limit <= 0 {
		return ""
	}
	// A token is at most four bytes of ASCII, and a character of more costs at
	// least a token and a half.
	from := max(0, len(s)-4*limit)
	for from < len(s) && tokens.Estimate(s[from:]) > limit {
		from += 1 + (len(s)-from)/16
	}
	for from < len(s) && s[from]&0xc0 == 0x80 {
		from++
	}
	return s[from:]
}

// noReasoning is behind every event: what is kept of a history that was cut was
// signed for another one.
const noReasoning = 1 << 62
