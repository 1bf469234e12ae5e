package provider_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"orihon/internal/claudecode/clienttest"
	"orihon/llm"
	"orihon/llm/provider"
)

// The real client, asked as a model: it sends what it was given and little more,
// keeps no transcript, and runs no hook.
func TestTheRealClaudeAnswersAsAModel(t *testing.T) {
	api := clienttest.Messages(t, func(clienttest.Request) clienttest.Reply { return clienttest.Reply{Text: `{"answer": 42}`} })
	r := clienttest.Client(t, api)
	// A key and a server are named, as configured ones are; the rest is kept or not.
	env := provider.ProgramEnv(append(slices.Clone(r.Env), "SECRET_OF_OTHERS=1"), "/usr/bin:/bin", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY")
	if slices.Contains(env, "SECRET_OF_OTHERS=1") || !slices.Contains(env, "ORIHON_CHILD=1") {
		t.Errorf("environment %q", env)
	}
	p, err := provider.NewProgram(provider.ProgramOptions{
		Client: provider.Claude, Path: r.Binary, Dir: filepath.Join(t.TempDir(), "child"), Env: env, Model: clienttest.DefaultModel,
	})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := p.Generate(t.Context(), llm.Request{
		Messages: []llm.Message{{Role: llm.System, Text: "You count."}, {Role: llm.User, Text: "How many?"}},
		Schema:   &llm.Schema{Name: "answer", JSON: []byte(`{"type":"object","properties":{"answer":{"type":"integer"}},"required":["answer"]}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Message.Text != `{"answer": 42}` || resp.Usage.Input <= 0 || resp.Usage.Estimated {
		t.Errorf("%+v", resp)
	}
	asked := api.Requests()
	if len(asked) != 1 {
		t.Fatalf("%d requests", len(asked))
	}
	q := asked[0]
	t.Logf("body %d bytes, system %d bytes, tools %q", len(q.Body), len(q.System), q.Tools)
	if !strings.Contains(q.System, "You count.") || !q.Contains("How many?") || len(q.Tools) > 0 {
		t.Errorf("system %.300q, tools %q", q.System, q.Tools)
	}
	if left := r.Transcripts(); len(left) > 0 {
		t.Errorf("transcripts %q", left)
	}
}
