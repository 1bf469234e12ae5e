package agent_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"orihon/agent"
	"orihon/llm/provider"
)

// childVariable makes the test program a run of an agent: the agent's folder, the
// address of its model, the folder of runs and the working directory.
const childVariable = "ORIHON_TEST_RUN"

func TestMain(m *testing.M) {
	if args := os.Getenv(childVariable); args != "" {
		if err := runChild(strings.Split(args, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv("SERVE_TEST_TOOLS") != "" {
		if err := serveTools(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// serveTools is a server of the Model Context Protocol with three tools.
func serveTools() error {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	type input struct {
		Text string `json:"text"`
	}
	for _, name := range []string{"memory_add", "memory_search", "memory_delete"} {
		sdk.AddTool(s, &sdk.Tool{Name: name}, func(_ context.Context, _ *sdk.CallToolRequest, in input) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: name + ": " + in.Text}}}, nil, nil
		})
	}
	sdk.AddTool(s, &sdk.Tool{Name: "flood"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.Repeat("flood ", 1_000_000)}}}, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "die"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		time.Sleep(500 * time.Millisecond)
		os.Exit(3)
		return nil, nil, nil
	})
	return s.Run(context.Background(), &sdk.StdioTransport{})
}

// runChild starts the run "r", or goes on with it.
func runChild(args []string) error {
	def, err := agent.Read(args[0])
	if err != nil {
		return err
	}
	model, err := provider.NewAnthropic(provider.Options{Model: "m", URL: args[1], Key: "k", Timeout: 20 * time.Second})
	if err != nil {
		return err
	}
	a, err := agent.New(agent.Options{Definition: def, Model: model, Runs: args[2], Work: args[3]})
	if err != nil {
		return err
	}
	task := agent.Task{Text: "Take all steps.", Run: "r"}
	if _, _, _, err := agent.Recorded(args[2] + "/r"); err == nil {
		task = agent.Task{Run: "r", Resume: true}
		if len(args) > 4 {
			task.Text = args[4]
		}
	}
	out, err := a.Run(context.Background(), task)
	if err == nil && out.Reason != agent.Answered {
		err = fmt.Errorf("%s: %s", out.Reason, out.Detail)
	}
	return err
}
