// Package apiclient talks to the JSON APIs of model servers over HTTP: one
// request with bounds on time, size and repetition, and errors a person can
// act on. [Client.Post] is the whole of an API call, [Client.Stream] one whose
// answer comes as server-sent events, [Download] fetches a file.
//
// It knows no API: paths, bodies and what an answer means belong to the
// caller. It keeps no conversation and logs nothing; neither
// a key nor more than a line of what a server said ever stands in an error.
//
// Start with [New].
package apiclient

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"orihon/memory"
)

// Options of [New]. Only Base is required.
type Options struct {
	// Base is where paths start, such as https://api.example.com/v1.
	Base string
	// Key is sent as a bearer token; empty sends none. It is never sent in the
	// clear beyond this machine and its private network.
	Key string
	// KeyHeader is a header that carries the key as it is, in place of a bearer
	// token.
	KeyHeader string
	// Header is sent with every request.
	Header map[string]string
	// Timeout bounds one attempt, answer included, and of a stream the wait for
	// each event; 0 means 30 s. The context may end it sooner.
	Timeout time.Duration
	// Retries is how often a request is repeated that the server could not
	// take now (429, 5xx) or that was cut off.
	Retries int
	// Backoff is the wait before the first repetition, doubled for each
	// further one; 0 means 500 ms. A server's Retry-After counts instead when
	// it is longer.
	Backoff time.Duration
	// MaxWait bounds one wait: who is told to wait longer gives up; 0 means
	// 30 s.
	MaxWait time.Duration
	// MaxAnswer bounds an answer, in bytes; 0 means 64 MiB.
	MaxAnswer int64
}

// Client posts to one server. It is safe for use by several goroutines; Close
// drops idle connections.
type Client struct {
	base *url.URL
	o    Options
	http *http.Client
}

// New checks the address and returns a client for it; nothing is sent. What
// cannot work wraps [memory.ErrInvalid], a key that would travel in the clear
// [memory.ErrRefused].
func New(o Options) (*Client, error) {
	base, err := parseBase(o.Base)
	if err != nil {
		return nil, err
	}
	if o.Key != "" && base.Scheme == "http" && !private(base.Hostname()) {
		return nil, fmt.Errorf("%w: a key is not sent to %s in the clear: write https", memory.ErrRefused, base.Host)
	}
	if strings.ContainsAny(o.Key, "\r\n\x00") {
		return nil, fmt.Errorf("%w key: it holds a line break", memory.ErrInvalid)
	}
	o.Timeout = cmp.Or(max(o.Timeout, 0), 30*time.Second)
	o.Backoff = cmp.Or(max(o.Backoff, 0), 500*time.Millisecond)
	o.MaxWait = cmp.Or(max(o.MaxWait, 0), 30*time.Second)
	o.MaxAnswer = cmp.Or(max(o.MaxAnswer, 0), 64<<20)
	return &Client{base: base, o: o, http: &http.Client{
		Transport: transport(),
		// What is posted was meant for one host. Where it moved to is told,
		// so that a person can decide.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Within is the client for a caller in a hurry: one attempt, which takes at most
// the given time. 0 changes nothing.
func (c *Client) Within(d time.Duration) *Client {
	if d <= 0 {
		return c
	}
	hurried := *c
	hurried.o.Retries, hurried.o.Timeout = 0, d
	return &hurried
}

// Close drops idle connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Host is the server's name and port, for messages.
func (c *Client) Host() string { return c.base.Host }

func transport() *http.Transport {
	return &http.Transport{
		// Behind a company's proxy nothing else is reachable; this machine
		// itself is never asked for through one.
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           4,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

func parseBase(raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(raw), "/"))
	if err != nil {
		return nil, fmt.Errorf("%w address: want one such as http://127.0.0.1:11434", memory.ErrInvalid)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.Opaque != "":
		return nil, fmt.Errorf("%w address %q: want one such as http://127.0.0.1:11434", memory.ErrInvalid, u.Redacted())
	case u.User != nil:
		return nil, fmt.Errorf("%w address %q: put the key into an environment variable, not into the address", memory.ErrInvalid, u.Redacted())
	case u.RawQuery != "", u.Fragment != "":
		return nil, fmt.Errorf("%w address of %s: leave out what follows ? or #", memory.ErrInvalid, u.Host)
	}
	return u, nil
}

// private reports whether a host is this machine or an address of a private
// network. Names other than localhost are public: who answers to them is not
// ours to say.
func private(host string) bool {
	ip, err := netip.ParseAddr(host)
	return loopback(host) || err == nil && (ip.IsPrivate() || ip.IsLinkLocalUnicast())
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// Post sends in as JSON to a path below the base and reads the answer into
// out. It repeats what may succeed later, see [Options.Retries].
//
// A server's refusal is an [*Error]. When ctx ends, Post returns ctx.Err()
// within its error at once.
func (c *Client) Post(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("%s: %w", c.base.Host, err)
	}
	for attempt := 0; ; attempt++ {
		err := c.attempt(ctx, path, body, out)
		if err == nil || attempt >= c.o.Retries || !temporary(ctx, err) {
			return err
		}
		wait := c.o.Backoff << min(attempt, 10)
		if e, ok := errors.AsType[*Error](err); ok && e.RetryAfter > wait {
			wait = e.RetryAfter
		}
		if wait > c.o.MaxWait || !sleep(ctx, wait) {
			return err
		}
	}
}

// sleep waits, unless ctx ends before it would be over.
func sleep(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// temporary reports whether another attempt may succeed.
func temporary(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Temporary()
	}
	return errors.Is(err, errUnreached)
}

// errUnreached marks requests that were not answered to the end.
var errUnreached = errors.New("no answer")

func (c *Client) attempt(ctx context.Context, path string, body []byte, out any) error {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	resp, err := c.send(ctx, path, "application/json", body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, c.o.MaxAnswer+1))
	if err != nil {
		return c.unreached(err)
	}
	if int64(len(text)) > c.o.MaxAnswer {
		return c.tooLarge(c.o.MaxAnswer)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return &Error{Host: c.base.Host, Status: resp.StatusCode, Message: "the answer is not the JSON that was expected: " + c.quote(text), Lasting: page(text)}
	}
	return nil
}

// send sends a request once and returns its answer, if that is one.
func (c *Client) send(ctx context.Context, path, accept string, body []byte) (*http.Response, error) {
	target := c.base.String() + "/" + strings.TrimPrefix(path, "/")
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.base.Host, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", accept)
	req.Header.Set("User-Agent", "orihon")
	for k, v := range c.o.Header {
		req.Header.Set(k, v)
	}
	switch {
	case c.o.Key == "":
	case c.o.KeyHeader != "":
		req.Header.Set(c.o.KeyHeader, c.o.Key)
	default:
		req.Header.Set("Authorization", "Bearer "+c.o.Key)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreached(err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, c.refusal(resp)
	}
	return resp, nil
}

func (c *Client) tooLarge(most int64) error {
	return &Error{Host: c.base.Host, Status: http.StatusOK, Message: fmt.Sprintf("the answer is too large: more than %d bytes", most), Lasting: true}
}

// unreached words the failure of a connection without the URL, which the
// standard library puts first.
func (c *Client) unreached(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w within %s: %w", c.base.Host, errUnreached, c.o.Timeout, context.DeadlineExceeded)
	}
	return fmt.Errorf("%s: %w: %w", c.base.Host, errUnreached, err)
}

// Unsent reports whether an error of a call says that the server was never
// reached, so that it cannot have worked on the request.
func Unsent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}
