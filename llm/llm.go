// Package llm is what the rest of Orihon knows of language models: messages, a
// request, a response, and [Model] with its one method. It knows nothing of
// memory, journals or windows, and asks no model by itself: whoever needs one
// is handed a Model and works without when there is none.
//
// Start with [Model]; package llmtest has one that plays a script.
package llm

import (
	"context"
	"encoding/json"
)

// Role says who a message is from.
type Role string

// The roles. A tool's results stand in messages of their own, directly behind
// the assistant's message that called.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one message of a conversation.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"text,omitempty"`
	// Reasoning stands before the text of an assistant's message. A provider
	// that signs it takes it back only unchanged and in an unchanged
	// conversation.
	Reasoning []Reasoning `json:"reasoning,omitempty"`
	Calls     []Call      `json:"calls,omitempty"`  // by the assistant
	Result    *Result     `json:"result,omitempty"` // of a tool: one to a message
}

// Reasoning is a block of thinking.
type Reasoning struct {
	Text      string `json:"text,omitempty"`
	Signature string `json:"signature,omitempty"`
}

// Call is a tool call. Input stays byte for byte as the model wrote it: another
// order of its keys would be another prefix to a prompt cache.
type Call struct {
	ID    string          `json:"id"`
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input,omitempty"`
}

// Result is what a tool answered to the call with the same ID.
type Result struct {
	ID    string `json:"id"`
	Tool  string `json:"tool,omitempty"`
	Text  string `json:"text"`
	Error bool   `json:"error,omitempty"`
}

// ToolSpec describes a tool the model may call.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"` // JSON schema of the input
}

// Request is what a model is asked.
type Request struct {
	Messages  []Message
	Tools     []ToolSpec
	MaxTokens int // of the answer; 0 leaves it to the provider
}

// Usage is what an answer took, in tokens. Input counts all of the prompt, the
// cached part included.
type Usage struct {
	Input, Output         int64
	CacheRead, CacheWrite int64
}

// Response is a model's answer.
type Response struct {
	Message Message
	Usage   Usage
	Stop    string // why it ended, in the provider's words
}

// Model answers requests. It may be called by several goroutines.
type Model interface {
	Generate(ctx context.Context, r Request) (Response, error)
}
