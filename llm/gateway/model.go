package gateway

import (
	"context"
	"slices"
	"time"

	"orihon/llm"
)

// Purpose is what a model is wanted for.
type Purpose struct {
	Feature string // whose account it is: capture, summaries, consolidate …
	Size    string // Small or Large; empty is any
	// First is the name of the backend that is asked before the others, whatever
	// its size; empty keeps their order.
	First string
	// Patience bounds a call more tightly than its backend does; 0 leaves it to
	// the backend. One that takes longer has failed.
	Patience time.Duration
}

// Model is the backends behind one, for a purpose; nil when none is configured.
// Its errors wrap [llm.ErrUnavailable], [llm.ErrSpent] or [llm.ErrTooLong].
func (g *Gateway) Model(p Purpose) llm.Streamer {
	if !slices.ContainsFunc(g.o.Backends, func(b Backend) bool { return b.Off == "" }) {
		return nil
	}
	return &bound{g, p}
}

// bound is a gateway for one purpose.
type bound struct {
	g *Gateway
	p Purpose
}

// Generate asks for a whole answer.
func (m *bound) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	return m.g.call(ctx, m.p, r, nil)
}

// Stream asks for an answer and tells it as it comes.
func (m *bound) Stream(ctx context.Context, r llm.Request, tell func(llm.Delta)) (llm.Response, error) {
	return m.g.call(ctx, m.p, r, tell)
}

// Wake ends the rest of a backend that failed lately: it is asked again at once.
func (g *Gateway) Wake(ctx context.Context, name string) error { return g.health.forget(ctx, name) }

// Test asks one backend for a word, whatever its health, and counts what that
// takes. It tells what came.
func (g *Gateway) Test(ctx context.Context, name string) (llm.Response, error) {
	b, err := g.find(name)
	if err != nil {
		return llm.Response{}, err
	}
	return g.ask(ctx, b, call{Purpose: Purpose{Feature: "test"}, Request: llm.Request{MaxTokens: 200, Messages: []llm.Message{
		{Role: llm.User, Text: "Answer with the one word: ready"},
	}}})
}
