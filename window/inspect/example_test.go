package inspect_test

import (
	"context"
	"fmt"
	"log"

	"orihon/journal"
	"orihon/window"
	"orihon/window/inspect"
)

// What a model would get of a run, in tokens.
func Example() {
	ctx := context.Background()
	prompt, err := journal.New(journal.UserMessage, "p1", journal.Message{Role: journal.RoleUser, Text: "Round the cart total half up."})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := journal.New(journal.AssistantMessage, "a1", journal.Message{Role: journal.RoleAssistant, Text: "The total is rounded by roundHalfUp now."})
	if err != nil {
		log.Fatal(err)
	}
	run := inspect.New(journal.NewView(prompt, answer))
	in, err := run.Inspect(ctx, inspect.BuildOptions{Strategy: window.Folding, Limit: 8000})
	if err != nil {
		log.Fatal(err)
	}
	for _, part := range in.Parts {
		fmt.Println(part.Name, part.Tokens)
	}
	for _, found := range run.Retrieve("roundHalfUp", 1) {
		fmt.Println(found.Text)
	}
	// Output:
	// user 12
	// assistant 14
	// The total is rounded by roundHalfUp now.
}
