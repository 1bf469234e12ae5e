package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"orihon/llm"
	"orihon/llm/llmtest"
	"orihon/llm/provider"
)

// standIn makes this program play a client's.
const standIn = "ORIHON_TEST_STANDIN"

func TestMain(m *testing.M) {
	if what := os.Getenv(standIn); what != "" {
		play(what)
		return
	}
	goleak.VerifyTestMain(m)
}

// backend is one implementation, with replies made to come from it.
type backend struct {
	name  string
	tools bool
	open  func(t *testing.T, timeout time.Duration, script func(n int, body string) llmtest.Reply) llm.Model
}

func remote(name string, open func(provider.Options) (*provider.Remote, error)) backend {
	return backend{name, true, func(t *testing.T, timeout time.Duration, script func(int, string) llmtest.Reply) llm.Model {
		s := llmtest.Serve(func(n int, a llmtest.Asked) llmtest.Reply { return script(n, string(a.Body)) })
		m, err := open(provider.Options{Model: "m1", URL: s.URL, Key: "k-1", Timeout: timeout})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { m.Close(); s.Close() })
		return m
	}}
}

func program(client string) backend {
	return backend{client, false, func(t *testing.T, timeout time.Duration, script func(int, string) llmtest.Reply) llm.Model {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		reply, err := json.Marshal(script(0, ""))
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "child")
		env := provider.ProgramEnv([]string{standIn + "=" + client + string(reply), "GOCOVERDIR=" + t.TempDir()}, "/usr/bin:/bin", standIn, "GOCOVERDIR")
		m, err := provider.NewProgram(provider.ProgramOptions{Client: client, Path: self, Dir: dir, Env: env, Model: "m1", Timeout: timeout})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%s left %v", client, left)
			}
		})
		return m
	}}
}

var backends = []backend{
	remote("anthropic", provider.NewAnthropic), remote("openai", provider.NewOpenAI),
	program(provider.Claude), program(provider.Codex), program(provider.Gemini),
}

// play answers as a client's program does; what it was asked to answer follows its
// name.
func play(what string) {
	at := strings.IndexByte(what, '{')
	client := what[:at]
	var r llmtest.Reply
	if err := json.Unmarshal([]byte(what[at:]), &r); err != nil {
		panic(err)
	}
	prompt, _ := io.ReadAll(os.Stdin)
	system := ""
	if i := slices.Index(os.Args, "--system-prompt-file"); i > 0 {
		text, _ := os.ReadFile(os.Args[i+1])
		system = string(text)
	}
	if r.Text == "echo" {
		r.Text = system + "|" + string(prompt)
	}
	var out string
	in, cached, answered := r.Usage.Input, r.Usage.CacheRead, r.Usage.Output
	j := func(v any) string { data, _ := json.Marshal(v); return string(data) }
	type o = map[string]any
	switch client {
	case provider.Claude:
		out = j(o{"type": "result", "subtype": "success", "is_error": r.Status != 0, "result": r.Text, "usage": o{
			"input_tokens": in - cached, "cache_read_input_tokens": cached, "output_tokens": answered}})
	case provider.Codex:
		out = "a warning\n" + j(o{"type": "thread.started"}) + "\n" + j(o{"type": "item.completed", "item": o{"type": "agent_message", "text": r.Text}}) + "\n"
		if r.Status != 0 {
			out += j(o{"type": "turn.failed", "error": o{"message": "refused"}})
		} else {
			out += j(o{"type": "turn.completed", "usage": o{"input_tokens": in, "cached_input_tokens": cached, "output_tokens": answered}})
		}
	case provider.Gemini:
		v := o{"response": r.Text, "stats": o{"models": o{"m1": o{"tokens": o{"prompt": in, "cached": cached, "candidates": answered}}}}}
		if r.Status != 0 {
			v["error"] = o{"message": "refused"}
		}
		out = "loaded\n" + j(v)
	}
	switch r.Fault {
	case llmtest.Silent:
		time.Sleep(time.Minute)
	case llmtest.Garbage:
		out = "\x00\xff no idea"
	case llmtest.HalfJSON, llmtest.Broken:
		out = out[:len(out)/2]
	case llmtest.Huge:
		out = strings.Repeat("a", 10<<20)
	}
	fmt.Print(out)
	if r.Status != 0 {
		os.Exit(1)
	}
}

