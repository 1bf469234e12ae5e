package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"orihon/llm"
)

// call is one request on its way.
type call struct {
	Purpose
	llm.Request
	tell func(llm.Delta) // nil when nobody listens
}

const (
	// defaultMax is the length of an answer when the caller does not say.
	defaultMax = 4096
	// defaultTimeout is the time of a call when the backend does not say.
	defaultTimeout = 2 * time.Minute
	// streams is how many times that a stream may take.
	streams = 10
)

// call asks the backends in their order until one answers. What has begun to tell
// its answer is the last one asked: nobody can take back what was told.
func (g *Gateway) call(ctx context.Context, p Purpose, r llm.Request, tell func(llm.Delta)) (llm.Response, error) {
	told := false
	c := call{Purpose: p, Request: g.clean(r)}
	if tell != nil {
		c.tell = func(d llm.Delta) { told = true; tell(d) }
	}
	if n := prompt(c.Request); g.o.Limits.CallTokens > 0 && n > int64(g.o.Limits.CallTokens) {
		return llm.Response{}, fmt.Errorf("%w: some %d tokens, and one call may have %d (spend.call_tokens)", llm.ErrTooLong, n, g.o.Limits.CallTokens)
	}
	var none refusals
	known := g.health.read()
	for _, b := range g.order(p) {
		if b.NoTools && len(r.Tools) > 0 {
			none.why = append(none.why, b.Name+" calls no tools")
			continue
		}
		if v := known.of(b); v != nil && v.resting(g.o.Now()) {
			none.rests(v.Until.Sub(g.o.Now()), fmt.Sprintf("%s is left alone until %s: it %s", b.Name, v.Until.Format("15:04"), v.Why))
			continue
		}
		resp, err := g.ask(ctx, b, c)
		if err == nil || ctx.Err() != nil || told || errors.Is(err, llm.ErrSpent) || errors.Is(err, errLedger) {
			return resp, err
		}
		none.failed(failureOf(err), b.Name+": "+err.Error())
	}
	return llm.Response{}, none.failure()
}

// refusals are why no backend answered.
type refusals struct {
	why     []string
	soonest time.Duration // until one of them may be asked again
	later   bool          // one of them may answer another time
	request bool          // one refused the request for what it asks
}

func (r *refusals) rests(left time.Duration, why string) {
	if r.soonest == 0 || left < r.soonest {
		r.soonest = left
	}
	r.later, r.why = true, append(r.why, why)
}

func (r *refusals) failed(f *llm.Failure, why string) {
	r.request = r.request || f.Request
	if !f.Settled && !f.Request {
		r.rests(max(f.RetryAfter, 1), why)
		return
	}
	r.why = append(r.why, why)
}

// failure is all of it in one error, which wraps [llm.ErrUnavailable].
func (r *refusals) failure() *llm.Failure {
	f := &llm.Failure{
		Why: "no backend answered", Err: fmt.Errorf("%w: %s", llm.ErrUnavailable, strings.Join(r.why, "; ")),
		Request: r.request, Settled: !r.later && !r.request, RetryAfter: r.soonest,
	}
	if f.RetryAfter == 1 {
		f.RetryAfter = 0 // nobody said
	}
	return f
}

// ask reserves what a call may take, asks one backend, and settles both its
// account and its health. It is settled also when the caller has gone.
func (g *Gateway) ask(ctx context.Context, b *Backend, c call) (llm.Response, error) {
	model, err := g.open(b)
	if err != nil {
		return llm.Response{}, also(err, g.health.failed(context.WithoutCancel(ctx), b, &llm.Failure{Why: "cannot be opened", Err: err}))
	}
	c.MaxTokens = cmp.Or(max(c.MaxTokens, 0), defaultMax)
	patience := cmp.Or(max(b.Timeout, 0), defaultTimeout)
	if c.Patience > 0 {
		patience = min(patience, c.Patience)
	}
	if c.tell != nil {
		patience *= streams
	}
	held, err := g.ledger.reserve(ctx, b, c, patience)
	if err != nil {
		return llm.Response{}, err
	}
	after := context.WithoutCancel(ctx)
	resp, err := generate(ctx, model, c, patience)
	resp.Backend = b.Name
	resp.Usage = within(b, c, resp.Usage, resp.Message)
	// What could not be settled stays reserved, and is counted in full when its
	// time is over: an answer is not lost for that.
	used := spent(b, c, resp, err)
	serr := g.ledger.settle(after, held, used, err != nil)
	switch {
	case err == nil:
		resp.Cost = b.Price.of(used)
		_ = g.health.worked(after, b) // one failure more than there were is remembered, at worst
		return resp, nil
	case ctx.Err() != nil:
		return llm.Response{}, ctx.Err()
	}
	return llm.Response{}, also(err, also(serr, g.health.failed(after, b, failureOf(err))))
}

