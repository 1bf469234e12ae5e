package runs_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"orihon/runs"
	"orihon/window"
	"orihon/window/inspect"
)

// A long run is folded: what a model gets stays small, and nothing is lost.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	transcript := filepath.Join(dir, "run.jsonl")
	text := `{"role":"user","content":"Round the cart total half up. Never touch the public API."}
{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"name":"Edit","arguments":"{\"file_path\":\"cart/total.go\",\"new_string\":\"roundHalfUp(sum)\"}"}}]}
{"role":"tool","tool_call_id":"c1","content":"The file has been updated."}
{"role":"assistant","content":"The total is rounded by roundHalfUp now."}
`
	if err := os.WriteFile(transcript, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}

	// A run is a session, by its ID, or a transcript. Where sessions lie is known to
	// orihon.Memory.Runs.
	run, err := runs.New(nil).Open(ctx, transcript)
	if err != nil {
		log.Fatal(err)
	}
	messages, err := run.Messages(ctx, inspect.BuildOptions{Strategy: window.Folding, Limit: 8000})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(messages), "messages")
	for _, f := range run.Retrieve("roundHalfUp", 1) {
		fmt.Printf("iteration %d: %s\n", f.Iteration, f.Type)
	}
	page, err := run.Expand(ctx, "1", "rounded", 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(page.Text)
	// Output:
	// 4 messages
	// iteration 1: assistant_message
	// [1] Assistant: The total is rounded by roundHalfUp now.
}
