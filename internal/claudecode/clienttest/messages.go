package clienttest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Request is one request for an answer, as the client sent it.
type Request struct {
	N      int // how many came before it
	Model  string
	Stream bool
	System string // the text of the system prompt
	Turns  []Turn
	Tools  []string // names of the tools on offer
	Body   []byte   // everything, as it came
}

// Turn is one message of a request.
type Turn struct {
	Role string // user, assistant or system
	Text string // of all text blocks and tool results
}

// Contains reports whether a text was sent in any of the turns.
func (r Request) Contains(text string) bool {
	for _, t := range r.Turns {
		if strings.Contains(t.Text, text) {
			return true
		}
	}
	return false
}

// Last is the text of the last turn of a role.
func (r Request) Last(role string) string {
	for i := len(r.Turns) - 1; i >= 0; i-- {
		if r.Turns[i].Role == role {
			return r.Turns[i].Text
		}
	}
	return ""
}

// Reply is what the model is to say. The zero Reply says "ok".
type Reply struct {
	Text  string
	Calls []Call // tools to call; the client then asks again with their results
	// Status other than 0 and 200 fails the request with that HTTP status.
	Status int
}

// Call is one tool call.
type Call struct {
	Tool  string
	Input any // encoded as JSON
}

// Server is a scripted Messages API.
type Server struct {
	URL string

	t      testing.TB
	script func(Request) Reply

	turn sync.Mutex // held while the script answers
	ids  int        // tool calls so far

	mu       sync.Mutex // of the lists
	requests []Request
	other    []string
}

// Messages serves the API until the test ends. script is called for one request
// at a time; nil always says "ok". The client may ask more than the test does,
// for titles of sessions or summaries: look at the request before answering.
func Messages(t testing.TB, script func(Request) Reply) *Server {
	t.Helper()
	if script == nil {
		script = func(Request) Reply { return Reply{} }
	}
	s := &Server{t: t, script: script}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	s.URL = web.URL
	return s
}

// Requests returns what was asked so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Other returns method and path of everything else the client called.
func (s *Server) Other() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.other...)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/v1/messages":
		s.turn.Lock()
		defer s.turn.Unlock()
		req, err := parseRequest(body)
		if err != nil {
			s.t.Errorf("the client sent a request that is none: %v", err)
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
		s.mu.Lock()
		req.N = len(s.requests)
		s.requests = append(s.requests, req)
		s.mu.Unlock()
		s.answer(w, req, s.script(req))
	case r.Method == http.MethodPost && r.URL.Path == "/v1/messages/count_tokens":
		send(w, map[string]any{"input_tokens": len(body) / 4})
	default:
		s.mu.Lock()
		s.other = append(s.other, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		fail(w, http.StatusNotFound, "not part of this API")
	}
}

func fail(w http.ResponseWriter, status int, message string) {
	kind := "api_error"
	if status < 500 {
		kind = "invalid_request_error"
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Should-Retry", "false")
	w.WriteHeader(status)
	send(w, map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}})
}

// send writes JSON; a client that went away does not matter.
func send(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// answer sends the reply as one message or as a stream of events.
func (s *Server) answer(w http.ResponseWriter, req Request, reply Reply) {
	if reply.Status != 0 && reply.Status != http.StatusOK {
		fail(w, reply.Status, "scripted failure")
		return
	}
	if reply.Text == "" && len(reply.Calls) == 0 {
		reply.Text = "ok"
	}
	var content []map[string]any
	stop := "end_turn"
	if reply.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": reply.Text})
	}
	for _, c := range reply.Calls {
		stop = "tool_use"
		s.ids++
		content = append(content, map[string]any{
			"type": "tool_use", "id": fmt.Sprintf("toolu_%d", s.ids), "name": c.Tool, "input": c.Input,
		})
	}
	message := map[string]any{
		"id": fmt.Sprintf("msg_%d", req.N+1), "type": "message", "role": "assistant", "model": req.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]any{
			"input_tokens": len(req.Body) / 4, "output_tokens": 20,
			"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
		},
	}
	if !req.Stream {
		send(w, message)
		return
	}
	s.stream(w, message, content, stop)
}

func (s *Server) stream(w http.ResponseWriter, message map[string]any, content []map[string]any, stop string) {
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(kind string, fields map[string]any) {
		fields["type"] = kind
		data, err := json.Marshal(fields)
		if err != nil {
			s.t.Errorf("script: %v", err)
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data)
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
	message["content"], message["stop_reason"] = []any{}, nil
	event("message_start", map[string]any{"message": message})
	for i, block := range content {
		start := map[string]any{}
		var delta map[string]any
		for name, value := range block {
			start[name] = value
		}
		if block["type"] == "text" {
			start["text"] = ""
			delta = map[string]any{"type": "text_delta", "text": block["text"]}
		} else {
			input, err := json.Marshal(block["input"])
			if err != nil {
				s.t.Errorf("script: input of %v: %v", block["name"], err)
			}
			start["input"] = map[string]any{}
			delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
		}
		event("content_block_start", map[string]any{"index": i, "content_block": start})
		event("content_block_delta", map[string]any{"index": i, "delta": delta})
		event("content_block_stop", map[string]any{"index": i})
	}
	event("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": 20},
	})
	event("message_stop", map[string]any{})
}

func parseRequest(body []byte) (Request, error) {
	var in struct {
		Model    string          `json:"model"`
		Stream   bool            `json:"stream"`
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	req := Request{Model: in.Model, Stream: in.Stream, System: plainText(in.System), Body: body}
	for _, m := range in.Messages {
		req.Turns = append(req.Turns, Turn{m.Role, plainText(m.Content)})
	}
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, t.Name)
	}
	return req, nil
}

// plainText is the text of a content: a string, or blocks that may hold more.
func plainText(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var blocks []struct {
		Text    string          `json:"text"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return ""
	}
	var texts []string
	for _, b := range blocks {
		if b.Text != "" {
			texts = append(texts, b.Text)
		}
		if len(b.Content) > 0 {
			texts = append(texts, plainText(b.Content))
		}
	}
	return strings.Join(texts, "\n")
}