// also is two errors in one line; either may be nil.
func also(err, more error) error {
	if err == nil || more == nil {
		return cmp.Or(err, more)
	}
	return fmt.Errorf("%w; %w", err, more)
}

func generate(ctx context.Context, model llm.Model, c call, patience time.Duration) (llm.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if c.tell == nil {
		return model.Generate(ctx, c.Request)
	}
	if s, ok := model.(llm.Streamer); ok {
		return s.Stream(ctx, c.Request, c.tell)
	}
	resp, err := model.Generate(ctx, c.Request)
	if err == nil && resp.Message.Text != "" {
		c.tell(llm.Delta{Text: resp.Message.Text})
	}
	return resp, err
}

// failureOf is what is known of an error.
func failureOf(err error) *llm.Failure {
	if f, ok := errors.AsType[*llm.Failure](err); ok {
		return f
	}
	return &llm.Failure{Why: "failed", Err: err, Worked: true, Usage: llm.Usage{Estimated: true}}
}

// spent is what a call took. What a backend does not tell is estimated; of a call
// without an answer the whole answer counts that it may have written.
func spent(b *Backend, c call, resp llm.Response, err error) llm.Usage {
	if err == nil {
		u := resp.Usage
		if u.Estimated || u.Input == 0 && u.Output == 0 {
			u = llm.Usage{Input: prompt(c.Request) + b.Overhead, Output: words(resp.Message), Estimated: true}
		}
		return u
	}
	f := failureOf(err)
	if !f.Worked {
		return llm.Usage{}
	}
	u := within(b, c, f.Usage, llm.Message{})
	if u.Input == 0 {
		u.Input, u.Estimated = prompt(c.Request)+b.Overhead, true
	}
	if u.Output == 0 {
		u.Output, u.Estimated = int64(c.MaxTokens), true
	}
	return u
}

// within is what a backend tells of a call, as far as it can be true: its answer is
// no longer than was asked for or came, its prompt hardly longer than what was sent.
// Of what a backend adds by itself, [Backend.Overhead] is known and the rest bounded.
func within(b *Backend, c call, told llm.Usage, m llm.Message) llm.Usage {
	const hidden = 200_000 // tokens that a server may put before a prompt
	u := told
	u.Input = min(u.Input, atMost(c.Request)+b.Overhead+hidden)
	u.Output = min(u.Output, max(int64(c.MaxTokens), words(m))+b.Overhead)
	u.CacheRead = min(u.CacheRead, u.Input)
	u.CacheWrite = min(u.CacheWrite, u.Input-u.CacheRead)
	u.Estimated = told.Estimated || u != told
	return u
}

// clean takes secrets and private passages out of everything that is sent. Blocks
// of reasoning are the provider's own, and signed.
func (g *Gateway) clean(r llm.Request) llm.Request {
	text := func(s string) string {
		s, _ = g.o.Redactor.Text(s)
		return s
	}
	messages := make([]llm.Message, len(r.Messages))
	for i, m := range r.Messages {
		m.Text = text(m.Text)
		if m.Result != nil {
			result := *m.Result
			result.Text = text(result.Text)
			m.Result = &result
		}
		if len(m.Calls) > 0 {
			calls := make([]llm.Call, len(m.Calls))
			for j, c := range m.Calls {
				if input, found := g.o.Redactor.JSON(c.Input); len(found) > 0 {
					c.Input = input
				}
				calls[j] = c
			}
			m.Calls = calls
		}
		messages[i] = m
	}
	r.Messages = messages
	return r
}
