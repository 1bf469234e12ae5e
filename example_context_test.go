package orihon_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"orihon/window"
	"orihon/window/inspect"
)

// A long run is folded: what a model gets stays small, and nothing is lost.
func ExampleMemory_Context() {
	ctx := context.Background()
	m, done := exampleMemory() // usually orihon.Open(ctx, nil)
	defer done()

	transcript := filepath.Join(m.Project().Root, "run.jsonl")
	text := `{"role":"user","content":"Round the cart total half up. Never touch the public API."}
{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"name":"Edit","arguments":"{\"file_path\":\"cart/total.go\",\"new_string\":\"roundHalfUp(sum)\"}"}}]}
{"role":"tool","tool_call_id":"c1","content":"The file has been updated."}
{"role":"assistant","content":"The total is rounded by roundHalfUp now."}
`
	if err := os.WriteFile(transcript, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}

	// A run is a session of the project, by its ID, or a transcript.
	run, err := m.Context().Open(ctx, transcript)
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
