package journal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"orihon/internal/jsonl"
	"orihon/internal/transcript"
	"orihon/memory"
)

// FromMessages reads a list of messages as chat APIs have it: a JSON array, an
// object with a member "messages", or one message a line (messages.jsonl). Both
// the form with tool_calls and the role tool, and that with content blocks
// (text, thinking, tool_use, tool_result) are understood. What is no message is
// reported and passed over; text that is no JSON at all is a
// [memory.ErrInvalid].
func FromMessages(ctx context.Context, r io.Reader) (Imported, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Imported{}, err
	}
	var m MessageReader
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	var list []json.RawMessage
	var wrapped struct {
		System   json.RawMessage   `json:"system"`
		Messages []json.RawMessage `json:"messages"`
	}
	switch {
	case len(data) == 0:
		return Imported{}, nil
	case data[0] == '[' && json.Unmarshal(data, &list) == nil:
	case json.Unmarshal(data, &wrapped) == nil && wrapped.Messages != nil:
		list = wrapped.Messages
		m.system(transcript.Content(wrapped.System))
	case data[0] == '{':
		err := eachLine(ctx, bytes.NewReader(data), func(line []byte, number int) { m.message(bytes.Clone(line), number) })
		return m.out, err
	default:
		return Imported{}, fmt.Errorf("%w list of messages: neither a JSON array nor an object with \"messages\" nor one message a line", memory.ErrInvalid)
	}
	for i, raw := range list {
		if err := ctx.Err(); err != nil {
			return m.out, err
		}
		known := len(m.out.Problems)
		m.message(raw, 0) // of a list on one line the line says nothing
		for k := range m.out.Problems[known:] {
			p := &m.out.Problems[known+k]
			p.Err = fmt.Errorf("message %d: %w", i+1, p.Err)
		}
	}
	return m.out, nil
}

// MessageReader turns the messages of a chat into events, one after the other; the
// zero value is at the beginning of one. [FromMessages] reads them all.
type MessageReader struct {
	out   Imported
	tools map[string]string // names by call id
	ids   map[string]int    // how many calls had an id: some APIs count anew in each answer
	calls int               // of calls without an id
	// interim says that the message calls tools: its text is no answer yet.
	interim bool
	at      time.Time
}

// chatMessage is one message in any of the forms.
type chatMessage struct {
	Role       string            `json:"role"`
	ID         string            `json:"id"`
	Content    json.RawMessage   `json:"content"`
	Name       string            `json:"name"`
	ToolCalls  []json.RawMessage `json:"tool_calls"`
	ToolCallID string            `json:"tool_call_id"`
	Reasoning  string            `json:"reasoning_content"`
	IsError    bool              `json:"is_error"`
	Timestamp  string            `json:"timestamp"`
}

type chatCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

type chatBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// Read makes events of the next message. number is its line or its place, for
// problems.
func (r *MessageReader) Read(raw []byte, number int) Imported {
	r.message(raw, number)
	out := r.out
	r.out = Imported{}
	return out
}

func (r *MessageReader) message(raw []byte, number int) {
	var m chatMessage
	if err := transcript.Object(raw, &m); err != nil {
		r.problem(number, err)
		return
	}
	if ts, err := time.Parse(time.RFC3339Nano, m.Timestamp); err == nil {
		r.at = ts
	}
	switch m.Role {
	case "system", "developer":
		r.system(transcript.Content(m.Content))
	case "user", "human", "assistant", "model":
		role := RoleUser
		if m.Role == "assistant" || m.Role == "model" {
			role = RoleAssistant
		}
		if m.Reasoning != "" {
			r.add(number, Thought, "", Message{Role: role, Text: m.Reasoning, Reasoning: true})
		}
		r.interim = len(m.ToolCalls) > 0 || bytes.Contains(m.Content, []byte(`tool_use"`))
		r.content(role, m, number)
		for _, raw := range m.ToolCalls {
			r.call(raw, number)
		}
	case "tool", "function":
		r.result(number, cmp.Or(m.ToolCallID, m.Name), Result{Tool: m.Name, Output: transcript.Content(m.Content), Error: m.IsError})
	default:
		r.problem(number, fmt.Errorf("unknown role %q", m.Role))
	}
}

