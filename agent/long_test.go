package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"orihon/agent"
	"orihon/journal"
	"orihon/llm"
	"orihon/llm/llmtest"
	"orihon/window"
)

// theirs counts tokens as a provider would whose tokenizer is not ours: words cut
// every five letters, marks by themselves, a Chinese character for one and a fifth.
func theirs(text string) int {
	n, run := 0.0, 0
	for _, r := range text {
		switch {
		case r >= 0x2e80:
			n += 1.2
			run = 0
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
			if run%5 == 0 {
				n++
			}
			run++
		case r == ' ':
			run = 0
		default:
			n += 0.8
			run = 0
		}
	}
	return int(n)
}

// wireRequest is a request of the Messages API as a provider's server reads it.
type wireRequest struct {
	System   json.RawMessage   `json:"system"`
	Tools    json.RawMessage   `json:"tools"`
	Messages []json.RawMessage `json:"messages"`
}

// parts are what a prompt cache compares, in their order: every block by itself, its
// mark apart.
func (w *wireRequest) parts(t *testing.T) []string {
	out := []string{string(w.Tools), cacheMark.ReplaceAllString(string(w.System), "")}
	for _, m := range w.Messages {
		var msg struct {
			Role    string            `json:"role"`
			Content []json.RawMessage `json:"content"`
		}
		if err := json.Unmarshal(m, &msg); err != nil {
			t.Error(err)
		}
		for _, c := range msg.Content {
			out = append(out, msg.Role+cacheMark.ReplaceAllString(string(c), ""))
		}
	}
	return out
}

var cacheMark = regexp.MustCompile(`,"cache_control":\{[^}]*\}`)

// billing is a provider's server that counts what it gets and what of it stood in
// the request before.
type billing struct {
	t             *testing.T
	window        int
	mu            sync.Mutex
	before        []string
	input, cached int
	most, asked   int
	reply         func(last string) llmtest.Reply
}

func (b *billing) answer(_ int, a llmtest.Asked) llmtest.Reply {
	var w wireRequest
	if err := json.Unmarshal(a.Body, &w); err != nil {
		b.t.Error(err)
	}
	parts := w.parts(b.t)
	b.mu.Lock()
	defer b.mu.Unlock()
	total, same, alike := 0, 0, true
	for i, p := range parts {
		n := theirs(p)
		total += n
		if alike = alike && i < len(b.before) && b.before[i] == p; alike {
			same += n
		}
	}
	if b.asked++; b.asked > 1 {
		b.input += total
		b.cached += same
	}
	b.before, b.most = parts, max(b.most, total)
	if total > b.window {
		b.t.Errorf("request %d has %d tokens, the window %d", b.asked, total, b.window)
	}
	reply := b.reply(strings.Join(parts[max(0, len(parts)-60):], "\n"))
	reply.Usage = llm.Usage{Input: int64(total), CacheRead: int64(same), Output: int64(theirs(reply.Text) + 40*len(reply.Calls))}
	return reply
}

// goTool is a tool in Go.
type goTool struct {
	name string
	do   func(input json.RawMessage) string
}

func (g goTool) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: g.name, Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}
}

func (g goTool) Call(_ context.Context, c agent.Call) (string, error) { return g.do(c.Input), nil }

// planted is something that a long run learns early and is asked for at its end, in
// other words: testdata/facts.jsonl, by somebody who knew nothing of the code.
type planted struct {
	Fact     string
	Question string
	Answer   string // a part of Fact
	Lang     string
	Via      string // who told it: user, tool, assistant
}

