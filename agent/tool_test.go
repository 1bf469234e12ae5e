package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"orihon/agent"
	"orihon/llm"
	"orihon/llm/llmtest"
)

// played runs an agent whose model makes these calls at once and then answers, and
// returns what the tools told it.
func played(t *testing.T, def *agent.Definition, work string, calls ...llm.Call) map[string]string {
	t.Helper()
	said := false
	m := &llmtest.Script{Answer: func(llm.Request) (llm.Message, error) {
		if said {
			return llm.Message{Role: llm.Assistant, Text: "Done."}, nil
		}
		said = true
		return llm.Message{Role: llm.Assistant, Calls: calls}, nil
	}}
	a, err := agent.New(agent.Options{Definition: def, Model: m, Runs: t.TempDir(), Work: work})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(t.Context(), agent.Task{Text: "Go."})
	if err != nil || out.Reason != agent.Answered {
		t.Fatalf("Run = %+v, %v", out, err)
	}
	told := map[string]string{}
	for id, r := range results(t, viewOf(t, out.Dir)) {
		told[id] = r.Output
		if r.Error {
			told[id] = "ERROR " + r.Output
		}
	}
	return told
}

// Whatever a model gives as a value reaches the program as that value, and nothing
// of it is read by a shell, as an option or as another word.
func TestParametersReachTheProgramAsTheyAre(t *testing.T) {
	def := defined(t, `
name: echoer
tools:
  - name: words
    command: [sh, -c, 'for a in "$@"; do printf "<%s>" "$a"; done', --]
    parameters:
      - {name: one}
      - {name: many, type: list}
      - {name: flag, type: boolean, inject_as: option}
      - {name: count, type: integer, inject_as: option}
      - {name: size, type: number, inject_as: option, option: -s}
      - {name: kind, enum: [a, b], default: b}
  - name: input
    command: [cat]
    parameters: [{name: text, inject_as: stdin}]
  - name: variable
    command: [sh, -c, 'printf %s "$WORD"']
    parameters: [{name: word, inject_as: env}]
  - name: script
    shell: true
    command: ['printf "<%s>" "$1"']
    parameters: [{name: text, allow_dash: true}]
  - name: bare
    command: [printf, "%s"]
    parameters: [{name: text}]
`)
	mean := "it's \"q\" $(id) `id` ; rm -rf / \n\\ *"
	quoted, _ := json.Marshal(mean)
	told := played(t, def, t.TempDir(),
		call("words", "words", fmt.Sprintf(`{"one": %s, "many": ["-rf", ""], "flag": true, "count": -3, "size": 1.50, "kind": "a"}`, quoted)),
		call("default", "words", `{"flag": false}`),
		call("stdin", "input", `{"text": "a\u0000b"}`),
		call("env", "variable", fmt.Sprintf(`{"word": %s}`, quoted)),
		call("shell", "script", fmt.Sprintf(`{"text": %s}`, quoted)),
		call("dash", "bare", `{"text": "-v"}`),
		call("nul", "bare", `{"text": "a\u0000b"}`),
		call("other", "bare", `{"text": "a", "more": 1}`),
		call("type", "words", `{"count": "many"}`),
		call("half", "words", `{"count": 1.5}`),
		call("enum", "words", `{"kind": "c"}`),
		call("list", "words", `[1]`),
		call("long", "bare", `{"text": "`+strings.Repeat("x", 200_000)+`"}`),
	)
	for id, want := range map[string]string{
		"words":   "<" + mean + "><-rf><><--flag><--count=-3><-s><1.50><a>",
		"default": "<b>",
		"stdin":   "a\ufffdb",
		"env":     mean,
		"shell":   "<" + mean + ">",
		"dash":    "begins with a dash",
		"nul":     "holds a NUL byte",
		"other":   `has no parameter "more"`,
		"type":    "count must be a whole number",
		"half":    "count must be a whole number",
		"enum":    "kind must be one of a, b",
		"list":    "it must be a JSON object",
		"long":    "at most 102400 go here",
	} {
		if got := told[id]; got != want && !(strings.HasPrefix(got, "ERROR ") && strings.Contains(got, want)) {
			t.Errorf("%s: got %.200q, want %q", id, got, want)
		}
	}
}

