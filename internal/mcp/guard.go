package mcp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"orihon/internal/inert"
	"orihon/internal/redact"
	"orihon/internal/tokens"
	"orihon/memory"
)

const (
	mostArguments = 256 << 10        // bytes of a call's arguments
	mostRefusal   = 60               // tokens of the beginning and of the end of an error
	mostTime      = 60 * time.Second // of one call
)

// guard is what every request passes that reads or writes memory: arguments that
// are far too long are not even read, it ends in time, and a fault within it is no
// end of the server.
func (s *Server) guard(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		name := method
		params, tool := req.GetParams().(*sdk.CallToolParamsRaw)
		switch {
		case tool:
			name = params.Name
			if n := len(params.Arguments); n > mostArguments {
				return failed(fmt.Errorf("%w arguments: %d bytes, at most %d", memory.ErrInvalid, n, mostArguments)), nil
			}
		case method != "resources/read" && method != "prompts/get":
			return next(ctx, method, req)
		}
		ctx, cancel := context.WithTimeout(ctx, mostTime)
		defer cancel()
		// Files that are mapped into memory may be cut short by others.
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			if p := recover(); p != nil {
				s.o.Logger.Error("mcp: a call failed", "name", name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				if res, err = nil, wired(errInside); tool {
					res, err = failed(errInside), nil
				}
			}
		}()
		res, err = next(ctx, method, req)
		// A call that failed by the protocol has a result of this type that is nil.
		if out, ok := res.(*sdk.CallToolResult); ok && out != nil && out.IsError {
			shorten(out)
		}
		return res, err
	}
}

// errInside is all that a client is told of a failure that is none of its making.
var errInside = errors.New("memory could not be used just now; orihon doctor says more")

// refusal is an error as a model may see it: what is wrong with the call, and
// nothing of the machine.
func (s *Server) refusal(tool string, err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return errors.New("the call was ended before it was done")
	case errors.Is(err, memory.ErrNotFound), errors.Is(err, memory.ErrInvalid), errors.Is(err, memory.ErrRefused):
		return err
	case errors.Is(err, memory.ErrBusy):
		return errors.New("memory is in use by another process: try again")
	}
	s.o.Logger.Warn("mcp: a call failed", "tool", tool, "err", err)
	return errInside
}

// wired is an error of a method that is no tool, with the code of the protocol.
func wired(err error) error {
	code := jsonrpc.CodeInternalError
	if errors.Is(err, memory.ErrInvalid) || errors.Is(err, memory.ErrNotFound) || errors.Is(err, memory.ErrRefused) {
		code = jsonrpc.CodeInvalidParams
	}
	return &jsonrpc.Error{Code: int64(code), Message: err.Error()}
}

func failed(err error) *sdk.CallToolResult {
	var out sdk.CallToolResult
	out.SetError(err)
	shorten(&out)
	return &out
}

// shorten makes an error's text short, one line and inert: it may quote what was
// sent.
func shorten(out *sdk.CallToolResult) {
	for _, c := range out.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			text := strings.ToValidUTF8(t.Text, "\ufffd")
			if head := tokens.Fit(text, mostRefusal); len(head) < len(text) {
				end := text[max(0, len(text)-len(head)):]
				text = head + " … " + strings.ToValidUTF8(end, "")
			}
			text, _ = redact.Text(text)
			t.Text = inert.Line(text)
		}
	}
}

// sessionOf is the session that a call belongs to: the client's where it is known,
// else the connection. Calls without any are told apart by the day.
func (s *Server) sessionOf(c *sdk.ServerSession) string {
	if id := s.o.Session(); id != "" {
		return id
	}
	if id := c.ID(); id != "" {
		return "mcp-" + id
	}
	return "mcp-" + s.began + "-" + s.o.Now().UTC().Format(time.DateOnly)
}
