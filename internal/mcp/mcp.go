// Package mcp lets an agent ask memory and save into it by itself, over the Model
// Context Protocol: on standard input and output, and as streamable HTTP on the
// loopback.
//
// It translates and bounds. What an answer is worth, what is kept and who may see
// what is decided by package orihon and the rooms behind it; the protocol is the
// SDK's. What stands in an answer is data: it has gone through package inert and
// stands between marks.
//
// Start with [New]. guard.go is what every call passes; search.go, items.go,
// save.go, history.go and context.go hold the tools; stdio.go and http.go
// are the transports.
package mcp

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"orihon"
	"orihon/memory"
)

// The profiles.
const (
	Default = "default" // the tools that a session needs
	Full    = "full"    // all there are, with resources and a prompt
)

// Options of [New].
type Options struct {
	Memory  *orihon.Memory // required; the caller closes it, after the server
	Profile string         // Default when empty
	Version string         // of the program
	// Session names the client's session that calls belong to; nil, and an empty
	// name, make them those of their connection.
	Session func() string
	Now     func() time.Time // nil is time.Now
	Logger  *slog.Logger     // nil discards
}

// Server answers for one user in one project. It is safe for use by several
// goroutines.
type Server struct {
	o      Options
	server *sdk.Server
	began  string // names the process, among the sessions of connections
	saves  saves
	toRead time.Duration // the body of a request
}

//go:embed instructions.txt
var instructions string

// New makes a server. The error wraps [memory.ErrInvalid] for an unknown profile.
func New(o *Options) (*Server, error) {
	s := &Server{o: *o, toRead: toRead}
	s.o.Profile = cmp.Or(s.o.Profile, Default)
	if s.o.Profile != Default && s.o.Profile != Full {
		return nil, fmt.Errorf("%w profile %q: want %s or %s", memory.ErrInvalid, s.o.Profile, Default, Full)
	}
	if s.o.Now == nil {
		s.o.Now = time.Now
	}
	if s.o.Logger == nil {
		s.o.Logger = slog.New(slog.DiscardHandler)
	}
	if s.o.Session == nil {
		s.o.Session = func() string { return "" }
	}
	s.began = s.o.Now().UTC().Format("20060102T150405.000")
	s.server = sdk.NewServer(&sdk.Implementation{Name: "orihon", Title: "Orihon", Version: s.o.Version}, &sdk.ServerOptions{
		Instructions: instructions, Logger: s.o.Logger, Capabilities: &sdk.ServerCapabilities{}, SetCacheable: private,
	})
	s.server.AddReceivingMiddleware(s.guard)
	return s, s.register()
}

// Serve answers one client until in ends or ctx does, and returns nil then. A line
// that is no message is answered with an error of JSON-RPC and passed over.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	client := newStdio(in, out)
	err := s.server.Run(ctx, &sdk.IOTransport{Reader: client, Writer: client})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
