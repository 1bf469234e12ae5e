package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"orihon/agent"
	"orihon/journal"
	"orihon/llm"
	"orihon/window"
)

// endless calls its tool for ever, and counts tokens of its own.
func endless(input int64) llm.Model { return endlessModel(input) }

type endlessModel int64

func (m endlessModel) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{
		Message: llm.Message{Role: llm.Assistant, Calls: []llm.Call{call("c", "look", `{}`)}},
		Usage:   llm.Usage{Input: int64(m), Output: 10},
	}, nil
}

// A limit ends a run with a word on which it was, and the run can be resumed.
func TestLimitsEndARun(t *testing.T) {
	for name, c := range map[string]struct{ config, detail string }{
		"iterations": {"limits: {max_iterations: 3}", "3 iterations are over (limits.max_iterations)"},
		"tokens":     {"limits: {tokens: 1000}", "1000 tokens are used (limits.tokens)"},
		"time":       {"limits: {time: 150ms, max_iterations: 100000000}", "150ms are over (limits.time)"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := agent.New(agent.Options{
				Definition: defined(t, "name: looker\n"+c.config), Model: endless(200), Runs: t.TempDir(), Work: t.TempDir(),
				Tools: []agent.Tool{goTool{"look", func(json.RawMessage) string { return "seen" }}},
			})
			if err != nil {
				t.Fatal(err)
			}
			out, err := a.Run(t.Context(), agent.Task{Text: "Look."})
			if err != nil || out.Reason != agent.Limited || out.Detail != c.detail {
				t.Fatalf("Run = %+v, %v; want %s", out, err, c.detail)
			}
			again, err := a.Run(t.Context(), agent.Task{Run: out.Run, Resume: true})
			if err != nil || again.Reason != agent.Limited || again.Status.Input < out.Status.Input {
				t.Errorf("resumed: %+v, %v", again, err)
			}
		})
	}
}

