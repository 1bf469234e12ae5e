package provider

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"orihon/internal/apiclient"
	"orihon/llm"
)

// Servers that are asked when none is named.
const (
	openAIURL = "https://api.openai.com/v1"
	OllamaURL = "http://127.0.0.1:11434/v1"
)

// NewOpenAI asks over chat completions, as OpenAI, Ollama, llama.cpp, vLLM and
// many others serve them. An address without a path gets /v1. Nothing is sent
// yet.
func NewOpenAI(o Options) (*Remote, error) {
	base := strings.TrimSuffix(strings.TrimRight(cmp.Or(o.URL, openAIURL), "/"), "/chat/completions")
	if u, err := url.Parse(base); err == nil && strings.Trim(u.Path, "/") == "" {
		base = strings.TrimRight(base, "/") + "/v1"
	}
	return newRemote(base, "", nil, o, openAI{model: o.Model, own: base == openAIURL})
}

// openAI speaks POST /chat/completions.
type openAI struct {
	model string
	own   bool // the server is OpenAI's, which calls max_tokens otherwise
}

func (openAI) path() string { return "chat/completions" }

func (openAI) answer() answer { return &openAIAnswer{} }

type openAIRequest struct {
	Model         string          `json:"model"`
	Messages      []openAIMessage `json:"messages"`
	Tools         []openAITool    `json:"tools,omitempty"`
	MaxTokens     int             `json:"max_tokens,omitempty"`
	MaxCompletion int             `json:"max_completion_tokens,omitempty"`
	Temperature   *float64        `json:"temperature,omitempty"`
	Format        *openAIFormat   `json:"response_format,omitempty"`
	Stream        bool            `json:"stream,omitempty"`
	StreamOptions *openAIStream   `json:"stream_options,omitempty"`
}

type openAIStream struct {
	Usage bool `json:"include_usage"`
}

type openAIMessage struct {
	Role string `json:"role"`
	// Content is a string, also an empty one, but for a message that only calls.
	Content   *string      `json:"content"`
	ToolCalls []openAICall `json:"tool_calls,omitempty"`
	ToolCall  string       `json:"tool_call_id,omitempty"`

	// Of answers alone; servers differ in what they call thoughts.
	Reasoning        string `json:"reasoning,omitempty"`
	ReasoningContent string `json:"reasoning_content,omitempty"`
	Refusal          string `json:"refusal,omitempty"`
}

type openAICall struct {
	Index    int            `json:"index,omitempty"` // in a stream
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Function openAIFunction `json:"function"`
}

type openAIFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type openAITool struct {
	Type     string             `json:"type"`
	Function openAIToolFunction `json:"function"`
}

type openAIToolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

type openAIFormat struct {
	Type   string       `json:"type"`
	Schema openAISchema `json:"json_schema"`
}

type openAISchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
}

func (o openAI) body(r llm.Request, stream bool) any {
	out := openAIRequest{Model: o.model, Temperature: r.Temperature, Stream: stream}
	if most := cmp.Or(max(r.MaxTokens, 0), defaultMax); o.own {
		out.MaxCompletion = most
	} else {
		out.MaxTokens = most
	}
	if stream {
		out.StreamOptions = &openAIStream{Usage: true}
	}
	if s := r.Schema; s != nil {
		out.Format = &openAIFormat{"json_schema", openAISchema{s.Name, s.JSON}}
	}
	for _, t := range r.Tools {
		schema := t.Schema
		if len(schema) == 0 {
			schema = anySchema
		}
		out.Tools = append(out.Tools, openAITool{"function", openAIToolFunction{t.Name, t.Description, schema}})
	}
	for i := range r.Messages {
		out.Messages = append(out.Messages, openAIMessageOf(&r.Messages[i]))
	}
	return out
}

func openAIMessageOf(m *llm.Message) openAIMessage {
	out := openAIMessage{Role: string(m.Role), Content: &m.Text}
	for _, c := range m.Calls {
		input := string(c.Input)
		out.ToolCalls = append(out.ToolCalls, openAICall{ID: c.ID, Type: "function", Function: openAIFunction{c.Tool, cmp.Or(input, "{}")}})
	}
	if m.Text == "" && len(m.Calls) > 0 {
		out.Content = nil
	}
	if r := m.Result; r != nil {
		text := r.Text
		if r.Error {
			text = "[error] " + text // the protocol has no other place for it
		}
		out.Content, out.ToolCall = &text, r.ID
	}
	return out
}

// openAIAnswer is a completion, and the completion that events put together.
type openAIAnswer struct {
	Choices []openAIChoice  `json:"choices"`
	Usage   *openAIUsage    `json:"usage"`
	Error   json.RawMessage `json:"error"`

	// Of a stream: what has come in pieces, the calls' arguments beside the calls,
	// and whether it has said why it ends.
	content, thought strings.Builder
	arguments        []*strings.Builder
	ended            bool
}