func TestPathsStayInTheWorkingDirectory(t *testing.T) {
	def := defined(t, `
name: reader
tools:
  - name: read
    command: [cat]
    parameters: [{name: path, type: path, required: true}]
`)
	outside := folder(t, map[string]string{"secret": "outside"})
	work := folder(t, map[string]string{"in/a": "inside", "-n": "dash"})
	for name, to := range map[string]string{"link": filepath.Join(outside, "secret"), "dir": outside, "back": "in/a", "nothing": filepath.Join(outside, "none")} {
		if err := os.Symlink(to, filepath.Join(work, name)); err != nil {
			t.Fatal(err)
		}
	}
	told := played(t, def, work,
		call("in", "read", `{"path": "in/a"}`), call("absolute", "read", fmt.Sprintf(`{"path": %q}`, filepath.Join(work, "in", "a"))),
		call("back", "read", `{"path": "back"}`), call("dash", "read", `{"path": "-n"}`),
		call("up", "read", `{"path": "../secret"}`), call("root", "read", `{"path": "/etc/passwd"}`), call("link", "read", `{"path": "link"}`),
		call("through", "read", `{"path": "dir/secret"}`), call("dangling", "read", `{"path": "nothing"}`), call("up2", "read", `{"path": "in/../../x"}`),
		call("missing", "read", `{"path": "in/none"}`),
	)
	for id, want := range map[string]string{"in": "inside", "absolute": "inside", "back": "inside", "dash": "dash"} {
		if told[id] != want {
			t.Errorf("%s: got %q, want %q", id, told[id], want)
		}
	}
	for _, id := range []string{"up", "root", "link", "through", "dangling", "up2"} {
		if !strings.Contains(told[id], "leads out of the working directory") {
			t.Errorf("%s: got %q", id, told[id])
		}
	}
	if !strings.Contains(told["missing"], "No such file") {
		t.Errorf("missing: got %q", told["missing"])
	}
}

// A program that writes without end, that does not listen, or that leaves children
// behind, is stopped with all it started, and the run goes on.
func TestProgramsThatMeanHarmAreContained(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: programs of a shell")
	}
	def := defined(t, `
name: harm
tools:
  - {name: flood, command: [sh, -c, 'yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | head -c 1000000000'], max_output: 10000}
  - {name: deaf, command: [sh, -c, 'trap "" TERM INT HUP; echo deaf; while :; do sleep 1; done'], timeout: 300ms}
  - {name: fork, command: [sh, -c, '(sleep 3; echo late > late) & echo parent']}
  - {name: holder, command: [sh, -c, '(trap "" HUP; sleep 30) & exit 0']}
  - {name: noise, command: [sh, -c, 'printf "a\000\377b"; echo wrong >&2; exit 3']}
  - {name: env, command: [env], env: {GREETING: hello}, pass_env: [PASSED]}
`)
	work := t.TempDir()
	t.Setenv("OPENAI_API_KEY", "sk-should-not-be-there")
	t.Setenv("PASSED", "on purpose")
	before := heap()
	begun := time.Now()
	told := played(t, def, work, call("flood", "flood", `{}`), call("deaf", "deaf", `{}`), call("fork", "fork", `{}`), call("holder", "holder", `{}`), call("noise", "noise", `{}`), call("env", "env", `{}`))
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
	if grown := heap() - before; grown > 50<<20 {
		t.Errorf("the flood took %d bytes of memory", grown)
	}
	for id, want := range map[string]string{
		"flood": "it wrote more than 10000 bytes and was stopped", "deaf": "it was stopped after 300ms", "fork": "parent",
		"noise": "wrong\n[it ended with exit status 3]", "env": "GREETING=hello",
	} {
		if !strings.Contains(told[id], want) {
			t.Errorf("%s: got %.300q, want %q in it", id, told[id], want)
		}
	}
	if !strings.HasPrefix(told["deaf"], "ERROR deaf") || len(told["flood"]) > 11000 {
		t.Errorf("what they wrote is not shown: %.100q, %d bytes", told["deaf"], len(told["flood"]))
	}
	if strings.Contains(told["env"], "should-not-be-there") || !strings.Contains(told["env"], "PASSED=on purpose") {
		t.Errorf("the environment of a tool: %s", told["env"])
	}
	for _, name := range []string{"ORIHON_IDEMPOTENCY_KEY=", "ORIHON_CALL=env", "ORIHON_RUN=", "PARENT_JOURNAL_PATH="} {
		if !strings.Contains(told["env"], name) {
			t.Errorf("the environment of a tool has no %s", name)
		}
	}
	time.Sleep(3500*time.Millisecond - time.Since(begun))
	if _, err := os.Stat(filepath.Join(work, "late")); err == nil {
		t.Error("a child outlived its parent")
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A call whose arguments are no JSON is answered, not made; the model can try again.
func TestABrokenCallIsAnswered(t *testing.T) {
	n, made, seen := 0, 0, ""
	a, err := agent.New(agent.Options{
		Definition: defined(t, "name: looker"), Runs: t.TempDir(), Work: t.TempDir(),
		Model: asked(func(r llm.Request) (llm.Message, error) {
			switch n++; n {
			case 1:
				return saying("", llm.Call{ID: "c1", Tool: "look", Input: json.RawMessage(`{}`), Broken: "the arguments are no JSON (unexpected end of JSON input)"})
			case 2:
				seen = r.Messages[len(r.Messages)-1].Result.Text
				return saying("", call("c2", "look", `{"n": 1}`))
			}
			return saying("Done.")
		}),
		Tools: []agent.Tool{goTool{"look", func(json.RawMessage) string { made++; return "seen" }}},
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(t.Context(), agent.Task{Text: "Look."})
	if err != nil || out.Reason != agent.Answered || made != 1 || !strings.Contains(seen, "no JSON") {
		t.Errorf("Run = %+v, %v; %d calls were made; the model was told %q", out, err, made, seen)
	}
}
