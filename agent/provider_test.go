package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"orihon/agent"
	"orihon/journal"
	"orihon/llm"
	"orihon/llm/llmtest"
	"orihon/memory"
	"orihon/window"
)

// A server that fails in any way is asked again where that helps. Where it does not,
// the run ends, can be resumed, and nothing of it is lost.
func TestAProviderThatFails(t *testing.T) {
	good := llmtest.Reply{Text: "Fine."}
	work := llmtest.Reply{Text: "I look.", Calls: []llm.Call{call("c1", "look", `{"n": 1}`)}}
	always := func(r llmtest.Reply) []llmtest.Reply { return []llmtest.Reply{r, r, r, r, r, r} }
	const once = -1
	for name, c := range map[string]struct {
		replies []llmtest.Reply // the last one goes on
		want    string          // why it ends
		asked   int             // least, or once
	}{
		"garbage":              {[]llmtest.Reply{{Fault: llmtest.Garbage}, work, good}, agent.Answered, 3},
		"half of a call":       {[]llmtest.Reply{{Calls: work.Calls, Fault: llmtest.HalfJSON}, work, good}, agent.Answered, 3},
		"broken in the middle": {[]llmtest.Reply{{Text: strings.Repeat("words ", 50), Fault: llmtest.Broken}, work, good}, agent.Answered, 3},
		"429 with a time":      {[]llmtest.Reply{{Status: 429, RetryAfter: "1"}, work, good}, agent.Answered, 3},
		"429 without":          {[]llmtest.Reply{{Status: 429}, {Status: 529}, work, good}, agent.Answered, 4},
		"429 for hours":        {[]llmtest.Reply{{Status: 429, RetryAfter: "9999"}}, agent.Failed, 1},
		"500 for ever":         {always(llmtest.Reply{Status: 500}), agent.Failed, 5},
		"a key that is wrong":  {[]llmtest.Reply{{Status: 401}}, agent.Failed, 1},
		"too long":             {[]llmtest.Reply{work, {Status: 413}, good}, agent.Answered, 3},
		"too long for ever":    {[]llmtest.Reply{work, {Status: 400}}, agent.Failed, 4},
		"a refusal":            {[]llmtest.Reply{{Text: "I will not.", Stop: "refusal"}}, agent.Refused, 1},
		"nothing":              {[]llmtest.Reply{{}, {}, good}, agent.Answered, 3},
		"cut off":              {[]llmtest.Reply{{Text: "It is", Stop: "max_tokens"}, good}, agent.Answered, 2},
		"the same id again":    {[]llmtest.Reply{work, work, work, good}, agent.Answered, 4},
		"huge":                 {[]llmtest.Reply{{Fault: llmtest.Huge}, good}, agent.Failed, once},
		"another address":      {[]llmtest.Reply{{Status: 302}, good}, agent.Failed, once},
		"a page for people":    {[]llmtest.Reply{{Page: "<html><title>Log in</title></html>"}, good}, agent.Failed, once},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			ok := false
			s := llmtest.Serve(func(n int, _ llmtest.Asked) llmtest.Reply {
				mu.Lock()
				defer mu.Unlock()
				if ok {
					return good
				}
				return c.replies[min(n, len(c.replies)-1)]
			})
			defer s.Close()
			calls := 0
			a, err := agent.New(agent.Options{
				Definition: defined(t, "name: looker"), Model: modelOf(t, "messages", s.URL), Runs: t.TempDir(), Work: t.TempDir(), Patience: 2 * time.Second,
				Tools: []agent.Tool{goTool{"look", func(json.RawMessage) string { calls++; return "seen" }}},
			})
			if err != nil {
				t.Fatal(err)
			}
			out, err := a.Run(t.Context(), agent.Task{Text: "Look.", Run: "r"})
			if err != nil || out.Reason != c.want {
				t.Fatalf("Run = %+v, %v; want %s", out, err, c.want)
			}
			if n := len(s.Asked()); n < c.asked || c.asked == once && n != 1 {
				t.Errorf("the server was asked %d times, want %d", n, c.asked)
			}
			v := viewOf(t, out.Dir)
			got := results(t, v)
			if asked := len(v.ByType(journal.ActionRequest)); asked != len(got) || asked != calls {
				t.Errorf("%d calls, %d results, %d made", asked, len(got), calls)
			}
			for id, r := range got {
				if r.Output != "seen" {
					t.Errorf("call %s: %+v", id, r)
				}
			}
			if c.want == agent.Answered {
				return
			}
			if out.Detail == "" {
				t.Error("it does not say why")
			}
			mu.Lock()
			ok = true
			mu.Unlock()
			if out, err = a.Run(t.Context(), agent.Task{Run: "r", Resume: true}); err != nil || out.Answer != "Fine." {
				t.Errorf("resumed: %+v, %v", out, err)
			}
		})
	}
}

// forgetful is a memory that fails, or that answers.
type forgetful struct {
	text string
	err  error
	got  []string
}

func (f *forgetful) Recall(_ context.Context, q memory.Query) (*memory.Recollection, error) {
	f.got = append(f.got, strings.Join(append(q.Recent, q.Text), " | "))
	if f.err != nil {
		return nil, f.err
	}
	return &memory.Recollection{Text: f.text, Tokens: 20}, nil
}

// What memory knows stands behind the context of one request; one that fails is left
// out.
func TestATurnRecallsWithTheLastMessages(t *testing.T) {
	for name, m := range map[string]*forgetful{"knows": {text: "MEMORY: the tea is green"}, "fails": {err: errors.New("the index is broken")}} {
		t.Run(name, func(t *testing.T) {
			var last []string
			n := 0
			model := asked(func(r llm.Request) (llm.Message, error) {
				last = append(last, r.Messages[len(r.Messages)-1].Text)
				if err := window.Check(r.Messages); err != nil {
					t.Error(err)
				}
				if n++; n < 4 {
					return llm.Message{Role: llm.Assistant, Text: "Look " + strings.Repeat("x", n), Calls: []llm.Call{call("", "look", `{"n": 1}`)}}, nil
				}
				return llm.Message{Role: llm.Assistant, Text: "Done."}, nil
			})
			notices := 0
			a, err := agent.New(agent.Options{
				Definition: defined(t, "name: looker"), Model: model, Memory: m, Runs: t.TempDir(), Work: t.TempDir(),
				Tools: []agent.Tool{goTool{"look", func(json.RawMessage) string { return "seen" }}},
				Observe: func(e agent.Event) {
					if e.Kind == agent.EventNotice {
						notices++
					}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if out, err := a.Run(t.Context(), agent.Task{Text: "What tea?"}); err != nil || out.Reason != agent.Answered {
				t.Fatalf("Run = %+v, %v", out, err)
			}
			if got := strings.Contains(last[3], "the tea is green"); got != (m.err == nil) || (notices > 0) != (m.err != nil) {
				t.Errorf("the last message of the request is %q, %d notices", last[3], notices)
			}
			if want := "Look xxx | "; len(m.got) != 4 || m.got[0] != "What tea?" || !strings.Contains(m.got[3], want) || strings.Count(m.got[3], " | ") != 4 {
				t.Errorf("memory was asked %q", m.got)
			}
		})
	}
}
