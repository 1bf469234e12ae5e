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

// tool is one that an agent waits for when it asks by itself: a call over the wire,
// of a server in this process, which is warm. end ends the server.
func tool(ctx context.Context, m *orihon.Memory, name string) (ask func(query string) error, end func() error, err error) {
	server, err := mcp.New(&mcp.Options{Memory: m})
	if err != nil {
		return nil, nil, err
	}
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, fromClient, toClient) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "bench"}, nil)
	c, err := client.Connect(ctx, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		return nil, nil, errors.Join(err, toServer.Close(), <-ended)
	}
	ask = func(query string) error {
		res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: map[string]any{"query": query}})
		if err == nil && res.IsError {
			err = fmt.Errorf("%s: %v", name, res.Content[0])
		}
		return err
	}
	return ask, func() error { return errors.Join(c.Close(), <-ended) }, nil
}
