// Package llm is what the rest of Orihon knows of language models: messages, a
// request, a response, [Model] with its one method, and [Streamer] for those
// that answer bit by bit. It knows nothing of memory, journals or windows, and
// asks no model by itself: whoever needs one is handed a Model and works without
// when there is none.
//
// Start with [Model]. Package provider has those that ask servers and programs,
// package gateway puts several of them behind one within a budget, and package
// llmtest has one that plays a script.
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
	// Sealed says that the provider shows none of it: Signature holds all.
	Sealed bool `json:"sealed,omitempty"`
}

// Call is a tool call. Input stays byte for byte as the model wrote it: another
// order of its keys would be another prefix to a prompt cache.
type Call struct {
	ID    string          `json:"id"`
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input,omitempty"` // valid JSON
	// Broken says what is wrong with the input that the model wrote, where that was
	// no JSON: it is empty then, and the call is answered with this.
	Broken string `json:"-"`
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
	// Temperature is how freely words are chosen, from 0 on; nil leaves it to
	// the provider, and so does a model that takes none.
	Temperature *float64
	// Schema asks for an answer that is JSON of this form and nothing else; nil
	// asks for words.
	Schema *Schema
	// Cache are numbers of messages, from 0, up to and with which later requests
	// will begin alike: what a provider can keep, it is told to keep. Those with
	// a cache that needs no telling, or with none, pass them over.
	Cache []int
}

// Schema is the form of an answer.
type Schema struct {
	Name string // letters, digits, _ and -
	JSON json.RawMessage
}

// Usage is what an answer took, in tokens. Input counts all of the prompt, the
// cached part included.
type Usage struct {
	Input, Output         int64
	CacheRead, CacheWrite int64
	// Estimated says that the backend did not tell and that these are guesses.
	Estimated bool
}

// Response is a model's answer.
type Response struct {
	Message Message
	Usage   Usage
	Stop    string // why it ended, in the provider's words
	Backend string // who answered, where there are several
	// Cost is what it cost, in the currency of the prices that are configured; 0
	// where none are.
	Cost float64
}

// Model answers requests. It may be called by several goroutines. A [*Failure]
// in the error tells what is to be known of it.
type Model interface {
	Generate(ctx context.Context, r Request) (Response, error)
}

// Streamer is a Model that can tell its answer while it comes into being. What
// it returns in the end is the same as from Generate.
type Streamer interface {
	Model
	Stream(ctx context.Context, r Request, tell func(Delta)) (Response, error)
}

// Delta is the next bit of an answer: some text, some reasoning, or a call,
// which comes whole.
type Delta struct {
	Text, Reasoning string
	Call            *Call
}
