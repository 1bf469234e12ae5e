package apiclient

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// maxLine bounds a line of a stream, in bytes.
const maxLine = 1 << 20

// ErrStop ends a stream without being an error of it: the answer is complete.
var ErrStop = errors.New("the stream is complete")

// Stream sends in as JSON to a path below the base and gives event the data of
// each server-sent event of the answer, until it returns an error; [ErrStop] ends
// the stream well. Nothing is tried twice. A stream that ends by itself is an
// error: who knows the API knows its last event.
func (c *Client) Stream(ctx context.Context, path string, in any, event func(data []byte) error) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("%s: %w", c.base.Host, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// Each event winds the clock up again.
	clock := time.AfterFunc(c.o.Timeout, func() { cancel(context.DeadlineExceeded) })
	defer clock.Stop()
	resp, err := c.send(ctx, path, "text/event-stream", body)
	if err != nil {
		return c.late(ctx, err)
	}
	defer resp.Body.Close()
	if kind := resp.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
		return &Error{Host: c.base.Host, Status: resp.StatusCode, Message: "the answer is not a stream of events: " + c.quote(text), Lasting: page(text)}
	}
	limited := &io.LimitedReader{R: resp.Body, N: c.o.MaxAnswer + 1}
	err = events(limited, func(data []byte) error {
		clock.Reset(c.o.Timeout)
		return event(data)
	})
	switch {
	case errors.Is(err, ErrStop):
		return nil
	case limited.N <= 0:
		return c.tooLarge(c.o.MaxAnswer)
	case errors.Is(err, bufio.ErrTooLong):
		return c.tooLarge(maxLine)
	case errors.Is(err, errRead):
		return c.late(ctx, c.unreached(err))
	}
	return err
}

// late puts the end of the clock in place of what it looks like from within.
func (c *Client) late(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return c.unreached(context.DeadlineExceeded)
	}
	return err
}

// errRead marks errors of the connection, as against those of what came.
var errRead = errors.New("it broke off")

// events reads a stream in the form of the HTML standard: lines of `data:`, an
// empty line behind each event. Names, ids and comments are passed over.
func events(r io.Reader, event func(data []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4<<10), maxLine)
	var data []byte
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) == 0 {
			if len(data) > 0 {
				if err := event(data); err != nil {
					return err
				}
			}
			data = data[:0]
			continue
		}
		text, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		if len(data) > 0 {
			data = append(data, '\n')
		}
		data = append(data, bytes.TrimPrefix(text, []byte(" "))...)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%w: %w", errRead, err)
	}
	return fmt.Errorf("%w: %w", errRead, io.ErrUnexpectedEOF)
}