// Near the end of the window memory keeps what was done, beside the run.
func TestMemoryIsFlushedNearTheLimit(t *testing.T) {
	for tokens, want := range map[int][2]int32{0: {1, 3}, 5000: {0, 0}} { // 31,000 of 40,000 are full
		var flushed atomic.Int32
		a, err := agent.New(agent.Options{
			Definition: defined(t, "name: looker\nlimits: {max_iterations: 25, context_tokens: 40000}"), Model: endless(31_000), Runs: t.TempDir(), Work: t.TempDir(),
			Tools:       []agent.Tool{goTool{"look", func(json.RawMessage) string { return "seen" }}},
			Flush:       func(context.Context, string) error { flushed.Add(1); return nil },
			FlushTokens: tokens,
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Run(t.Context(), agent.Task{Text: "Look."}); err != nil {
			t.Fatal(err)
		}
		if n := flushed.Load(); n < want[0] || n > want[1] {
			t.Errorf("FlushTokens %d: flushed %d times in 25 iterations, want %v", tokens, n, want)
		}
	}
}

// The short-term layer that memory is asked with has at most 50 messages and 20,000
// tokens, whatever an agent's settings say; the oldest are left out.
func TestMemoryIsAskedWithABoundedNumberOfMessages(t *testing.T) {
	for name, tt := range map[string]struct {
		messages int
		output   string
		set      agent.Options
		most     int // messages
	}{
		"few":         {3, "seen", agent.Options{}, 3},
		"too many":    {500, "seen", agent.Options{}, 50},
		"large ones":  {500, strings.Repeat("好", 600), agent.Options{}, 49}, // 1,800 bytes of some 600 tokens each
		"larger ones": {500, strings.Repeat("a b ", 5000), agent.Options{}, 50},
		"set":         {500, "seen", agent.Options{ShortMessages: 7}, 7},
		"set in size": {500, strings.Repeat("好", 600), agent.Options{ShortTokens: 3000}, 10},
	} {
		t.Run(name, func(t *testing.T) {
			m := &forgetful{}
			a, err := agent.New(agent.Options{
				Definition: defined(t, fmt.Sprintf("name: looker\nlimits: {max_iterations: 60}\nmemory: {messages: %d}", tt.messages)),
				Model:      endless(1000), Memory: m, Runs: t.TempDir(), Work: t.TempDir(),
				Tools:         []agent.Tool{goTool{"look", func(json.RawMessage) string { return tt.output }}},
				ShortMessages: tt.set.ShortMessages, ShortTokens: tt.set.ShortTokens,
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.Run(t.Context(), agent.Task{Text: "Look."}); err != nil {
				t.Fatal(err)
			}
			last := m.got[len(m.got)-1]
			n := strings.Count(last, " | ") + 1
			if size := window.Cost(window.Message{Text: last}, nil); n > tt.most || size > 20_500 || strings.Contains(last, "Look.") {
				t.Errorf("asked with %d messages of %d tokens, want at most %d, without the first", n, size, tt.most)
			}
		})
	}
}

// Hooks are told of a run; one that fails does not stop it.
func TestHooksAreTold(t *testing.T) {
	work := t.TempDir()
	n := 0
	a, err := agent.New(agent.Options{
		Definition: defined(t, `
name: looker
hooks:
  start: [sh, -c, "cat >> told"]
  iteration: [sh, -c, "cat >> told; exit 1"]
  end: [sh, -c, "cat >> told"]
`), Runs: t.TempDir(), Work: work,
		Model: asked(func(llm.Request) (llm.Message, error) {
			if n++; n == 1 {
				return saying("", call("c", "look", `{}`))
			}
			return saying("Done.")
		}),
		Tools: []agent.Tool{goTool{"look", func(json.RawMessage) string { return "seen" }}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := a.Run(t.Context(), agent.Task{Text: "Look."}); err != nil || out.Reason != agent.Answered {
		t.Fatalf("Run = %+v, %v", out, err)
	}
	told, _ := os.ReadFile(filepath.Join(work, "told"))
	for _, want := range []string{`"event":"started"`, `"event":"iteration"`, `"event":"ended"`, `"reason":"answered"`} {
		if !strings.Contains(string(told), want) {
			t.Errorf("hooks were not told %s: %s", want, told)
		}
	}
}

// An answer that does not hold to the schema is sent back.
func TestAnAnswerHoldsToItsSchema(t *testing.T) {
	def, err := agent.Read(folder(t, map[string]string{
		"config.yaml": "name: former", "system_prompt.md": "You form.", "output.schema.json": `{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	answers, last := []string{"It is 3.", `{"n": "three"}`, `{"n": 3}`}, ""
	n := 0
	a, err := agent.New(agent.Options{Definition: def, Runs: t.TempDir(), Work: t.TempDir(), Model: asked(func(r llm.Request) (llm.Message, error) {
		n++
		last = r.Messages[len(r.Messages)-1].Text
		return saying(answers[n-1])
	})})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(t.Context(), agent.Task{Text: "How many?"})
	if err != nil || out.Answer != `{"n": 3}` || !strings.Contains(last, "cannot be used") {
		t.Errorf("Run = %+v, %v; the last complaint was %q", out, err, last)
	}
}

// A run whose answers stay unfit fails and says why; it goes on when it is resumed.
func TestAnUnfitAnswerFailsTheRun(t *testing.T) {
	schema := `{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`
	for name, tc := range map[string]struct{ schema, answer, why, mended string }{
		"prose":   {schema, "It is 3.", "does not hold to output.schema.json: it is no JSON", `{"n": 3}`},
		"lacking": {schema, `{"m": 3}`, "does not hold to output.schema.json", `{"n": 3}`},
		"empty":   {"", " \n", "the model answered nothing, 3 times", "Done."},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"config.yaml": "name: former", "system_prompt.md": "You form."}
			if tc.schema != "" {
				files["output.schema.json"] = tc.schema
			}
			def, err := agent.Read(folder(t, files))
			if err != nil {
				t.Fatal(err)
			}
			n, answers, reason := 0, 0, ""
			a, err := agent.New(agent.Options{
				Definition: def, Runs: t.TempDir(), Work: t.TempDir(),
				Model: asked(func(llm.Request) (llm.Message, error) {
					if n++; n > 3 {
						return saying(tc.mended)
					}
					return saying(tc.answer)
				}),
				Observe: func(e agent.Event) {
					if e.Kind == agent.EventAnswer {
						answers++
					}
					reason += e.Reason
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			out, err := a.Run(t.Context(), agent.Task{Text: "How many?"})
			if err != nil || out.Reason != agent.Failed || !strings.Contains(out.Detail, tc.why) || out.Answer != "" || n != 3 || answers != 0 || reason != agent.Failed {
				t.Fatalf("Run = %+v, %v after %d requests; %d answers were told, the end as %q", out, err, n, answers, reason)
			}
			out, err = a.Run(t.Context(), agent.Task{Run: out.Run, Resume: true})
			if err != nil || out.Reason != agent.Answered || out.Answer != tc.mended {
				t.Errorf("resumed: %+v, %v", out, err)
			}
		})
	}
}

// A secret that a model writes or a tool prints reaches the tool, and no file.
func TestSecretsStayOutOfTheJournal(t *testing.T) {
	const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	n, got := 0, ""
	a, err := agent.New(agent.Options{
		Definition: defined(t, "name: looker"), Runs: t.TempDir(), Work: t.TempDir(),
		Model: asked(func(r llm.Request) (llm.Message, error) {
			for _, m := range r.Messages {
				if m.Result != nil && strings.Contains(m.Result.Text, secret) {
					t.Errorf("the model sees %q", m.Result.Text)
				}
			}
			if n++; n == 1 {
				return saying("I use "+secret, call("c", "look", `{"token": "`+secret+`"}`))
			}
			return saying("Done with " + secret)
		}),
		Tools: []agent.Tool{goTool{"look", func(in json.RawMessage) string { got = string(in); return "token=" + secret }}},
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(t.Context(), agent.Task{Text: "Use " + secret})
	if err != nil || out.Reason != agent.Answered || !strings.Contains(got, secret) {
		t.Fatalf("Run = %+v, %v; the tool got %q", out, err, got)
	}
	data, err := os.ReadFile(filepath.Join(out.Dir, "journal.jsonl"))
	if err != nil || strings.Contains(string(data), secret) || !strings.Contains(string(data), "[redacted:") {
		t.Errorf("the journal: %v\n%s", err, data)
	}
}

// Every strategy that needs no program works in the loop, with its tools.
func TestStrategiesWorkInTheLoop(t *testing.T) {
	for _, strategy := range []string{"sliding_window", "sliding_window_checkpoints", "two_layer", "milestone", "query_on_demand", "folding", "working_memory"} {
		t.Run(strategy, func(t *testing.T) {
			n := 0
			a, err := agent.New(agent.Options{
				Definition: defined(t, "name: looker\ncontext_builder: {strategy: "+strategy+", auto_summarize: {enabled: true, trigger: {iteration_interval: 10}}}\nlimits: {context_tokens: 16000, max_iterations: 60}"),
				Runs:       t.TempDir(), Work: t.TempDir(),
				Model: asked(func(r llm.Request) (llm.Message, error) {
					told := 0
					for _, m := range r.Messages {
						told += strings.Count(m.Text, "Count.")
					}
					if n++; told != 1 && n < 4 {
						t.Errorf("request %d tells the task %d times", n, told)
					}
					switch {
					case n == 3 && strategy == "working_memory":
						return saying("", call("w", "write_working_memory", `{"path": "overview.md", "content": "# Overview\nI count."}`))
					case n == 5 && strategy == "query_on_demand":
						return saying("", call("q", "query_history", `{"query": "step 2"}`))
					case n < 40:
						return saying("Next.", call("", "look", `{"n": 1}`))
					}
					return saying("Done.")
				}),
				Tools: []agent.Tool{goTool{"look", func(json.RawMessage) string { return work(n) }}},
			})
			if err != nil {
				t.Fatal(err)
			}
			out, err := a.Run(t.Context(), agent.Task{Text: "Count."})
			if err != nil || out.Reason != agent.Answered || out.Status.Iterations != 39 {
				t.Fatalf("Run = %+v, %v", out, err)
			}
			v := viewOf(t, out.Dir)
			for id, r := range results(t, v) {
				if r.Error {
					t.Errorf("%s: %+v", id, r)
				}
			}
			if n := len(v.ByType(journal.ActionResult)); n < 39+3 {
				t.Errorf("%d results with the summaries", n)
			}
		})
	}
}