func plantedFacts(t *testing.T) []planted {
	data, err := os.ReadFile("testdata/facts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []planted
	for line := range strings.Lines(string(data)) {
		var p planted
		if err := json.Unmarshal([]byte(line), &p); err != nil || !strings.Contains(p.Fact, p.Answer) {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, p)
	}
	return out
}

// work is what a step of a long run tells: words that overlap with what is asked
// for later, so that finding it is no matter of one rare word.
func work(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	var b strings.Builder
	fmt.Fprintf(&b, "step %d is taken\n", n)
	for range 6 + r.IntN(14) {
		fmt.Fprintf(&b, "%s: %s the %s of the %s in src/%s/%s_%d.go, %d %s, %d ms\n",
			pick("ok", "note", "warn", "done"), pick("checked", "compiled", "tested", "moved", "renamed", "searched", "retried"),
			pick("port", "upload", "export", "parser", "account", "topic", "price", "limit", "calendar", "service", "connection"),
			pick("database", "gateway", "checkout", "archive", "balancer", "search", "mobile app", "message bus", "plan"),
			pick("core", "billing", "auth", "web"), pick("handler", "store", "queue", "client"), r.IntN(300), r.IntN(40), pick("tests", "files", "lines"), r.IntN(900))
	}
	if r.IntN(9) == 0 {
		fmt.Fprintf(&b, "錯誤：佇列 %d 逾時，重試後成功\n", r.IntN(100))
	}
	return b.String()
}

// A run of thousands of iterations stays within a window of 32,000 tokens as the
// provider counts them, keeps what it sends alike, writes each call once, and finds
// again what it saw at the beginning.
func TestALongRunStaysWithinItsWindow(t *testing.T) {
	last := 300
	if os.Getenv("ORIHON_LONG") != "" {
		last = 2000
	}
	done := regexp.MustCompile(`step (\d+) is taken`)
	facts := plantedFacts(t)
	told := func(via string) []int {
		var out []int
		for i, f := range facts {
			if f.Via == via {
				out = append(out, i)
			}
		}
		return out
	}
	notes, thoughts := told("tool"), told("assistant")
	listening, noted, paused, asking, top := false, false, false, false, 0
	b := &billing{t: t, window: 32_000}
	b.reply = func(tail string) llmtest.Reply {
		n := 0
		if all := done.FindAllStringSubmatch(tail, -1); len(all) > 0 {
			n, _ = strconv.Atoi(all[len(all)-1][1])
		}
		n = max(n, top) // what is asked for may quote earlier steps
		top = n
		next := llmtest.Reply{Text: fmt.Sprintf("Now step %d.", n+1), Calls: []llm.Call{call(fmt.Sprintf("toolu_%d", n+1), "step", fmt.Sprintf(`{"n": %d}`, n+1))}}
		switch {
		case listening:
			return llmtest.Reply{Text: "Noted."}
		case n == 9 && !noted:
			noted = true
			reply := llmtest.Reply{Text: "I read the notes of the team."}
			for _, i := range notes {
				reply.Calls = append(reply.Calls, call(fmt.Sprintf("note_%d", i), "read_note", fmt.Sprintf(`{"n": %d}`, i)))
			}
			return reply
		case n >= 9 && len(thoughts) > 0:
			next.Text, thoughts = facts[thoughts[0]].Fact, thoughts[1:]
		case n >= 9 && !paused:
			paused = true
			return llmtest.Reply{Text: "The first steps are taken."}
		case n == last-10 && !asking:
			asking = true
			reply := llmtest.Reply{Text: "What did I hear about these?"}
			for i, f := range facts {
				reply.Calls = append(reply.Calls, call(fmt.Sprintf("ask_%d", i), window.QueryHistory, fmt.Sprintf(`{"query": %q}`, f.Question)))
			}
			return reply
		case n >= last:
			return llmtest.Reply{Text: "All steps are taken."}
		}
		return next
	}
	s := llmtest.Serve(b.answer)
	s.Forget = true
	defer s.Close()
	def := defined(t, `
name: long
context_builder: {strategy: folding}
limits: {max_iterations: 5000, context_tokens: 32000}
llm: {max_tokens: 1000}
`)
	number := func(input json.RawMessage) int {
		var in struct{ N int }
		_ = json.Unmarshal(input, &in)
		return in.N
	}
	var heaps []float64 // after each twentieth of the run, in bytes
	iterations, begun := 0, time.Now()
	a, err := agent.New(agent.Options{
		Definition: def, Model: modelOf(t, "messages", s.URL), Runs: t.TempDir(), Work: t.TempDir(),
		Tools: []agent.Tool{
			goTool{"step", func(in json.RawMessage) string { return work(number(in)) }},
			goTool{"read_note", func(in json.RawMessage) string { return facts[number(in)].Fact }},
		},
		Observe: func(e agent.Event) {
			if e.Kind == agent.EventIteration {
				if iterations++; iterations%(last/20) == 0 {
					heaps = append(heaps, float64(heap()))
				}
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	run := func(task agent.Task) agent.Outcome {
		out, err := a.Run(t.Context(), task)
		if err != nil || out.Reason != agent.Answered {
			t.Fatalf("Run = %+v, %v", out, err)
		}
		return out
	}
	out := run(agent.Task{Text: "Take the first steps, and keep in mind what you hear."})
	listening = true
	for _, i := range told("user") {
		run(agent.Task{Run: out.Run, Resume: true, Text: facts[i].Fact})
	}
	listening = false
	out = run(agent.Task{Run: out.Run, Resume: true, Text: "Take all other steps."})
	v := viewOf(t, out.Dir)
	seen := map[string]int{}
	for _, e := range v.ByType(journal.ActionResult) {
		seen[e.ID]++
	}
	for n := 1; n <= last; n++ {
		if id := fmt.Sprintf("toolu_%d", n); seen[id] != 1 {
			t.Errorf("step %d stands in the journal %d times", n, seen[id])
		}
	}
	found, first, answers := 0, 0, results(t, v)
	for i, f := range facts {
		text := answers[fmt.Sprintf("ask_%d", i)].Output
		if !utf8.ValidString(text) {
			t.Error("an answer is no UTF-8")
		}
		if lines := strings.Split(text, "\n"); strings.Contains(strings.Join(lines[:min(len(lines), 3)], "\n"), f.Answer) {
			first++
		}
		if strings.Contains(text, f.Answer) || strings.Contains(opened(t, v, text), f.Answer) {
			found++
		} else {
			t.Logf("not found: %s, told by %s in %s\n%s", f.Question, f.Via, f.Lang, text)
		}
	}
	share := float64(b.cached) / float64(b.input)
	// Between the first quarter and the questions, which call up the whole run.
	growth := slopeOf(heaps[5:19]) / float64(last/20)
	t.Logf("%d iterations in %s: at most %d of %d tokens, %.1f %% alike, %d of %d facts found, %d among the first three results, %d folds, heap %.1f MB, %.0f bytes an iteration",
		iterations, time.Since(begun).Round(time.Millisecond), b.most, b.window, 100*share, found, len(facts), first, out.Status.Folds, megabytes(heaps), growth)
	if share < 0.85 {
		t.Errorf("%.1f %% of the input stood in the request before, want 85", 100*share)
	}
	if found < 17 {
		t.Errorf("%d of %d facts were found, want 17", found, len(facts))
	}
	if last >= 2000 && growth > mostGrowth {
		t.Errorf("an iteration leaves %.0f bytes behind: %.0f", growth, heaps)
	}
}

// mostGrowth is what an iteration may leave in memory, in bytes: hashes of identities
// and of calls, where blocks stand, and what the server of the test keeps. Its events
// and what strategies make of them are 3,000.
const mostGrowth = 600

func megabytes(heaps []float64) (out []float64) {
	for i := 4; i < len(heaps); i += 5 {
		out = append(out, heaps[i]/(1<<20))
	}
	return out
}

// slopeOf is by how much values grow from one to the next, by least squares.
func slopeOf(values []float64) float64 {
	var weighted, squares float64
	middle := float64(len(values)-1) / 2
	for i, v := range values {
		d := float64(i) - middle
		weighted += d * v
		squares += d * d
	}
	return weighted / squares
}

// opened is what the model gets that opens the first three events which an answer of
// query_history names.
func opened(t *testing.T, v *journal.View, answer string) string {
	var out strings.Builder
	for i, m := range regexp.MustCompile(`\[event (\d+)`).FindAllStringSubmatch(answer, -1) {
		if i == 3 {
			break
		}
		text, err := window.CallTool(t.Context(), v, window.ShowHistory, json.RawMessage(`{"event": `+m[1]+`}`))
		if err != nil {
			t.Error(err)
		}
		out.WriteString(text)
	}
	return out.String()
}

// asked is a model that keeps nothing.
type asked func(llm.Request) (llm.Message, error)

func (f asked) Generate(_ context.Context, r llm.Request) (llm.Response, error) {
	m, err := f(r)
	return llm.Response{Message: m}, err
}

// An iteration at 1,000 of history, without the model: what the loop, the journal
// and the strategy cost.
func BenchmarkIteration(b *testing.B) {
	dir := b.TempDir()
	for name, text := range map[string]string{"config.yaml": "name: bench\ncontext_builder: {strategy: folding}\nlimits: {max_iterations: 100000000, context_tokens: 32000}\n", "system_prompt.md": "You work."} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	def, err := agent.Read(dir)
	if err != nil {
		b.Fatal(err)
	}
	const history = 1000
	n, ctx := 0, b.Context()
	m := asked(func(llm.Request) (llm.Message, error) {
		n++
		if n == history {
			b.ResetTimer()
		}
		if n == history+b.N {
			b.StopTimer()
			return llm.Message{Role: llm.Assistant, Text: "Done."}, nil
		}
		return llm.Message{Role: llm.Assistant, Text: fmt.Sprintf("Now step %d.", n), Calls: []llm.Call{call(fmt.Sprintf("c%d", n), "step", fmt.Sprintf(`{"n": %d}`, n))}}, nil
	})
	a, err := agent.New(agent.Options{Definition: def, Model: m, Runs: b.TempDir(), Work: b.TempDir(), Tools: []agent.Tool{
		goTool{"step", func(json.RawMessage) string { return work(n) }},
	}})
	if err != nil {
		b.Fatal(err)
	}
	if out, err := a.Run(ctx, agent.Task{Text: "Go."}); err != nil || out.Reason != agent.Answered {
		b.Fatalf("%+v, %v", out, err)
	}
}
