// Package llmtest has models for tests, which play a script and remember what they
// were asked: [Script] is a model itself, [Server] speaks the protocols of real
// servers over loopback, also slowly, wrongly and not at all. Nothing leaves the
// machine.
//
// Start with [Script]; where the protocol matters, with [Serve].
package llmtest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"orihon/llm"
)

// ErrEnd is the answer of a [Script] that has been played to its end.
var ErrEnd = errors.New("the script has no more answers")

// Script is a model that gives its answers one after the other. It may be used
// by several goroutines; the zero value has no answers.
type Script struct {
	// Answers are texts to give, in order.
	Answers []string
	// Answer makes an answer of a request when the list is used up; nil ends
	// the script with [ErrEnd].
	Answer func(llm.Request) (llm.Message, error)

	mu    sync.Mutex
	asked []llm.Request
}

var _ llm.Model = (*Script)(nil)

// Generate gives the next answer.
func (s *Script) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.asked)
	s.asked = append(s.asked, r)
	if n < len(s.Answers) {
		return llm.Response{Message: llm.Message{Role: llm.Assistant, Text: s.Answers[n]}}, nil
	}
	if s.Answer == nil {
		return llm.Response{}, fmt.Errorf("request %d: %w", n+1, ErrEnd)
	}
	m, err := s.Answer(r)
	return llm.Response{Message: m}, err
}

// Asked returns the requests so far.
func (s *Script) Asked() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]llm.Request(nil), s.asked...)
}