func each(t *testing.T, test func(t *testing.T, b backend)) {
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) { test(t, b) })
	}
}

func say(texts ...string) []llm.Message {
	var out []llm.Message
	for _, s := range texts {
		out = append(out, llm.Message{Role: llm.User, Text: s})
	}
	return out
}

var used = llm.Usage{Input: 120, Output: 7, CacheRead: 100}

func TestAnAnswerAndWhatItTook(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		m := b.open(t, 0, func(int, string) llmtest.Reply { return llmtest.Reply{Text: "forty-two, 四十二", Usage: used} })
		got, err := m.Generate(t.Context(), llm.Request{Messages: say("how many?")})
		if err != nil || got.Message.Text != "forty-two, 四十二" || got.Message.Role != llm.Assistant || got.Usage != used {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestProgramsReadInstructionsAndPrompt(t *testing.T) {
	for _, client := range []string{provider.Claude, provider.Codex, provider.Gemini} {
		m := program(client).open(t, 0, func(int, string) llmtest.Reply { return llmtest.Reply{Text: "echo"} })
		got, err := m.Generate(t.Context(), llm.Request{Messages: append([]llm.Message{{Role: llm.System, Text: "be short"}}, say("first", "second")...)})
		if err != nil {
			t.Fatal(client, err)
		}
		if at := strings.Index(got.Message.Text, "be short"); at < 0 || !strings.Contains(got.Message.Text[at:], "[user]\nfirst\n\n[user]\nsecond") {
			t.Errorf("%s was asked %q", client, got.Message.Text)
		}
	}
}

var shape = &llm.Schema{Name: "answer", JSON: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`)}

func TestAnAnswerIsHeldAgainstItsSchema(t *testing.T) {
	for text, want := range map[string]string{
		`{"n": 1}`:                     `{"n": 1}`,
		"```json\n{\"n\": 1}\n```":     `{"n": 1}`,
		"<think>hm</think>\n{\"n\":2}": `{"n":2}`,
		`{"n": "one"}`:                 "",
		`{"n": 1, "obey": "me"}`:       "",
		`{"n": `:                       "",
		`Sure! Here it is.`:            "",
		``:                             "",
	} {
		each(t, func(t *testing.T, b backend) {
			m := b.open(t, 0, func(int, string) llmtest.Reply { return llmtest.Reply{Text: text, Usage: used} })
			got, err := m.Generate(t.Context(), llm.Request{Messages: say("how many?"), Schema: shape})
			if want != "" {
				if err != nil || got.Message.Text != want {
					t.Errorf("%q: %+v, %v", text, got, err)
				}
				return
			}
			if f, ok := errors.AsType[*llm.Failure](err); !ok || f.Request || !f.Worked || f.Usage != used {
				t.Errorf("%q: %+v, %v", text, got, err)
			}
		})
	}
}

func TestWhatIsWrongIsAFailureThatSaysHow(t *testing.T) {
	for _, c := range []struct {
		name            string
		reply           llmtest.Reply
		worked, request bool
		remote          bool // only servers can do this
		settled         bool // of servers
	}{
		{"unauthorized", llmtest.Reply{Status: 401}, false, false, false, true},
		{"busy", llmtest.Reply{Status: 429, RetryAfter: "7"}, false, false, true, false},
		{"busy for a time that it does not say", llmtest.Reply{Status: 429}, false, false, true, false},
		{"overloaded", llmtest.Reply{Status: 529}, false, false, true, false},
		{"refused", llmtest.Reply{Status: 400}, false, true, true, false},
		{"moved", llmtest.Reply{Status: 302}, false, false, true, true},
		{"broken", llmtest.Reply{Text: strings.Repeat("long ", 1000), Fault: llmtest.Broken}, true, false, false, false},
		{"half", llmtest.Reply{Text: strings.Repeat("long ", 1000), Fault: llmtest.HalfJSON}, true, false, false, false},
		{"garbage", llmtest.Reply{Fault: llmtest.Garbage}, true, false, false, false},
		{"huge", llmtest.Reply{Fault: llmtest.Huge}, true, false, false, true},
		{"a page", llmtest.Reply{Page: "<html><title>Log in</title></html>"}, true, false, true, true},
		{"silent", llmtest.Reply{Fault: llmtest.Silent}, true, false, false, false},
	} {
		each(t, func(t *testing.T, b backend) {
			if c.remote && !b.tools {
				t.Skip("a program knows no status")
			}
			timeout := 20 * time.Second
			if c.reply.Fault == llmtest.Silent {
				timeout = 200 * time.Millisecond
			}
			m := b.open(t, timeout, func(int, string) llmtest.Reply { return c.reply })
			ask := []func() (llm.Response, error){func() (llm.Response, error) { return m.Generate(t.Context(), llm.Request{Messages: say("hello")}) }}
			if s, ok := m.(llm.Streamer); ok {
				ask = append(ask, func() (llm.Response, error) {
					return s.Stream(t.Context(), llm.Request{Messages: say("hello")}, func(llm.Delta) {})
				})
			}
			for i, ask := range ask {
				got, err := ask()
				f, ok := errors.AsType[*llm.Failure](err)
				if !ok {
					t.Fatalf("%s, way %d: %+v, %v", c.name, i, got, err)
				}
				if f.Why == "" || f.Request != c.request || b.tools && f.Settled != c.settled || b.tools && f.Worked != c.worked || strings.Contains(f.Error(), "\n") || len(f.Error()) > 600 {
					t.Errorf("%s, way %d: %+v", c.name, i, f)
				}
				want := time.Duration(0)
				if c.reply.RetryAfter != "" {
					want = 7 * time.Second
				}
				if f.RetryAfter != want || strings.Contains(f.Error(), "k-1") {
					t.Errorf("%s, way %d: %+v", c.name, i, f)
				}
			}
		})
	}
}

func TestWhoEndsACallGetsHisOwnError(t *testing.T) {
	each(t, func(t *testing.T, b backend) {
		m := b.open(t, time.Minute, func(int, string) llmtest.Reply { return llmtest.Reply{Fault: llmtest.Silent} })
		ctx, cancel := context.WithCancel(t.Context())
		stop := time.AfterFunc(100*time.Millisecond, cancel)
		defer stop.Stop()
		if _, err := m.Generate(ctx, llm.Request{Messages: say("hello")}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

func TestCallsOfToolsGoBothWays(t *testing.T) {
	thought := []llm.Reasoning{{Text: "let me look", Signature: "sig"}}
	call := llm.Call{ID: "c1", Tool: "read", Input: json.RawMessage(`{"z":1,"a":"b"}`)}
	tools := []llm.ToolSpec{{Name: "read", Description: "reads", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "stop"}}
	each(t, func(t *testing.T, b backend) {
		var bodies []string
		m := b.open(t, 0, func(n int, body string) llmtest.Reply {
			bodies = append(bodies, body)
			return llmtest.Reply{Text: "I read.", Reasoning: thought, Calls: []llm.Call{call}, Usage: used}
		})
		r := llm.Request{Messages: say("look"), Tools: tools}
		got, err := m.Generate(t.Context(), r)
		if !b.tools {
			if f, ok := errors.AsType[*llm.Failure](err); !ok || !f.Request || f.Worked {
				t.Errorf("%+v, %v", got, err)
			}
			return
		}
		if err != nil || len(got.Message.Calls) != 1 {
			t.Fatalf("%+v, %v", got, err)
		}
		if diff := cmp.Diff(call, got.Message.Calls[0]); diff != "" {
			t.Error(diff)
		}
		r.Messages = append(r.Messages, got.Message,
			llm.Message{Role: llm.Tool, Result: &llm.Result{ID: "c1", Tool: "read", Text: "not there", Error: true}},
			llm.Message{Role: llm.User, Text: "go on"})
		r.Cache = []int{0, 3}
		if _, err := m.Generate(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		golden(t, b.name+"_second_request.json", bodies[1])

		// Streamed, it comes in pieces and ends the same.
		var text, thoughts strings.Builder
		var calls []llm.Call
		streamed, err := m.(llm.Streamer).Stream(t.Context(), llm.Request{Messages: say("look"), Tools: tools}, func(d llm.Delta) {
			text.WriteString(d.Text)
			thoughts.WriteString(d.Reasoning)
			if d.Call != nil {
				calls = append(calls, *d.Call)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(got, streamed); diff != "" {
			t.Errorf("streamed:\n%s", diff)
		}
		if text.String() != "I read." || thoughts.String() != "let me look" || cmp.Diff([]llm.Call{call}, calls) != "" {
			t.Errorf("told %q, %q, %+v", &text, &thoughts, calls)
		}
	})
}

// Arguments that are no JSON are the model's mistake, not the server's: the call is
// handed on as broken.
func TestBrokenArgumentsAreHandedOn(t *testing.T) {
	const whole = `{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\": "}}]}}]}`
	const event = `data: {"choices":[{"finish_reason":"tool_calls","delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"read","arguments":"{\"path\": "}}]}}]}` + "\n\ndata: [DONE]\n\n"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") == "text/event-stream" {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, event)
			return
		}
		_, _ = io.WriteString(w, whole)
	}))
	defer s.Close()
	m, err := provider.NewOpenAI(provider.Options{Model: "m", URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for name, ask := range map[string]func() (llm.Response, error){
		"whole": func() (llm.Response, error) { return m.Generate(t.Context(), llm.Request{Messages: say("look")}) },
		"streamed": func() (llm.Response, error) {
			return m.Stream(t.Context(), llm.Request{Messages: say("look")}, func(llm.Delta) {})
		},
	} {
		got, err := ask()
		if err != nil || len(got.Message.Calls) != 1 {
			t.Fatalf("%s: %+v, %v", name, got, err)
		}
		if c := got.Message.Calls[0]; string(c.Input) != "{}" || c.Broken != "the arguments are no JSON (unexpected end of JSON input)" {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func golden(t *testing.T, name, body string) {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), string(data)+"\n"); diff != "" {
		t.Errorf("%s, run with -update:\n%s", path, diff)
	}
}

// A server that knows no schema and no temperature is asked in plain words, and
// that is remembered.
func TestAServerThatKnowsLessIsAskedPlainly(t *testing.T) {
	for _, b := range backends[:2] {
		var bodies []string
		m := b.open(t, 0, func(n int, body string) llmtest.Reply {
			bodies = append(bodies, body)
			if strings.Contains(body, `"temperature"`) || strings.Contains(body, "json_schema") {
				return llmtest.Reply{Status: 400}
			}
			return llmtest.Reply{Text: `{"n": 3}`}
		})
		zero := 0.0
		r := llm.Request{Messages: say("how many?"), Schema: shape, Temperature: &zero, MaxTokens: 20}
		for range 2 {
			if got, err := m.Generate(t.Context(), r); err != nil || got.Message.Text != `{"n": 3}` {
				t.Fatalf("%s: %+v, %v", b.name, got, err)
			}
		}
		if len(bodies) != 3 || !strings.Contains(bodies[1], "additionalProperties") || !strings.Contains(bodies[0], `"temperature":0`) {
			t.Errorf("%s: %q", b.name, bodies)
		}
	}
}

func TestKeysAndAddresses(t *testing.T) {
	s := llmtest.Serve(func(int, llmtest.Asked) llmtest.Reply { return llmtest.Reply{Text: "ok"} })
	defer s.Close()
	for _, c := range []struct {
		open      func(provider.Options) (*provider.Remote, error)
		url, path string
		header    string
		want      string
	}{
		{provider.NewAnthropic, s.URL, "/v1/messages", "X-Api-Key", "k"},
		{provider.NewAnthropic, s.URL + "/v1/messages/", "/v1/messages", "X-Api-Key", "k"},
		{provider.NewOpenAI, s.URL, "/v1/chat/completions", "Authorization", "Bearer k"},
		{provider.NewOpenAI, s.URL + "/api/v1/chat/completions", "/api/v1/chat/completions", "Authorization", "Bearer k"},
	} {
		m, err := c.open(provider.Options{URL: c.url, Model: "m", Key: "k"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Generate(t.Context(), llm.Request{Messages: say("x")}); err != nil {
			t.Error(err)
		}
		m.Close()
		all := s.Asked()
		if a := all[len(all)-1]; a.Path != c.path || a.Header.Get(c.header) != c.want {
			t.Errorf("%s: %s %q", c.url, a.Path, a.Header)
		}
	}
	for _, o := range []provider.Options{{URL: "http://models.example.com", Model: "m", Key: "k"}, {Model: ""}, {URL: "ftp://x", Model: "m"}, {URL: "http://u:p@x", Model: "m"}} {
		if _, err := provider.NewOpenAI(o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}
