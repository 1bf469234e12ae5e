package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orihon/agent"
	"orihon/journal"
	"orihon/llm"
	"orihon/llm/llmtest"
	"orihon/llm/provider"
)

// folder writes the files of a folder and returns it.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// defined reads an agent with these settings.
func defined(t *testing.T, config string) *agent.Definition {
	t.Helper()
	d, err := agent.Read(folder(t, map[string]string{"config.yaml": config, "system_prompt.md": "You work."}))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// wires are the protocols that a server speaks.
var wires = map[string]func(provider.Options) (*provider.Remote, error){"messages": provider.NewAnthropic, "completions": provider.NewOpenAI}

// modelOf asks a server over one of the protocols.
func modelOf(t *testing.T, wire, url string) llm.Model {
	t.Helper()
	m, err := wires[wire](provider.Options{Model: "m", URL: url, Key: "k", Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func call(id, tool, input string) llm.Call {
	return llm.Call{ID: id, Tool: tool, Input: json.RawMessage(input)}
}

// viewOf reads the journal of a run.
func viewOf(t *testing.T, dir string) *journal.View {
	t.Helper()
	j, err := journal.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	v, err := j.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// results are what tools answered in a run, by the call's id.
func results(t *testing.T, v *journal.View) map[string]journal.Result {
	t.Helper()
	out := map[string]journal.Result{}
	for _, e := range v.ByType(journal.ActionResult) {
		var r journal.Result
		if err := v.Decode(e, &r); err != nil {
			t.Fatal(err)
		}
		out[e.ID] = r
	}
	return out
}

func TestARunCallsToolsAndAnswersOverBothProtocols(t *testing.T) {
	for wire := range wires {
		t.Run(wire, func(t *testing.T) {
			def := defined(t, `
name: echoer
tools:
  - name: say
    description: Say a word.
    command: [printf, --, "%s!"]
    parameters: [{name: word, description: the word, required: true}]
  - name: fail
    command: ["false"]
`)
			s := llmtest.Serve(func(n int, a llmtest.Asked) llmtest.Reply {
				if n == 0 {
					return llmtest.Reply{Text: "I look.", Calls: []llm.Call{call("c1", "say", `{"word": "hé"}`), call("c2", "fail", `{}`), call("c3", "nothere", `{}`)}}
				}
				return llmtest.Reply{Text: "All is said."}
			})
			defer s.Close()
			var told strings.Builder
			a, err := agent.New(agent.Options{Definition: def, Model: modelOf(t, wire, s.URL), Runs: t.TempDir(), Work: t.TempDir(), Observe: func(e agent.Event) {
				told.WriteString(e.Text)
			}})
			if err != nil {
				t.Fatal(err)
			}
			out, err := a.Run(t.Context(), agent.Task{Text: "Say it."})
			if err != nil || out.Reason != agent.Answered || out.Answer != "All is said." {
				t.Fatalf("Run = %+v, %v", out, err)
			}
			v := viewOf(t, out.Dir)
			var types []journal.Type
			for _, e := range v.Events() {
				types = append(types, e.Type)
			}
			want := []journal.Type{
				journal.RunStarted, journal.UserMessage, journal.Thought, journal.ActionRequest, journal.ActionRequest, journal.ActionRequest, journal.ContextBuilt,
				journal.ActionResult, journal.ActionResult, journal.ActionResult, journal.AssistantMessage, journal.ContextBuilt, journal.RunEnded,
			}
			if !slices.Equal(types, want) {
				t.Errorf("the journal has %v, want %v", types, want)
			}
			got := results(t, v)
			if r := got["c1"]; r.Output != "hé!" || r.Error {
				t.Errorf("say answered %+v", r)
			}
			if r := got["c2"]; !r.Error || !strings.Contains(r.Output, "exit status 1") {
				t.Errorf("fail answered %+v", r)
			}
			if r := got["c3"]; !r.Error || !strings.Contains(r.Output, `"nothere"`) || !strings.Contains(r.Output, "say") {
				t.Errorf("a tool that is not there answered %+v", r)
			}
			if !strings.Contains(told.String(), "I look.") || !strings.Contains(told.String(), "All is said.") {
				t.Errorf("what was streamed: %q", told.String())
			}
		})
	}
}

// Half of the runs that are cut off come from a person who pressed Ctrl-C: what was
// acknowledged stays, and what was under way is not repeated.
func TestARunThatWasInterruptedGoesOn(t *testing.T) {
	def := defined(t, `
name: sleeper
tools:
  - {name: quick, command: [sh, -c, "echo quick >> done"]}
  - {name: slow, command: [sh, -c, "echo begun >> done; sleep 60; echo slow >> done"]}
`)
	var asked []string
	s := llmtest.Serve(func(n int, a llmtest.Asked) llmtest.Reply {
		asked = append(asked, string(a.Body))
		if n == 0 {
			return llmtest.Reply{Calls: []llm.Call{call("c1", "quick", `{}`), call("c2", "slow", `{}`)}}
		}
		return llmtest.Reply{Text: "Done."}
	})
	defer s.Close()
	work, runs := t.TempDir(), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	a, err := agent.New(agent.Options{Definition: def, Model: modelOf(t, "messages", s.URL), Runs: runs, Work: work, Observe: func(e agent.Event) {
		if e.Kind == agent.EventResult {
			for { // until the other one has begun
				if data, _ := os.ReadFile(filepath.Join(work, "done")); strings.Contains(string(data), "begun") {
					break
				}
				time.Sleep(time.Millisecond)
			}
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(ctx, agent.Task{Text: "Do both.", Run: "r1"})
	if err != nil || out.Reason != agent.Interrupted {
		t.Fatalf("Run = %+v, %v", out, err)
	}
	if got := results(t, viewOf(t, out.Dir)); len(got) != 1 || got["c1"].Error {
		t.Fatalf("results after the end: %+v", got)
	}
	out, err = a.Run(t.Context(), agent.Task{Run: "r1", Resume: true})
	if err != nil || out.Reason != agent.Answered {
		t.Fatalf("resumed: %+v, %v", out, err)
	}
	got := results(t, viewOf(t, out.Dir))
	if r := got["c2"]; !r.Error || !strings.HasPrefix(r.Output, "Outcome unknown") || !strings.Contains(r.Output, "Idempotency key: ") {
		t.Errorf("the call that was under way: %+v", r)
	}
	if last := asked[len(asked)-1]; !strings.Contains(last, "Outcome unknown") || !strings.Contains(last, "Do both.") {
		t.Errorf("the model is not told: %s", last)
	}
	if data, _ := os.ReadFile(filepath.Join(work, "done")); strings.Count(string(data), "quick") != 1 || strings.Count(string(data), "begun") != 1 {
		t.Errorf("calls were repeated: %s", data)
	}
	if _, err := a.Run(t.Context(), agent.Task{Run: "r1", Resume: true}); err == nil || !strings.Contains(err.Error(), "has answered") {
		t.Errorf("a run that has answered goes on without a task: %v", err)
	}
	out, err = a.Run(t.Context(), agent.Task{Run: "r1", Resume: true, Text: "And now?"})
	if err != nil || out.Reason != agent.Answered || !strings.Contains(asked[len(asked)-1], "And now?") {
		t.Errorf("another task: %+v, %v", out, err)
	}
	fmt.Fprint(os.Stderr)
}