func (r *MessageReader) system(text string) { r.out.System = transcript.Join(r.out.System, text) }

func (r *MessageReader) content(role string, m chatMessage, number int) {
	var blocks []json.RawMessage
	if json.Unmarshal(m.Content, &blocks) != nil {
		r.say(role, m.ID, transcript.Content(m.Content), number)
		return
	}
	for i, raw := range blocks {
		var b chatBlock
		if err := transcript.Object(raw, &b); err != nil {
			r.problem(number, err)
			continue
		}
		id := m.ID
		if id != "" && i > 0 {
			id = fmt.Sprintf("%s:%d", id, i)
		}
		switch {
		case b.Type == "thinking":
			r.add(number, Thought, id, Message{Role: role, Text: b.Thinking, Reasoning: true, Signature: b.Signature})
		case strings.HasSuffix(b.Type, "tool_use"):
			r.request(number, b.ID, b.Name, b.Input)
		case strings.HasSuffix(b.Type, "tool_result"):
			r.result(number, b.ToolUseID, Result{Output: transcript.Content(b.Content), Error: b.IsError})
		default:
			// A list of one, so that a block without text leaves its mark.
			r.say(role, id, transcript.Content(append(append([]byte{'['}, raw...), ']')), number)
		}
	}
}

func (r *MessageReader) say(role, id, text string, number int) {
	if strings.TrimSpace(text) == "" {
		return
	}
	typ := UserMessage
	switch {
	case role == RoleAssistant && r.interim:
		typ = Thought
	case role == RoleAssistant:
		typ = AssistantMessage
	}
	r.add(number, typ, id, Message{Role: role, Text: text})
}

func (r *MessageReader) call(raw json.RawMessage, number int) {
	var c chatCall
	if err := transcript.Object(raw, &c); err != nil {
		r.problem(number, err)
		return
	}
	input := c.Function.Arguments
	var text string
	if json.Unmarshal(input, &text) == nil {
		input = json.RawMessage(text) // the API hands them over as a string
	}
	r.request(number, c.ID, c.Function.Name, input)
}

// request adds a call. An input that is no JSON is kept as a string.
func (r *MessageReader) request(number int, id, tool string, input json.RawMessage) {
	if id == "" {
		r.calls++
		id = fmt.Sprintf("call-%d", r.calls)
	}
	if r.tools == nil {
		r.tools, r.ids = make(map[string]string), make(map[string]int)
	}
	r.ids[id]++
	id = NthID(id, r.ids[id])
	r.tools[id] = tool
	if len(bytes.TrimSpace(input)) == 0 {
		input = json.RawMessage("{}")
	}
	if !json.Valid(input) {
		quoted, err := jsonl.Encode(map[string]string{"input": string(input)})
		if err != nil {
			r.problem(number, err)
			return
		}
		input = quoted
	}
	r.add(number, ActionRequest, id, Action{Tool: tool, Input: input})
}

// result adds what the last call of an ID brought.
func (r *MessageReader) result(number int, id string, res Result) {
	id = NthID(id, r.ids[id])
	res.Tool = cmp.Or(res.Tool, r.tools[id])
	r.add(number, ActionResult, id, res)
}

func (r *MessageReader) add(number int, typ Type, id string, payload any) {
	e, err := New(typ, id, payload)
	if err != nil {
		r.problem(number, err)
		return
	}
	e.TS = r.at
	r.out.Events = append(r.out.Events, e)
}

func (r *MessageReader) problem(number int, err error) {
	r.out.Problems = append(r.out.Problems, Problem{Line: number, Err: err})
}
