package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// stdio is a client on standard input and output, a message a line. The SDK ends
// the connection at the first line that is no message. Here such a line, and one
// that is too long, is answered and passed over, and only messages reach the SDK.
type stdio struct {
	in   *bufio.Reader
	from io.Closer

	mu  sync.Mutex // one line at a time is written
	out io.WriteCloser

	rest []byte // of the line that is being read
}

func newStdio(in io.ReadCloser, out io.WriteCloser) *stdio {
	return &stdio{in: bufio.NewReaderSize(in, 64<<10), from: in, out: out}
}

// Read reads the next messages.
func (c *stdio) Read(p []byte) (int, error) {
	for len(c.rest) == 0 {
		line, long, err := c.line()
		if err != nil && len(line) == 0 && !long {
			return 0, err
		}
		if len(line) == 0 && !long {
			continue
		}
		if why := check(line, long); why != nil {
			if _, err := c.Write(refused(line, why)); err != nil {
				return 0, err
			}
			continue
		}
		c.rest = append(line, '\n')
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// line reads a line without the blanks around it, and reports whether it is longer
// than a message may be; of such a one nothing is kept.
func (c *stdio) line() (line []byte, long bool, err error) {
	for {
		part, err := c.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > mostBody+1; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), long, err
		}
	}
}

// check says why a line is no message; nil when it is one.
func check(line []byte, long bool) *jsonrpc.Error {
	invalid := func(why string) *jsonrpc.Error { return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: why} }
	switch {
	case long:
		return invalid(fmt.Sprintf("a message has at most %d bytes", mostBody))
	case !utf8.Valid(line) || !json.Valid(line):
		return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "not JSON: a message is JSON in UTF-8, on standard input one a line"}
	case line[0] == '[':
		return invalid("a list of messages: send one message a line")
	case line[0] != '{':
		return invalid("a message is a JSON object")
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return invalid(`not a message of JSON-RPC 2.0: it has "jsonrpc": "2.0", a "method" that is a string, and an "id" that is a string or a number where an answer is wanted`)
	}
	return nil
}

// refused is the answer to a line that is no message, by its ID where it has one.
func refused(line []byte, why *jsonrpc.Error) []byte {
	var named struct{ ID any }
	if json.Unmarshal(line, &named) != nil {
		named.ID = nil
	}
	switch named.ID.(type) {
	case string, float64:
	default:
		named.ID = nil
	}
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": named.ID, "error": why}) // texts and numbers
	return append(answer, '\n')
}

func (c *stdio) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.Write(p)
}

// Close ends both streams.
func (c *stdio) Close() error { return errors.Join(c.from.Close(), c.out.Close()) }
