package eval

import (
	"context"
	"errors"
	"fmt"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"orihon"
	"orihon/internal/mcp"
)

// tools times what an agent waits for when it asks by itself: a call over the wire,
// of a server in this process, which is warm.
func (s *speed) tools(ctx context.Context, m *orihon.Memory, prompts []string) (err error) {
	server, err := mcp.New(&mcp.Options{Memory: m, Logger: s.Logger})
	if err != nil {
		return err
	}
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, fromClient, toClient) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "bench"}, nil)
	c, err := client.Connect(ctx, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		return errors.Join(err, toServer.Close(), <-ended)
	}
	defer func() { err = errors.Join(err, c.Close(), <-ended) }()
	return s.calls("memory_search", callRuns, func(i int) error {
		res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "memory_search", Arguments: map[string]any{"query": prompts[i%len(prompts)]}})
		if err == nil && res.IsError {
			err = fmt.Errorf("memory_search: %v", res.Content[0])
		}
		return err
	})
}
