package runs

import (
	"bufio"
	"context"
	"io"

	"orihon/internal/jsonl"
	"orihon/llm"
	"orihon/window"
	"orihon/window/inspect"
)

// ChatMessage is a message as chat APIs have it, which other tools read, and
// [Runs.Open].
type ChatMessage struct {
	Role       llm.Role   `json:"role"`
	Content    string     `json:"content"`
	Reasoning  string     `json:"reasoning_content,omitempty"`
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	Name       string     `json:"name,omitempty"`
	IsError    bool       `json:"is_error,omitempty"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Everything are the messages of all of the run, whatever is folded.
func (r *Run) Everything(ctx context.Context) ([]window.Placed, error) {
	const all = 1 << 30
	messages, _, err := r.Shown(ctx, inspect.BuildOptions{
		Strategy: window.SlidingWindow, Limit: all, Options: &window.Options{WindowSize: all, OffloadTokens: all},
	})
	return messages, err
}

// WriteMessages writes all of the run as messages of a chat, one a line. It returns how many there are.
func (r *Run) WriteMessages(ctx context.Context, w io.Writer) (n int, err error) {
	messages, err := r.Everything(ctx)
	if err != nil {
		return 0, err
	}
	b := bufio.NewWriter(w)
	for i := range messages {
		line, err := jsonl.Encode(chat(&messages[i].Message))
		if err != nil {
			return i, err
		}
		// The error of a write comes back from Flush.
		_, _ = b.Write(append(line, '\n'))
	}
	return len(messages), b.Flush()
}

// Chat are messages as chat APIs have them.
func Chat(messages []llm.Message) []ChatMessage {
	out := make([]ChatMessage, len(messages))
	for i := range messages {
		out[i] = chat(&messages[i])
	}
	return out
}

func chat(m *llm.Message) ChatMessage {
	out := ChatMessage{Role: m.Role, Content: m.Text}
	for _, r := range m.Reasoning {
		out.Reasoning += r.Text
	}
	for _, c := range m.Calls {
		out.ToolCalls = append(out.ToolCalls, chatCall{c.ID, "function", chatFunction{c.Tool, string(c.Input)}})
	}
	if r := m.Result; r != nil {
		out.Content, out.ToolCallID, out.Name, out.IsError = r.Text, r.ID, r.Tool, r.Error
	}
	return out
}
