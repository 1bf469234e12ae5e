// Package gateway is the one way from Orihon to language models. It asks the
// configured backends in their order, leaves alone for a while what fails, takes
// secrets out of every prompt, and holds a budget for the day in tokens and money,
// over all processes of a home.
//
// It knows no protocol and reads no configuration: what a backend is, comes in
// [Backend]. Without backends there is no model, which is the normal state and
// costs nothing.
//
// # What it keeps
//
// Options.Dir holds health.json, and one file a day, such as 2026-11-22.json, of
// what was spent and of what calls under way have reserved. Each is replaced as a
// whole under one lock. Neither holds a word of a prompt or an answer.
//
// # Where to start
//
// [New], then [Gateway.Model] in model.go; call.go is the way of a request.
package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"orihon/internal/redact"
	"orihon/llm"
)

// Backend is one model that can be asked.
type Backend struct {
	Name string
	// Identity is what it is: when that changes, its health begins anew.
	Identity string
	// Size is what it is good for, [Small] or [Large]; empty is both.
	Size string
	// Off says why it is not to be asked at all; empty when it is. Broken says
	// that something is missing, and that nobody chose it.
	Off      string
	Broken   bool
	Price    Price
	Timeout  time.Duration // of a whole call; 0 means two minutes
	Overhead int64         // tokens that it puts before each prompt by itself
	NoTools  bool          // it cannot call tools: a request with some passes it over
	// Open opens it, when it is asked for the first time. What it opens is closed
	// with the gateway if it can be.
	Open func() (llm.Model, error)
}

// Sizes of models, and of what is asked of them.
const (
	Small = "small" // yes or no, a line
	Large = "large"
)

// Price is money for a million tokens.
type Price struct {
	Input, Output         float64
	CacheRead, CacheWrite float64
}

// of is what a call cost.
func (p Price) of(u llm.Usage) float64 {
	fresh := u.Input - u.CacheRead - u.CacheWrite
	const million = 1e6
	return (float64(max(fresh, 0))*p.Input + float64(u.Output)*p.Output +
		float64(u.CacheRead)*cmp.Or(p.CacheRead, p.Input) + float64(u.CacheWrite)*cmp.Or(p.CacheWrite, p.Input)) / million
}

// most is what a call may cost.
func (p Price) most(input, output int64) float64 {
	return (float64(input)*max(p.Input, p.CacheRead, p.CacheWrite) + float64(output)*p.Output) / 1e6
}

// Limits bound what is spent; zero bounds nothing.
type Limits struct {
	DailyTokens int64   // in and out
	DailyCost   float64 // in the currency of the prices
	CallTokens  int     // of one prompt
}

// Options of [New].
type Options struct {
	Backends []Backend // the one to ask first, first
	Dir      string    // shared by processes; required when there are backends
	Limits   Limits
	Redactor *redact.Redactor // nil applies all rules
	Now      func() time.Time // nil is time.Now; its location says when a day begins
}

// Gateway asks backends. It is safe for use by several goroutines.
type Gateway struct {
	o      Options
	health *health
	ledger *ledger

	mu     sync.Mutex
	opened map[string]llm.Model
}

// New returns a gateway; it opens nothing and reads nothing yet.
func New(o Options) *Gateway {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Redactor == nil {
		o.Redactor = redact.New(nil)
	}
	return &Gateway{
		o: o, health: &health{dir: o.Dir, now: o.Now}, ledger: &ledger{dir: o.Dir, now: o.Now, limits: o.Limits},
		opened: make(map[string]llm.Model),
	}
}

// Close closes what was opened.
func (g *Gateway) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var err error
	for name, m := range g.opened {
		if c, ok := m.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
		delete(g.opened, name)
	}
	return err
}

// CallTokens is how long one prompt may be, in estimated tokens; 0 sets no bound.
func (g *Gateway) CallTokens() int { return g.o.Limits.CallTokens }

// order is the backends for a purpose: those of its size, or all where there is
// none of it.
func (g *Gateway) order(p Purpose) []*Backend {
	var fit, all []*Backend
	for i := range g.o.Backends {
		b := &g.o.Backends[i]
		if b.Off != "" {
			continue
		}
		all = append(all, b)
		if p.Size == "" || b.Size == "" || b.Size == p.Size {
			fit = append(fit, b)
		}
	}
	if len(fit) == 0 {
		fit = all
	}
	if i := slices.IndexFunc(all, func(b *Backend) bool { return b.Name == p.First }); i >= 0 {
		first := all[i]
		fit = slices.DeleteFunc(slices.Clone(fit), func(b *Backend) bool { return b == first })
		fit = slices.Insert(fit, 0, first)
	}
	return fit
}

// find is the backend of a name that may be asked.
func (g *Gateway) find(name string) (*Backend, error) {
	for i := range g.o.Backends {
		if b := &g.o.Backends[i]; b.Name == name {
			if b.Off != "" {
				return nil, fmt.Errorf("%s: %w: %s", name, llm.ErrUnavailable, b.Off)
			}
			return b, nil
		}
	}
	return nil, fmt.Errorf("%w: models: lists no %s", llm.ErrUnavailable, name)
}

// open opens a backend once.
func (g *Gateway) open(b *Backend) (llm.Model, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if m := g.opened[b.Name]; m != nil {
		return m, nil
	}
	m, err := b.Open()
	if err != nil {
		return nil, err
	}
	g.opened[b.Name] = m
	return m, nil
}

// State is how a backend is.
type State struct {
	Name     string    `json:"name"`
	Identity string    `json:"is"`
	Size     string    `json:"size,omitempty"`
	Off      string    `json:"off,omitempty"`      // why it is not asked at all
	Until    time.Time `json:"until,omitzero"`     // it is left alone
	Broken   bool      `json:"broken,omitempty"`   // something is missing, such as its key
	Long     bool      `json:"long,omitempty"`     // that is a long time: it failed again and again
	Failures int       `json:"failures,omitempty"` // one after the other, lately
	Why      string    `json:"why,omitempty"`      // of the last of them
}

// States tells how all backends are, in their order. No backend is asked.
func (g *Gateway) States() []State {
	known := g.health.read()
	var out []State
	for _, b := range g.o.Backends {
		s := State{Name: b.Name, Identity: b.Identity, Size: b.Size, Off: b.Off, Broken: b.Broken}
		if v := known.of(&b); b.Off == "" && v != nil {
			s.Failures, s.Why = v.Failures, v.Why
			if v.resting(g.o.Now()) {
				s.Until, s.Long = v.Until, v.Long
			}
		}
		out = append(out, s)
	}
	return out
}

// Ask returns the backends that were switched off for long and that the person
// has not been asked about, each once over all processes.
func (g *Gateway) Ask(ctx context.Context) ([]State, error) {
	var out []State
	for _, s := range g.States() {
		if s.Long {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	asked, err := g.health.ask(ctx, out)
	return slices.DeleteFunc(out, func(s State) bool { return !slices.Contains(asked, s.Name) }), err
}
