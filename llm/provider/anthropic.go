package provider

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"orihon/internal/apiclient"
	"orihon/llm"
)

const (
	anthropicURL     = "https://api.anthropic.com"
	anthropicVersion = "2023-06-01"
	// maxMarks is how many cache marks one request may carry.
	maxMarks = 4
)

// NewAnthropic asks over the Messages API. Nothing is sent yet.
func NewAnthropic(o Options) (*Remote, error) {
	base := strings.TrimRight(cmp.Or(o.URL, anthropicURL), "/")
	base = strings.TrimSuffix(strings.TrimSuffix(base, "/messages"), "/v1")
	return newRemote(base, "x-api-key", map[string]string{"anthropic-version": anthropicVersion}, o, anthropic{o.Model})
}

// anthropic speaks POST /v1/messages.
type anthropic struct{ model string }

func (anthropic) path() string { return "v1/messages" }

func (anthropic) answer() answer { return &anthropicAnswer{} }

type anthropicRequest struct {
	Model        string             `json:"model"`
	MaxTokens    int                `json:"max_tokens"`
	System       []anthropicBlock   `json:"system,omitempty"`
	Messages     []anthropicMessage `json:"messages"`
	Tools        []anthropicTool    `json:"tools,omitempty"`
	Temperature  *float64           `json:"temperature,omitempty"`
	OutputConfig *anthropicOutput   `json:"output_config,omitempty"`
	Stream       bool               `json:"stream,omitempty"`
}

type anthropicMessage struct {
	Role    string           `json:"role"`
	Content []anthropicBlock `json:"content"`
}

// anthropicBlock is a block of any type.
type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"` // stands there also when it is empty
	Signature string          `json:"signature,omitempty"`
	Data      string          `json:"data,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Cache     *anthropicCache `json:"cache_control,omitempty"`
}

type anthropicCache struct {
	Type string `json:"type"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"input_schema"`
}

type anthropicOutput struct {
	Format anthropicFormat `json:"format"`
}

type anthropicFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

var (
	anySchema = json.RawMessage(`{"type":"object"}`)
	noInput   = json.RawMessage(`{}`)
)

func (a anthropic) body(r llm.Request, stream bool) any {
	out := anthropicRequest{Model: a.model, MaxTokens: cmp.Or(max(r.MaxTokens, 0), defaultMax), Temperature: r.Temperature, Stream: stream}
	if r.Schema != nil {
		out.OutputConfig = &anthropicOutput{anthropicFormat{"json_schema", r.Schema.JSON}}
	}
	for _, t := range r.Tools {
		schema := t.Schema
		if len(schema) == 0 {
			schema = anySchema
		}
		out.Tools = append(out.Tools, anthropicTool{t.Name, t.Description, schema})
	}
	cache := slices.Sorted(slices.Values(r.Cache))
	cache = cache[max(0, len(cache)-maxMarks):]
	n := leading(r.Messages)
	for i := range r.Messages {
		m := &r.Messages[i]
		blocks := anthropicBlocks(m)
		if len(blocks) == 0 {
			continue
		}
		if slices.Contains(cache, i) {
			blocks[len(blocks)-1].Cache = &anthropicCache{"ephemeral"}
		}
		role := "user"
		if m.Role == llm.Assistant {
			role = "assistant"
		}
		last := len(out.Messages) - 1
		switch {
		case i < n:
			out.System = append(out.System, blocks...)
		case last >= 0 && out.Messages[last].Role == role:
			out.Messages[last].Content = append(out.Messages[last].Content, blocks...)
		default:
			out.Messages = append(out.Messages, anthropicMessage{role, blocks})
		}
	}
	return out
}

// anthropicBlocks is a message in blocks. An empty text is no block, and reasoning
// that another provider did not sign is none either.
func anthropicBlocks(m *llm.Message) []anthropicBlock {
	var out []anthropicBlock
	for _, r := range m.Reasoning {
		switch {
		case r.Sealed:
			out = append(out, anthropicBlock{Type: "redacted_thinking", Data: r.Signature})
		case r.Signature != "":
			out = append(out, anthropicBlock{Type: "thinking", Thinking: &r.Text, Signature: r.Signature})
		}
	}
	if strings.TrimSpace(m.Text) != "" {
		out = append(out, anthropicBlock{Type: "text", Text: m.Text})
	}
	for _, c := range m.Calls {
		input := c.Input
		if len(input) == 0 {
			input = noInput
		}
		out = append(out, anthropicBlock{Type: "tool_use", ID: c.ID, Name: c.Tool, Input: input})
	}
	if r := m.Result; r != nil {
		out = append(out, anthropicBlock{Type: "tool_result", ToolUseID: r.ID, Content: r.Text, IsError: r.Error})
	}
	return out
}

// anthropicAnswer is a message, and the message that events put together.
type anthropicAnswer struct {
	Content    []anthropicBlock `json:"content"`
	StopReason string           `json:"stop_reason"`
	Usage      anthropicUsage   `json:"usage"`

	grown []*strings.Builder // of each block what has come in pieces
}

type anthropicUsage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
}

func (a *anthropicAnswer) usage() llm.Usage {
	u := a.Usage
	return llm.Usage{
		Input: natural(u.Input) + natural(u.CacheRead) + natural(u.CacheWrite), Output: natural(u.Output),
		CacheRead: natural(u.CacheRead), CacheWrite: natural(u.CacheWrite),
	}
}

func (a *anthropicAnswer) response() (llm.Response, error) {
	out := llm.Response{Message: llm.Message{Role: llm.Assistant}, Usage: a.usage(), Stop: a.StopReason}
	var text strings.Builder
	for i := range a.Content {
		b := a.whole(i)
		switch b.Type {
		case "text":
			text.WriteString(b.Text)
		case "thinking":
			out.Message.Reasoning = append(out.Message.Reasoning, llm.Reasoning{Text: *b.Thinking, Signature: b.Signature})
		case "redacted_thinking":
			out.Message.Reasoning = append(out.Message.Reasoning, llm.Reasoning{Signature: b.Data, Sealed: true})
		case "tool_use":
			out.Message.Calls = append(out.Message.Calls, llm.Call{ID: b.ID, Tool: b.Name, Input: b.Input})
		}
	}
	out.Message.Text = text.String()
	if a.StopReason == "" {
		return llm.Response{}, useless(out.Usage, "the answer is no message of the API")
	}
	return out, usableCalls(&out)
}

// anthropicEvent is an event of a stream, of any type.
type anthropicEvent struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message anthropicAnswer `json:"message"`
	Block   anthropicBlock  `json:"content_block"`
	Delta   struct {
		Type       string `json:"type"`
		Text       string `json:"text"`
		Thinking   string `json:"thinking"`
		Signature  string `json:"signature"`
		Partial    string `json:"partial_json"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage *anthropicUsage `json:"usage"`
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

