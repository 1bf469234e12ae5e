package agent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orihon/agent"
	"orihon/journal"
	"orihon/llm"
	"orihon/window"
)

// lead is an agent with a sub-agent and a summariser.
func lead(t *testing.T) *agent.Definition {
	d, err := agent.Read(folder(t, map[string]string{
		"config.yaml": `
name: lead
tools:
  - {name: ask_reader, type: sub_agent, agent_path: reader}
  - {name: sum_up, type: sub_agent, agent_path: summarizer-chapter}
`,
		"system_prompt.md": "You lead. The word of the lead is heron.",
		"reader/config.yaml": `
name: reader
description: Reads files.
tools:
  - {name: journal, shell: true, command: ['echo "$PARENT_JOURNAL_READONLY"; head -c 30 "$PARENT_JOURNAL_PATH"']}
`,
		"reader/system_prompt.md": "You read.",
	}))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// talk tells by its system prompt whose request it is.
func bySystem(r llm.Request) string { return r.Messages[0].Text }

func saying(text string, calls ...llm.Call) (llm.Message, error) {
	return llm.Message{Role: llm.Assistant, Text: text, Calls: calls}, nil
}

// A sub-agent sees its task and nothing of the conversation; its parent gets the
// report and nothing else of its work.
func TestASubAgentReportsAndNothingElse(t *testing.T) {
	long := strings.Repeat("It is a long story. ", 300)
	var parents, children []llm.Request
	model := asked(func(r llm.Request) (llm.Message, error) {
		if strings.Contains(bySystem(r), "heron") && !strings.Contains(bySystem(r), "You read.") {
			parents = append(parents, r)
			switch len(parents) {
			case 1:
				return saying("I send two.", call("a1", "ask_reader", `{"task": "Read the file in/x and say what it holds.", "files": ["in/x", "../secret"]}`), call("a2", "ask_reader", `{"task": "Tell long."}`))
			case 2:
				return saying("And one more.", call("a3", "ask_reader", `{"task": "Say more.", "depends_on": ["a1"]}`))
			}
			return saying("All reported.")
		}
		children = append(children, r)
		switch last := r.Messages[len(r.Messages)-1]; {
		case strings.Contains(bySystem(r), "Read the file") && last.Result == nil:
			return saying("I keep the word badger to myself.", call("j", "journal", `{}`))
		case strings.Contains(bySystem(r), "Tell long."):
			return saying(`{"status": "success", "summary": "` + long + `"}`)
		case strings.Contains(bySystem(r), "Say more.") && !strings.Contains(last.Text, "cannot be used"):
			return saying("I found it, here is what I think about it.")
		}
		return saying("```json\n" + `{"status": "success", "summary": "It holds an otter.", "files_modified": ["in/x"]}` + "\n```")
	})
	var mu = make(chan struct{}, 1)
	serial := asked(func(r llm.Request) (llm.Message, error) {
		mu <- struct{}{}
		defer func() { <-mu }()
		return model(r)
	})
	a, err := agent.New(agent.Options{Definition: lead(t), Model: serial, Runs: t.TempDir(), Work: folder(t, map[string]string{"in/x": "otter"})})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(t.Context(), agent.Task{Text: "Find out. The secret of the task is walrus."})
	if err != nil || out.Reason != agent.Answered {
		t.Fatalf("Run = %+v, %v", out, err)
	}
	for _, r := range children {
		raw, _ := json.Marshal(r)
		if strings.Contains(string(raw), "heron") || strings.Contains(string(raw), "I send two") || strings.Contains(string(raw), "secret\"") {
			t.Errorf("a sub-agent sees its parent's conversation: %s", raw)
		}
	}
	raw, _ := json.Marshal(parents[len(parents)-1].Messages)
	if strings.Contains(string(raw), "badger") || !strings.Contains(string(raw), "otter") {
		t.Errorf("the parent sees: %s", raw)
	}
	last, _ := json.Marshal(children[len(children)-1])
	if !strings.Contains(string(last), "It holds an otter.") {
		t.Errorf("a sub-agent that depends on another does not get its summary: %s", last)
	}
	v := viewOf(t, out.Dir)
	got := results(t, v)
	var rep struct {
		ID string `json:"agent_id"`
		window.Report
	}
	if err := json.Unmarshal([]byte(got["a2"].Output), &rep); err != nil || rep.ID != "a2" || rep.FullOutput != "tasks/a2/agent_ask_reader_full_output.json" || len(rep.Summary) > 2000 {
		t.Errorf("the long report: %+v, %v", rep, err)
	}
	if data, err := os.ReadFile(filepath.Join(out.Dir, filepath.FromSlash(rep.FullOutput))); err != nil || !strings.Contains(string(data), long) {
		t.Errorf("the full output is not kept: %v", err)
	}
	if n := len(v.ByType(journal.Report)); n != 3 {
		t.Errorf("%d reports in the journal, want 3", n)
	}
	child := viewOf(t, filepath.Join(out.Dir, "io", "sub_agents", "a1"))
	if r := results(t, child)["j"]; !strings.HasPrefix(r.Output, "true\n{\"seq\":1") {
		t.Errorf("the parent's journal cannot be read by a sub-agent's tool: %+v", r)
	}
	if out.Status.Iterations != 2 {
		t.Errorf("the parent counts %d iterations, want 2", out.Status.Iterations)
	}
}

// A sub-agent that fails is told as a failure, and the others are not stopped.
func TestASubAgentThatFails(t *testing.T) {
	n := 0
	model := asked(func(r llm.Request) (llm.Message, error) {
		if strings.Contains(bySystem(r), "You read.") {
			return llm.Message{}, &llm.Failure{Why: "down", Err: llm.ErrUnavailable, Settled: true}
		}
		if n++; n == 1 {
			return saying("", call("a1", "ask_reader", `{"task": "Read."}`), call("a2", "ask_reader", `{}`))
		}
		return saying("It failed.")
	})
	a, err := agent.New(agent.Options{Definition: lead(t), Model: model, Runs: t.TempDir(), Work: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(t.Context(), agent.Task{Text: "Go."})
	if err != nil || out.Reason != agent.Answered {
		t.Fatalf("Run = %+v, %v", out, err)
	}
	got := results(t, viewOf(t, out.Dir))
	if !strings.Contains(got["a1"].Output, `"status":"failed"`) || !got["a2"].Error || !strings.Contains(got["a2"].Output, "needs a task") {
		t.Errorf("results: %+v", got)
	}
}

// A summariser is called as a tool. Where its model fails, everything in the summary
// comes from the journal; the same range is not summed up twice.
func TestASummariserIsATool(t *testing.T) {
	for name, broken := range map[string]bool{"a model writes": false, "the model fails": true} {
		t.Run(name, func(t *testing.T) {
			n, wrote := 0, 0
			model := asked(func(r llm.Request) (llm.Message, error) {
				if strings.Contains(bySystem(r), "read_journal") {
					wrote++
					last := r.Messages[len(r.Messages)-1]
					switch {
					case broken:
						return saying("I would rather not.")
					case last.Result == nil:
						return saying("", call("r", "read_journal", `{"start": 1, "end": 2}`))
					case !strings.Contains(last.Result.Text, "Mend cart.go"):
						t.Errorf("the summariser reads %q", last.Result.Text)
					}
					return saying(`{"title": "The cart was mended", "content": "The assistant looked at cart.go.", "outcome": "It works."}`)
				}
				switch n++; n {
				case 1:
					return saying("I look.", call("", "look", `{}`))
				case 2, 3:
					return saying("I sum up.", call("", "sum_up", `{"task": "iterations:1-2"}`))
				}
				return saying("Done.")
			})
			a, err := agent.New(agent.Options{Definition: lead(t), Model: model, Runs: t.TempDir(), Work: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			out, err := a.Run(t.Context(), agent.Task{Text: "Mend cart.go."})
			if err != nil || out.Reason != agent.Answered {
				t.Fatalf("Run = %+v, %v", out, err)
			}
			var texts []string
			for _, r := range results(t, viewOf(t, out.Dir)) {
				if r.Tool != "sum_up" {
					continue
				}
				texts = append(texts, r.Output)
				if r.Error || !strings.Contains(r.Output, `"type":"context_injection"`) || !strings.Contains(r.Output, "Mend cart.go.") {
					t.Errorf("the summary: %+v", r)
				}
				if strings.Contains(r.Output, "The cart was mended") == broken {
					t.Errorf("broken %v: %s", broken, r.Output)
				}
			}
			slices.Sort(texts)
			if len(slices.Compact(texts)) != 1 {
				t.Errorf("the same range gives other summaries: %v", texts)
			}
			if want := 2; !broken && wrote != want {
				t.Errorf("the model was asked %d times for summaries, want %d", wrote, want)
			}
		})
	}
}

// A server that means harm takes its own tools away and nothing else.
func TestMCPServersThatMeanHarm(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	def := defined(t, `
name: harmed
tools:
  - {name: noise, type: mcp, command: [sh, -c, "yes garbage"], allow: [x]}
  - {name: gone, type: mcp, command: ["false"], allow: [x]}
  - {name: bad, type: mcp, command: [`+program+`], env: {SERVE_TEST_TOOLS: "yes"}, allow: [flood, die], max_output: 1000}
`)
	n := 0
	before := heap()
	model := asked(func(llm.Request) (llm.Message, error) {
		if n++; n == 1 {
			return saying("", call("f", "bad_flood", `{}`), call("d", "bad_die", `{}`))
		}
		return saying("Done.")
	})
	a, err := agent.New(agent.Options{Definition: def, Model: model, Runs: t.TempDir(), Work: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(t.Context(), agent.Task{Text: "Go."})
	if err != nil || out.Reason != agent.Answered {
		t.Fatalf("Run = %+v, %v", out, err)
	}
	if grown := heap() - before; grown > 60<<20 {
		t.Errorf("it took %d bytes", grown)
	}
	for id, r := range results(t, viewOf(t, out.Dir)) {
		if !r.Error || len(r.Output) > 2000 {
			t.Errorf("%s: %d bytes, error %v: %.200s", id, len(r.Output), r.Error, r.Output)
		}
	}
}

// TestMCPToolsAreCalledByName has the tools of a real server that the agent names,
// and no other. What the server starts ends with it.
func TestMCPToolsAreCalledByName(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	running := filepath.Join(t.TempDir(), "running")
	if err := os.WriteFile(running, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	late := filepath.Join(t.TempDir(), "late")
	def := defined(t, `
name: rememberer
tools:
  - name: memory
    type: mcp
    command: [sh, -c, '(while [ -e "$0" ]; do sleep 0.1; done; touch "$1") & exec "$2"', `+running+`, `+late+`, `+program+`]
    env: {SERVE_TEST_TOOLS: "yes"}
    allow: [memory_add, memory_search]
  - {name: gone, type: mcp, command: [`+program+`], env: {SERVE_TEST_TOOLS: "yes"}, allow: [no_such_tool]}
  - {name: none, type: mcp, command: [/nowhere/server], allow: [x]}
`)
	n := 0
	var notices []string
	var specs []string
	model := asked(func(r llm.Request) (llm.Message, error) {
		if n++; n == 1 {
			for _, s := range r.Tools {
				specs = append(specs, s.Name)
			}
			return saying("", call("m1", "memory_memory_add", `{"text": "The tea is green on Mondays."}`), call("m2", "memory_memory_delete", `{}`))
		}
		return saying("Done.")
	})
	a, err := agent.New(agent.Options{Definition: def, Model: model, Runs: t.TempDir(), Work: t.TempDir(), Observe: func(e agent.Event) {
		if e.Kind == agent.EventNotice {
			notices = append(notices, e.Text)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(t.Context(), agent.Task{Text: "Remember it."})
	if err != nil || out.Reason != agent.Answered {
		t.Fatalf("Run = %+v, %v", out, err)
	}
	if want := []string{"memory_memory_add", "memory_memory_search", "show_history"}; !slices.Equal(slices.Sorted(slices.Values(specs)), want) {
		t.Errorf("the tools are %v, want %v", specs, want)
	}
	got := results(t, viewOf(t, out.Dir))
	if r := got["m1"]; r.Error || !strings.Contains(r.Output, "green on Mondays") {
		t.Errorf("memory_add: %+v", r)
	}
	if r := got["m2"]; !r.Error {
		t.Errorf("a tool that is not allowed was called: %+v", r)
	}
	if err := os.Remove(running); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	if _, err := os.Stat(late); err == nil {
		t.Error("what a server started has outlived it")
	}
	if len(notices) != 2 {
		t.Errorf("servers that are not there: %q", notices)
	}
}
