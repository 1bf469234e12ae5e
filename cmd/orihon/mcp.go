package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"orihon"
	"orihon/internal/mcp"
	"orihon/llm/provider"
	"orihon/memory"
)

func (a *app) mcpCommand() *cobra.Command {
	var profile, address string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let an agent search and save by itself (Model Context Protocol)",
		Long: "Let an agent search and save by itself, over the Model Context Protocol: on standard\n" +
			"input and output, as a client starts it, or with --http on a port of this machine.\n" +
			"What agents save is marked as theirs, passes the same gate as everything, never\n" +
			"takes the place of what you said, and can be undone; capture.agent_saves bounds it.\n" +
			"The profile full has all tools; default has the eight that a session needs.",
		Example: "  claude mcp add orihon -- orihon mcp\n  orihon mcp --http 127.0.0.1:3849",
		Args:    args(cobra.NoArgs),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("http") && address == "" {
				return fmt.Errorf("%w: --http: want HOST:PORT, as in 127.0.0.1:3849", errUsage)
			}
			return nil
		},
		RunE: a.withOpened(func(cmd *cobra.Command, m *orihon.Memory, _ []string) error {
			return a.mcp(cmd.Context(), m, profile, address)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&profile, "profile", mcp.Default, "which tools there are: default or full")
	f.StringVar(&address, "http", "", "serve HTTP at this address of the loopback; port 0 takes a free one")
	return cmd
}

func (a *app) mcp(ctx context.Context, m *orihon.Memory, profile, address string) error {
	if _, child := a.env(provider.ChildVariable); child {
		return fmt.Errorf("%w: this is a session of Orihon's own, which remembers nothing (%s)", memory.ErrRefused, provider.ChildVariable)
	}
	o := &mcp.Options{Memory: m, Profile: profile, Version: version()["version"], Logger: a.logger()}
	if address == "" {
		o.Session = m.Sessions().Calling
		defer m.Sessions().Serve()()
	}
	s, err := mcp.New(o)
	if err != nil {
		return err
	}
	// Whatever ends the server ends the watch, before the memory is closed.
	ctx, cancel := context.WithCancel(ctx)
	watched := make(chan error, 1)
	go func() { watched <- m.Watch(ctx, nil) }()
	defer func() {
		cancel()
		if err := <-watched; err != nil {
			o.Logger.Warn("mcp: changes of files were not watched", "err", err)
		}
	}()
	if address == "" {
		return s.Serve(ctx, io.NopCloser(a.in), closing{a.out})
	}
	l, err := mcp.Listen(ctx, address)
	if err != nil {
		return err
	}
	token := mcp.Token()
	at := "http://" + l.Addr().String() + mcp.Path
	if err := a.print(map[string]string{"url": at, "token": token}, func(w io.Writer) {
		fmt.Fprintf(w, "listening on %s\ntoken %s\n", at, token)
	}); err != nil {
		return errors.Join(err, l.Close())
	}
	return s.ServeHTTP(ctx, l, token)
}

// closing is a writer that has nothing to close.
type closing struct{ io.Writer }

func (closing) Close() error { return nil }