func (a *anthropicAnswer) event(data []byte, tell func(llm.Delta)) error {
	var e anthropicEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return useless(a.usage(), "an event of the stream is no JSON: %w", err)
	}
	switch e.Type {
	case "message_start":
		a.Usage = e.Message.Usage
	case "content_block_start":
		if e.Index != len(a.Content) {
			return useless(a.usage(), "blocks of the stream come out of order")
		}
		a.Content, a.grown = append(a.Content, e.Block), append(a.grown, new(strings.Builder))
		if e.Block.Text != "" {
			tell(llm.Delta{Text: e.Block.Text})
		}
	case "content_block_delta", "content_block_stop":
		if e.Index < 0 || e.Index >= len(a.Content) {
			return useless(a.usage(), "the stream speaks of a block that it has not begun")
		}
		a.grow(&e, tell)
	case "message_delta":
		a.StopReason = cmp.Or(e.Delta.StopReason, a.StopReason)
		if u := e.Usage; u != nil {
			a.Usage.Output = u.Output
			a.Usage.Input = cmp.Or(u.Input, a.Usage.Input)
			a.Usage.CacheRead = cmp.Or(u.CacheRead, a.Usage.CacheRead)
			a.Usage.CacheWrite = cmp.Or(u.CacheWrite, a.Usage.CacheWrite)
		}
	case "error":
		return &llm.Failure{Why: "broke off", Err: streamError(e.Error.Type, e.Error.Message), Worked: true}
	case "message_stop":
		return apiclient.ErrStop
	}
	return nil
}

// grow adds to a block, or ends it.
func (a *anthropicAnswer) grow(e *anthropicEvent, tell func(llm.Delta)) {
	piece := a.grown[e.Index]
	switch {
	case e.Type == "content_block_stop":
		if b := a.whole(e.Index); b.Type == "tool_use" && json.Valid(b.Input) {
			tell(llm.Delta{Call: &llm.Call{ID: b.ID, Tool: b.Name, Input: b.Input}})
		}
	case e.Delta.Type == "text_delta":
		piece.WriteString(e.Delta.Text)
		tell(llm.Delta{Text: e.Delta.Text})
	case e.Delta.Type == "thinking_delta":
		piece.WriteString(e.Delta.Thinking)
		tell(llm.Delta{Reasoning: e.Delta.Thinking})
	case e.Delta.Type == "signature_delta":
		a.Content[e.Index].Signature += e.Delta.Signature
	case e.Delta.Type == "input_json_delta":
		piece.WriteString(e.Delta.Partial)
	}
}

// whole is a block with what has come of it in pieces.
func (a *anthropicAnswer) whole(i int) anthropicBlock {
	b, pieces := a.Content[i], ""
	if i < len(a.grown) {
		pieces = a.grown[i].String()
	}
	switch b.Type {
	case "text":
		b.Text += pieces
	case "thinking":
		if b.Thinking != nil {
			pieces = *b.Thinking + pieces
		}
		b.Thinking = &pieces
	case "tool_use":
		if pieces != "" {
			b.Input = json.RawMessage(pieces)
		}
		if len(b.Input) == 0 {
			b.Input = noInput
		}
	}
	return b
}
