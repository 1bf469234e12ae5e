// Package mcptools calls tools of servers that speak the Model Context Protocol
// over standard input and output. Only the tools that are named may be called,
// whatever a server offers.
//
// It is a client alone: package mcp is the server of this program. Which server is
// started, and with what environment, is its caller's to say. Start with [Start].
package mcptools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"orihon/internal/child"
	"orihon/memory"
)

// Command is the server to start. No shell reads it.
type Command struct {
	Path string
	Args []string
	Dir  string
	Env  []string // the whole of it
	// Allow are the names of the tools that may be called.
	Allow []string
	// MaxOutput bounds an answer, in bytes; 256 KiB.
	MaxOutput int
}

// Spec describes a tool.
type Spec struct {
	Name, Description string
	Schema            json.RawMessage
}

// Server is a server that runs. Its methods may be called by several goroutines.
type Server struct {
	session *sdk.ClientSession
	end     func() // kills what is left of it
	allow   []string
	most    int
}

const (
	startTime = 20 * time.Second
	closeTime = 2 * time.Second
	// maxTools bounds what a server may list, and maxSpec one description in bytes.
	maxTools = 500
	maxSpec  = 32 << 10
)

// Start starts a server and returns the tools of it that may be called. A tool
// that is allowed and that the server does not have is a [memory.ErrNotFound].
func Start(ctx context.Context, c Command) (*Server, []Spec, error) {
	// The server outlives ctx, up to Close.
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	cmd := exec.CommandContext(life, c.Path, c.Args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = c.Dir, append(slices.Clone(c.Env), "PWD="+c.Dir), closeTime
	child.OwnGroup(cmd)
	end := func() {
		cancel()
		child.KillRest(cmd)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "orihon", Version: "1"}, nil)
	begin, done := context.WithTimeout(ctx, startTime)
	defer done()
	session, err := client.Connect(begin, &sdk.CommandTransport{Command: cmd, TerminateDuration: closeTime}, nil)
	if err != nil {
		end()
		return nil, nil, fmt.Errorf("start the server: %w", err)
	}
	s := &Server{session, end, c.Allow, cmp.Or(max(c.MaxOutput, 0), 256<<10)}
	specs, err := s.list(begin)
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return s, specs, nil
}

func (s *Server) list(ctx context.Context) ([]Spec, error) {
	var out []Spec
	n := 0
	for t, err := range s.session.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list its tools: %w", err)
		}
		if n++; n > maxTools {
			return nil, fmt.Errorf("%w server: it lists more than %d tools", memory.ErrInvalid, maxTools)
		}
		if !slices.Contains(s.allow, t.Name) {
			continue
		}
		schema, err := json.Marshal(t.InputSchema)
		if err != nil || len(schema)+len(t.Description) > maxSpec {
			return nil, fmt.Errorf("%w tool %s of the server: its description cannot be used", memory.ErrInvalid, t.Name)
		}
		out = append(out, Spec{t.Name, t.Description, schema})
	}
	for _, name := range s.allow {
		if !slices.ContainsFunc(out, func(t Spec) bool { return t.Name == name }) {
			return nil, fmt.Errorf("tool %s: %w on the server", name, memory.ErrNotFound)
		}
	}
	return out, nil
}

// Call calls a tool and returns its text. An error that the tool tells is one
// beside the text.
func (s *Server) Call(ctx context.Context, tool string, input json.RawMessage) (string, error) {
	if !slices.Contains(s.allow, tool) {
		return "", fmt.Errorf("tool %s: %w", tool, memory.ErrRefused)
	}
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	r, err := s.session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: input})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, c := range r.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			text.WriteString(c.Text + "\n")
		default:
			fmt.Fprintf(&text, "[%s]\n", strings.TrimPrefix(fmt.Sprintf("%T", c), "*mcp."))
		}
	}
	out := strings.TrimSpace(text.String())
	if len(out) > s.most {
		out = strings.ToValidUTF8(out[:s.most], "")
		err = fmt.Errorf("it answered more than %d bytes; the beginning is shown", s.most)
	}
	if r.IsError {
		err = cmp.Or(err, errors.New("the tool reports an error"))
	}
	return out, err
}

// Close ends the server and all it started.
func (s *Server) Close() {
	_ = s.session.Close() // it ends with its process either way
	s.end()
}
