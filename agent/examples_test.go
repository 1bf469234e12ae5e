package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"orihon/agent"
	"orihon/journal"
	"orihon/llm"
	"orihon/llm/llmtest"
)

// example runs one of the agents in examples/ against a scripted server.
func example(t *testing.T, name, wire, work string, script func(n int, body string) llmtest.Reply) agent.Outcome {
	t.Helper()
	def, err := agent.Read(filepath.Join("..", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	s := llmtest.Serve(func(n int, a llmtest.Asked) llmtest.Reply {
		mu.Lock()
		defer mu.Unlock()
		return script(n, string(a.Body))
	})
	t.Cleanup(s.Close)
	a, err := agent.New(agent.Options{Definition: def, Model: modelOf(t, wire, s.URL), Runs: t.TempDir(), Work: work})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(t.Context(), agent.Task{Text: "Do what you are there for."})
	if err != nil || out.Reason != agent.Answered {
		t.Fatalf("Run = %+v, %v", out, err)
	}
	return out
}

// The coder finds out why a test fails, mends the code with its commands, and sees
// the test pass.
func TestTheCoderMendsATest(t *testing.T) {
	for wire := range wires {
		t.Run(wire, func(t *testing.T) {
			work := t.TempDir()
			if err := os.CopyFS(work, os.DirFS(filepath.Join("..", "examples", "coder", "sample"))); err != nil {
				t.Fatal(err)
			}
			const loop = `\tfor i := range out {\n\t\tout[i] = cents / people\n\t}`
			replies := []llmtest.Reply{
				{Calls: []llm.Call{call("l", "list", `{}`), call("t", "run", `{"line": "go test ./..."}`)}},
				{Calls: []llm.Call{call("r", "read", `{"path": "split.go"}`), call("s", "search", `{"pattern": "func .*Split", "path": "."}`)}},
				{Calls: []llm.Call{call("e0", "edit", `{"path": "split.go", "old": "nothing of it", "new": "x"}`), call("e1", "edit", `{"path": "split.go", "old": "out", "new": "x"}`)}},
				{Calls: []llm.Call{call("e2", "edit", `{"path": "split.go", "old": "`+loop+`", "new": "\tfor i := range out {\n\t\tout[i] = cents / people\n\t\tif i < cents%people {\n\t\t\tout[i]++\n\t\t}\n\t}"}`)}},
				{Calls: []llm.Call{call("w", "write", `{"path": "notes/done.md", "content": "it's \"done\" & $(true)\n"}`)}},
				{Calls: []llm.Call{call("t2", "run", `{"line": "go test ./..."}`)}},
				{Text: "The first ones pay the cents that are left. The tests pass."},
			}
			out := example(t, "coder", wire, work, func(n int, _ string) llmtest.Reply { return replies[min(n, len(replies)-1)] })
			got := results(t, viewOf(t, out.Dir))
			for id, want := range map[string]string{
				"l": "split_test.go", "t": "[34 33 33]", "r": "Package sample splits bills.", "s": "./split.go:6:func Split",
				"e0": "does not stand in the file", "e1": "more than once", "e2": "replaced in split.go", "t2": "ok",
			} {
				if !strings.Contains(got[id].Output, want) {
					t.Errorf("%s: %q, want %q in it", id, got[id].Output, want)
				}
				if failed := id == "t" || id == "e0" || id == "e1"; got[id].Error != failed {
					t.Errorf("%s: error %v, want %v", id, got[id].Error, failed)
				}
			}
			if data, _ := os.ReadFile(filepath.Join(work, "notes", "done.md")); string(data) != "it's \"done\" & $(true)\n" {
				t.Errorf("what was written: %q", data)
			}
		})
	}
}

func TestTheResearcherGetsReports(t *testing.T) {
	work := folder(t, map[string]string{"tea.md": "# Tea\nGreen tea is brewed at 70 degrees.\n", "other.md": "nothing\n"})
	asked := 0
	out := example(t, "researcher", "completions", work, func(_ int, body string) llmtest.Reply {
		if strings.Contains(body, "You read the files you are given") {
			if !strings.Contains(body, "70 degrees") {
				return llmtest.Reply{Calls: []llm.Call{call("r", "read", `{"path": "tea.md"}`)}}
			}
			return llmtest.Reply{Text: `{"status": "success", "summary": "tea.md:2 says 70 degrees."}`}
		}
		switch asked++; asked {
		case 1:
			return llmtest.Reply{Calls: []llm.Call{call("s", "search", `{"pattern": "[Tt]ea"}`)}}
		case 2:
			return llmtest.Reply{Calls: []llm.Call{call("a", "ask_reader", `{"task": "How hot is the water?", "files": ["tea.md"]}`)}}
		}
		return llmtest.Reply{Text: "70 degrees (tea.md:2)."}
	})
	got := results(t, viewOf(t, out.Dir))
	if r := got["s"]; strings.TrimSpace(r.Output) != "./tea.md" {
		t.Errorf("search: %+v", r)
	}
	if r := got["a"]; r.Error || !strings.Contains(r.Output, "tea.md:2 says 70 degrees.") {
		t.Errorf("the reader: %+v", r)
	}
}

func TestTheLongTaskCallsItsSummariser(t *testing.T) {
	asked := 0
	out := example(t, "long-task", "messages", t.TempDir(), func(_ int, body string) llmtest.Reply {
		if strings.Contains(body, "You sum up a part of the journal") {
			if !strings.Contains(body, "tool_result") {
				return llmtest.Reply{Calls: []llm.Call{call("r", "read_journal", `{"start": 2, "end": 4}`)}}
			}
			return llmtest.Reply{Text: `{"title": "Three lines were printed", "content": "The agent printed line 1 to line 3."}`}
		}
		switch asked++; {
		case asked <= 4:
			return llmtest.Reply{Text: "Next.", Calls: []llm.Call{call("c"+string(rune('0'+asked)), "run", `{"line": "echo line `+string(rune('0'+asked))+`"}`)}}
		case asked == 5:
			return llmtest.Reply{Calls: []llm.Call{call("sum", "sum_up", `{"task": "iterations:2-4"}`)}}
		}
		return llmtest.Reply{Text: "All lines are printed."}
	})
	v := viewOf(t, out.Dir)
	if r := results(t, v)["sum"]; r.Error || !strings.Contains(r.Output, "Three lines were printed") || !strings.Contains(r.Output, `"range":[2,4]`) {
		t.Errorf("the summary: %+v", r)
	}
	if _, err := os.Stat(filepath.Join(out.Dir, "summaries", "iter_2_4.json")); err != nil {
		t.Errorf("it is not kept: %v", err)
	}
	if n := len(v.ByType(journal.ActionResult)); n != 5 {
		t.Errorf("%d results, want 5", n)
	}
}
