package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"orihon/llm"
)

// Asked is one request as it came over the wire.
type Asked struct {
	Path   string
	Header http.Header
	Body   []byte
	Model  string
	Stream bool
}

// Reply is what a [Server] answers. The zero Reply says nothing at all, well.
type Reply struct {
	Text      string
	Reasoning []llm.Reasoning
	Calls     []llm.Call
	Usage     llm.Usage
	Stop      string // empty is the wire's word for an answer that is complete
	Page      string // in place of all this: the body, as HTML

	Status     int    // other than 0 and 200 refuses the request
	RetryAfter string // the header of a refusal
	Delay      time.Duration
	Fault      Fault
}

// Fault is what is wrong with an answer.
type Fault string

// The faults.
const (
	Broken   Fault = "broken"   // the connection closes in the middle of it
	Garbage  Fault = "garbage"  // bytes that mean nothing
	HalfJSON Fault = "halfjson" // it stops in the middle, and the connection ends well
	Huge     Fault = "huge"     // ten megabytes
	Silent   Fault = "silent"   // it never comes
)

// Server speaks the Messages API and chat completions over loopback, streamed or
// not, as a script says. Close it.
type Server struct {
	URL string
	// Forget drops the bodies of requests once they are answered, for those who ask
	// very often. It is set before the first request.
	Forget bool

	script func(n int, a Asked) Reply
	web    *httptest.Server
	gone   chan struct{}

	mu    sync.Mutex
	asked []Asked
}

// Serve starts a server. script answers the n-th request, from 0; it may be called
// by several goroutines.
func Serve(script func(n int, a Asked) Reply) *Server {
	s := &Server{script: script, gone: make(chan struct{})}
	s.web = httptest.NewServer(s)
	s.URL = s.web.URL
	return s
}

// Close ends the server, and whoever still waits for an answer.
func (s *Server) Close() {
	close(s.gone)
	s.web.CloseClientConnections()
	s.web.Close()
}

// Asked returns the requests so far.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}

// protocol is how one API words an answer.
type protocol interface {
	whole(r Reply, model string) any
	// stream gives the events of an answer, each with its name and data.
	stream(r Reply, model string) [][2]string
	refusal(status int) any
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller went away
	}
	var p protocol
	switch {
	case strings.HasSuffix(r.URL.Path, "/v1/messages"):
		p = messages{}
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		p = completions{}
	default:
		http.NotFound(w, r)
		return
	}
	a := Asked{Path: r.URL.Path, Header: r.Header, Body: body}
	var said struct {
		Model  string
		Stream bool
	}
	if err := json.Unmarshal(body, &said); err != nil {
		http.Error(w, "no JSON", http.StatusBadRequest)
		return
	}
	a.Model, a.Stream = said.Model, said.Stream
	kept := a
	if s.Forget {
		kept.Body, kept.Header = nil, nil
	}
	s.mu.Lock()
	n := len(s.asked)
	s.asked = append(s.asked, kept)
	s.mu.Unlock()
	reply := s.script(n, a)
	if !s.wait(r, reply) {
		return
	}
	s.answer(w, p, a, reply)
}

// wait lets the time of a reply pass; false when there is nobody left to answer.
func (s *Server) wait(r *http.Request, reply Reply) bool {
	var over <-chan time.Time
	if reply.Fault != Silent {
		t := time.NewTimer(reply.Delay)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-over:
		return true
	case <-r.Context().Done():
	case <-s.gone:
	}
	return false
}

func (s *Server) answer(w http.ResponseWriter, p protocol, a Asked, reply Reply) {
	if reply.Status != 0 && reply.Status != http.StatusOK {
		if reply.RetryAfter != "" {
			w.Header().Set("Retry-After", reply.RetryAfter)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(reply.Status)
		_ = json.NewEncoder(w).Encode(p.refusal(reply.Status))
		return
	}
	if reply.Page != "" {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, reply.Page)
		return
	}
	var text strings.Builder
	if a.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range p.stream(reply, a.Model) {
			if e[0] != "" {
				fmt.Fprintf(&text, "event: %s\n", e[0])
			}
			fmt.Fprintf(&text, "data: %s\n\n", e[1])
		}
	} else {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(&text).Encode(p.whole(reply, a.Model))
	}
	switch whole := text.String(); reply.Fault {
	case Garbage:
		_, _ = io.WriteString(w, strings.Repeat("data: \x00\xff}{ event\n\n", 50))
	case Huge:
		_, _ = io.WriteString(w, strings.Repeat("data: "+strings.Repeat("a", 1000)+"\n", 10_000))
	case HalfJSON:
		_, _ = io.WriteString(w, whole[:len(whole)/2])
	case Broken:
		w.Header().Set("Content-Length", fmt.Sprint(len(whole)))
		_, _ = io.WriteString(w, whole[:len(whole)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	default:
		_, _ = io.WriteString(w, whole)
	}
}

func encoded(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // a script's call with an input that is no JSON
	}
	return string(data)
}

// pieces cuts a text in two or three, as a stream would, between characters.
func pieces(s string) []string {
	r := []rune(s)
	if len(r) < 2 {
		return []string{s}
	}
	return []string{string(r[:len(r)/3+1]), string(r[len(r)/3+1:])}
}
