package agent

import (
	"encoding/json"

	"orihon/llm"
)

// Kinds of events.
const (
	EventStarted   = "started"
	EventRecalled  = "recalled"  // Tokens of memory stand in the next request
	EventText      = "text"      // a bit of the answer
	EventReasoning = "reasoning" // a bit of thinking
	EventRetry     = "retry"     // the model is asked again: Text says why
	EventCall      = "call"
	EventResult    = "result"
	EventIteration = "iteration" // one is complete: Status
	EventAnswer    = "answer"    // Text, whole
	EventNotice    = "notice"    // something goes on without a part of it: Text
	EventEnded     = "ended"     // Reason
)

// Event is what whoever watches a run is told.
type Event struct {
	Kind      string          `json:"event"`
	Run       string          `json:"run"`
	Agent     string          `json:"agent,omitempty"` // of a sub-agent, its tool's name
	Iteration int             `json:"iteration,omitempty"`
	Text      string          `json:"text,omitempty"`
	Call      string          `json:"call,omitempty"` // its id
	Tool      string          `json:"tool,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	Output    string          `json:"output,omitempty"`
	Error     bool            `json:"error,omitempty"`
	Millis    int64           `json:"duration_ms,omitempty"`
	Tokens    int             `json:"tokens,omitempty"`
	Status    *Status         `json:"status,omitempty"`
	Reason    string          `json:"reason,omitempty"`
}

// Status is how far a run is.
type Status struct {
	Context    int     `json:"context_tokens"` // of the last request, as far as it is known
	Window     int     `json:"window_tokens"`
	Input      int64   `json:"input_tokens"` // of all requests
	Output     int64   `json:"output_tokens"`
	CacheRead  int64   `json:"cache_read_tokens"`
	Cost       float64 `json:"cost,omitempty"`
	Folds      int     `json:"folds"`
	Iterations int     `json:"iterations"`
}

// add counts a request.
func (s *Status) add(u llm.Usage, cost float64) {
	s.Input += u.Input
	s.Output += u.Output
	s.CacheRead += u.CacheRead
	s.Cost += cost
}

// Ways in which a run ends.
const (
	Answered    = "answered"
	Limited     = "limit"       // a limit of the definition was reached
	Interrupted = "interrupted" // by whoever started it
	Refused     = "refused"     // by the model
	Failed      = "failed"      // no model answered, or none of its answers can be used
)

// Outcome is what came of a run. All but an answered one go on with
// [Task.Resume].
type Outcome struct {
	Run    string `json:"run"`
	Dir    string `json:"dir"` // of its journal
	Reason string `json:"reason"`
	Detail string `json:"detail,omitempty"` // in words, where Reason does not say all
	Answer string `json:"answer,omitempty"`
	Status Status `json:"status"`
}
