package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"orihon/agent"
	"orihon/llm"
	"orihon/llm/llmtest"
)

// dice is a tool in Go.
type dice struct{}

func (dice) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: "roll", Description: "Roll a die.", Schema: json.RawMessage(`{"type":"object"}`)}
}

func (dice) Call(context.Context, agent.Call) (string, error) { return "4", nil }

// An agent may be made by hand, with tools in Go. In a program the model is one of
// package provider, or that of a handle: m.Models().Model(gateway.Purpose{Feature:
// "run"}). With Memory: m, each turn recalls from it.
func Example() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	rolled := false
	model := &llmtest.Script{Answer: func(r llm.Request) (llm.Message, error) {
		if rolled {
			return llm.Message{Role: llm.Assistant, Text: "You rolled " + r.Messages[len(r.Messages)-1].Result.Text + "."}, nil
		}
		rolled = true
		return llm.Message{Role: llm.Assistant, Calls: []llm.Call{{ID: "c1", Tool: "roll", Input: json.RawMessage(`{}`)}}}, nil
	}}
	a, err := agent.New(agent.Options{
		Definition: &agent.Definition{Name: "player", Prompt: "You play.", Limits: agent.Limits{MaxIterations: 5}},
		Model:      model,
		Runs:       dir,
		Tools:      []agent.Tool{dice{}},
		Observe: func(e agent.Event) {
			if e.Kind == agent.EventResult {
				fmt.Println(e.Tool, "→", e.Output)
			}
		},
	})
	if err != nil {
		panic(err)
	}
	out, err := a.Run(context.Background(), agent.Task{Text: "Roll a die."})
	if err != nil {
		panic(err)
	}
	fmt.Println(out.Reason+":", out.Answer)
	// Output:
	// roll → 4
	// answered: You rolled 4.
}
