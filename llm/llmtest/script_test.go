package llmtest_test

import (
	"context"
	"errors"
	"testing"

	"orihon/llm"
	"orihon/llm/llmtest"
)

func TestAScriptAnswersInOrderAndThenEnds(t *testing.T) {
	s := &llmtest.Script{Answers: []string{"one", "two"}}
	ctx, cancel := context.WithCancel(context.Background())
	for _, want := range []string{"one", "two"} {
		got, err := s.Generate(ctx, llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "for " + want}}})
		if err != nil || got.Message.Text != want || got.Message.Role != llm.Assistant {
			t.Errorf("%+v, %v; want %q", got, err, want)
		}
	}
	if _, err := s.Generate(ctx, llm.Request{}); !errors.Is(err, llmtest.ErrEnd) {
		t.Errorf("behind the end: %v", err)
	}
	cancel()
	if _, err := s.Generate(ctx, llm.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if asked := s.Asked(); len(asked) != 3 || asked[1].Messages[0].Text != "for two" {
		t.Errorf("asked %+v", asked)
	}
}