type openAIChoice struct {
	Message openAIMessage `json:"message"`
	Delta   openAIMessage `json:"delta"` // in a stream
	Finish  string        `json:"finish_reason"`
}

type openAIUsage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Details    struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Hit int64 `json:"prompt_cache_hit_tokens"` // DeepSeek's word for it
}

func (a *openAIAnswer) usage() llm.Usage {
	if a.Usage == nil {
		return llm.Usage{Estimated: true}
	}
	return llm.Usage{
		Input: natural(a.Usage.Prompt), Output: natural(a.Usage.Completion),
		CacheRead: natural(cmp.Or(a.Usage.Details.Cached, a.Usage.Hit)),
	}
}

func (a *openAIAnswer) response() (llm.Response, error) {
	used := a.usage()
	if len(a.Choices) == 0 {
		return llm.Response{}, useless(used, "the answer has no choice")
	}
	c := &a.Choices[0]
	out := llm.Response{Message: llm.Message{Role: llm.Assistant, Text: text(c.Message.Content) + a.content.String()}, Usage: used, Stop: c.Finish}
	if thought := cmp.Or(c.Message.ReasoningContent, c.Message.Reasoning, a.thought.String()); thought != "" {
		out.Message.Reasoning = []llm.Reasoning{{Text: thought}}
	}
	for i, call := range c.Message.ToolCalls {
		if i < len(a.arguments) {
			call.Function.Arguments = a.arguments[i].String()
		}
		out.Message.Calls = append(out.Message.Calls, llm.Call{
			ID: cmp.Or(call.ID, fmt.Sprintf("call_%d", i+1)), Tool: call.Function.Name, Input: json.RawMessage(cmp.Or(call.Function.Arguments, "{}")),
		})
	}
	if out.Message.Text == "" && len(out.Message.Calls) == 0 && c.Message.Refusal != "" {
		out.Message.Text = c.Message.Refusal
	}
	return out, usableCalls(&out)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (a *openAIAnswer) event(data []byte, tell func(llm.Delta)) error {
	if string(data) == "[DONE]" {
		if !a.ended {
			return useless(a.usage(), "the stream ended before the answer did")
		}
		a.tellCalls(tell)
		return apiclient.ErrStop
	}
	var e openAIAnswer
	if err := json.Unmarshal(data, &e); err != nil {
		return useless(a.usage(), "an event of the stream is no JSON: %w", err)
	}
	if len(e.Error) > 0 && string(e.Error) != "null" {
		var what struct{ Type, Message string }
		_ = json.Unmarshal(e.Error, &what)
		return &llm.Failure{Why: "broke off", Err: streamError(what.Type, what.Message), Worked: true}
	}
	if e.Usage != nil {
		a.Usage = e.Usage
	}
	if len(e.Choices) == 0 {
		return nil
	}
	if len(a.Choices) == 0 {
		a.Choices = []openAIChoice{{}}
	}
	m, d := &a.Choices[0], &e.Choices[0]
	if d.Finish != "" {
		m.Finish, a.ended = d.Finish, true
	}
	if d.Delta.Content != nil && *d.Delta.Content != "" {
		a.content.WriteString(*d.Delta.Content)
		tell(llm.Delta{Text: *d.Delta.Content})
	}
	if thought := cmp.Or(d.Delta.ReasoningContent, d.Delta.Reasoning); thought != "" {
		a.thought.WriteString(thought)
		tell(llm.Delta{Reasoning: thought})
	}
	m.Message.Refusal += d.Delta.Refusal
	for _, c := range d.Delta.ToolCalls {
		if err := a.grow(&m.Message, c); err != nil {
			return useless(a.usage(), "%w", err)
		}
	}
	return nil
}

// maxCalls is how many calls one answer may hold.
const maxCalls = 128

// grow adds a piece of a call. Some servers number none: a call of another name
// is then another one.
func (a *openAIAnswer) grow(m *openAIMessage, c openAICall) error {
	at := c.Index
	if at >= 0 && at < len(m.ToolCalls) && c.ID != "" && m.ToolCalls[at].ID != "" && c.ID != m.ToolCalls[at].ID {
		at = len(m.ToolCalls)
	}
	if at < 0 || at > len(m.ToolCalls) || at >= maxCalls {
		return errors.New("calls of the stream come out of order")
	}
	if at == len(m.ToolCalls) {
		m.ToolCalls, a.arguments = append(m.ToolCalls, openAICall{}), append(a.arguments, new(strings.Builder))
	}
	call := &m.ToolCalls[at]
	call.ID, call.Function.Name = cmp.Or(call.ID, c.ID), cmp.Or(call.Function.Name, c.Function.Name)
	a.arguments[at].WriteString(c.Function.Arguments)
	return nil
}

// tellCalls tells the calls, which are whole now.
func (a *openAIAnswer) tellCalls(tell func(llm.Delta)) {
	if r, err := a.response(); err == nil {
		for i := range r.Message.Calls {
			tell(llm.Delta{Call: &r.Message.Calls[i]})
		}
	}
}
