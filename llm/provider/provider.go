// Package provider asks language models: over the Messages API of Anthropic,
// over the chat completions that OpenAI began and most servers speak, and through
// the program of a coding agent in its headless mode. Each is an [llm.Model], the
// first two an [llm.Streamer].
//
// It chooses no model, counts nothing and hides nothing: secrets have been taken
// out of what it is given, and whether a call may be paid is package gateway's.
//
// Start with [NewAnthropic], [NewOpenAI] or [NewProgram].
package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"orihon/internal/apiclient"
	"orihon/llm"
	"orihon/memory"
)

// Options of [NewAnthropic] and [NewOpenAI]. Only Model is required.
type Options struct {
	Model string
	URL   string // empty is the provider's own server
	Key   string
	// Timeout bounds a call, answer included, and of a stream the wait for each
	// event; 0 means two minutes.
	Timeout time.Duration
}

const (
	defaultTimeout = 2 * time.Minute
	// maxAnswer bounds an answer on the wire, in bytes.
	maxAnswer = 4 << 20
	// defaultMax is the length of an answer when the caller does not say.
	defaultMax = 4096
)

// Remote asks a server. It is safe for use by several goroutines; Close drops
// idle connections.
type Remote struct {
	client *apiclient.Client
	wire   wire
	// plain says that the server takes neither temperature nor schema.
	plain atomic.Bool
}

// wire is what differs between servers: the shape of a request and of its answer.
type wire interface {
	path() string
	body(r llm.Request, stream bool) any
	// answer is where one answer is read into.
	answer() answer
}

// answer is read from JSON as a whole, or put together from the events of a
// stream.
type answer interface {
	// event takes in one event, and returns [apiclient.ErrStop] with the last.
	event(data []byte, tell func(llm.Delta)) error
	response() (llm.Response, error)
	// usage is what is known so far.
	usage() llm.Usage
}

func newRemote(base, keyHeader string, header map[string]string, o Options, w wire) (*Remote, error) {
	if o.Model == "" {
		return nil, fmt.Errorf("%w model: name the one that is to answer", memory.ErrInvalid)
	}
	c, err := apiclient.New(apiclient.Options{
		Base: base, Key: o.Key, KeyHeader: keyHeader, Header: header,
		Timeout: cmp.Or(max(o.Timeout, 0), defaultTimeout), MaxAnswer: maxAnswer,
	})
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	return &Remote{client: c, wire: w}, nil
}

// Close drops idle connections.
func (m *Remote) Close() error { return m.client.Close() }

// Generate asks for a whole answer.
func (m *Remote) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	return m.ask(ctx, r, func(r llm.Request) (llm.Response, error) {
		a := m.wire.answer()
		if err := m.client.Post(ctx, m.wire.path(), m.wire.body(r, false), a); err != nil {
			return llm.Response{}, failure(err, llm.Usage{})
		}
		return a.response()
	})
}

// Stream asks for an answer and tells it as it comes.
func (m *Remote) Stream(ctx context.Context, r llm.Request, tell func(llm.Delta)) (llm.Response, error) {
	return m.ask(ctx, r, func(r llm.Request) (llm.Response, error) {
		a := m.wire.answer()
		err := m.client.Stream(ctx, m.wire.path(), m.wire.body(r, true), func(data []byte) error { return a.event(data, tell) })
		if err != nil {
			return llm.Response{}, failure(err, a.usage())
		}
		return a.response()
	})
}

// ask asks once, and once more in plain words where the server refused the
// request and it asked for more than every server knows.
func (m *Remote) ask(ctx context.Context, r llm.Request, once func(llm.Request) (llm.Response, error)) (llm.Response, error) {
	demanding := r.Schema != nil || r.Temperature != nil
	sent := r
	if demanding && m.plain.Load() {
		sent = plain(r)
	}
	resp, err := once(sent)
	if f, ok := errors.AsType[*llm.Failure](err); ok && f.Request && demanding && !m.plain.Load() && ctx.Err() == nil {
		if again, second := once(plain(r)); second == nil {
			m.plain.Store(true)
			resp, err = again, nil
		}
	}
	if err != nil {
		return llm.Response{}, err
	}
	return checked(r.Schema, resp)
}

// failure says what an error of a call means. What the caller ended himself stays
// as it is.
func failure(err error, used llm.Usage) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if f, ok := errors.AsType[*llm.Failure](err); ok {
		f.Usage = used
		return f
	}
	f := &llm.Failure{Err: err, Worked: true, Usage: used}
	refused, ok := errors.AsType[*apiclient.Error](err)
	switch {
	case ok && refused.Status == statusOK:
		f.Why, f.Settled = unusable, refused.Lasting
	case ok:
		f.Why, f.Worked, f.RetryAfter = fmt.Sprintf("answered %d", refused.Status), false, refused.RetryAfter
		f.Settled = refused.Lasting
		switch refused.Status {
		case statusBadRequest, statusTooLarge, statusUnprocessable:
			f.Request = true
		case statusUnauthorized, statusForbidden, statusNotFound:
			f.Settled = true
		}
	case apiclient.Unsent(err):
		f.Why, f.Worked = "cannot be reached", false
	case errors.Is(err, context.DeadlineExceeded):
		f.Why = late
	default:
		f.Why = "broke off"
	}
	return f
}

// Answers of HTTP that mean something here.
const (
	statusOK            = 200
	statusUnauthorized  = 401
	statusForbidden     = 403
	statusNotFound      = 404
	statusBadRequest    = 400
	statusTooLarge      = 413
	statusUnprocessable = 422
)
