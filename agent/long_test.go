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

// plantedFacts are noted in the tenth iteration, and asked for in other words near
// the end: a note, a question, and what an answer holds.
var plantedFacts = [][3]string{
	{"The staging database listens on port 6543 behind the jump host.", "which port does postgres on staging use", "6543"},
	{"Invoices are rounded half to even, the accountants insisted.", "how are amounts on bills rounded", "half to even"},
	{"Retry uploads at most 7 times, the gateway bans clients after that.", "upload retry limit before we get banned", "7 times"},
	{"The nightly export must finish before 04:30 because of the bank cut-off.", "deadline of the export at night", "04:30"},
	{"Feature flag teal-otter hides the new checkout.", "name of the flag for the checkout that is not public yet", "teal-otter"},
	{"Customer Brandeis is on the legacy plan with 12 seats.", "how many seats has Brandeis", "12 seats"},
	{"The parser chokes on UTF-16 files, convert them with iconv first.", "what to do with UTF-16 input for the parser", "iconv"},
	{"Certificates renew through the account ops-cert@example.net.", "which account renews the TLS certificate", "ops-cert@example.net"},
	{"Migration 0042 must not be run twice, it drops the audit table.", "which migration is dangerous to repeat", "0042"},
	{"The load balancer keeps connections open for 95 seconds.", "idle time of connections at the balancer", "95 seconds"},
	{"We decided for zstd level 9 when archives are compressed.", "compression chosen for archives", "zstd"},
	{"快取的有效時間是 17 分鐘，超過就要重建索引。", "快取多久過期", "17"},
	{"The mobile team owns the topic device.heartbeat in the message bus.", "which message topic belongs to mobile", "device.heartbeat"},
	{"Search latency budget is 120 ms at the 95th percentile.", "how slow may a search be", "120 ms"},
	{"Holiday calendars come from the file data/feiertage.csv.", "where does the calendar of holidays come from", "feiertage.csv"},
	{"The password reset mail is sent by the service postillion.", "which service mails password resets", "postillion"},
	{"Thumbnails wider than 480 pixels are rejected by the old app.", "maximum width of a thumbnail", "480"},
	{"Kubernetes namespace for experiments is sandbox-lynx.", "namespace where we experiment in kubernetes", "sandbox-lynx"},
	{"登入失敗 5 次以後帳號會鎖 30 分鐘。", "帳號登入失敗會鎖多久", "30 分鐘"},
	{"Prices in Switzerland are shown in steps of 0.05.", "price steps for Switzerland", "0.05"},
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
	asking, facts, top := false, 0, 0
	answers := ""
	b := &billing{t: t, window: 32_000}
	b.reply = func(tail string) llmtest.Reply {
		n := 0
		if all := done.FindAllStringSubmatch(tail, -1); len(all) > 0 {
			n, _ = strconv.Atoi(all[len(all)-1][1])
		}
		n = max(n, top) // what is asked for may quote earlier steps
		top = n
		switch {
		case n == 9 && facts == 0:
			reply := llmtest.Reply{Text: "I read the notes of the team."}
			for facts = range plantedFacts {
				reply.Calls = append(reply.Calls, call(fmt.Sprintf("note_%d", facts), "read_note", fmt.Sprintf(`{"n": %d}`, facts)))
			}
			return reply
		case n == last-10 && !asking:
			asking = true
			reply := llmtest.Reply{Text: "What did the notes say?"}
			for i, f := range plantedFacts {
				reply.Calls = append(reply.Calls, call(fmt.Sprintf("ask_%d", i), window.QueryHistory, fmt.Sprintf(`{"query": %q}`, f[1])))
			}
			return reply
		case n >= last:
			return llmtest.Reply{Text: "All steps are taken."}
		}
		return llmtest.Reply{Text: fmt.Sprintf("Now step %d.", n+1), Calls: []llm.Call{call(fmt.Sprintf("toolu_%d", n+1), "step", fmt.Sprintf(`{"n": %d}`, n+1))}}
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
	var heaps []int64
	begun := time.Now()
	a, err := agent.New(agent.Options{
		Definition: def, Model: modelOf(t, "messages", s.URL), Runs: t.TempDir(), Work: t.TempDir(),
		Tools: []agent.Tool{
			goTool{"step", func(in json.RawMessage) string { return work(number(in)) }},
			goTool{"read_note", func(in json.RawMessage) string { return plantedFacts[number(in)][0] }},
		},
		Observe: func(e agent.Event) {
			if e.Kind == agent.EventIteration && e.Status.Iterations%(last/4) == 0 {
				heaps = append(heaps, heap())
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(t.Context(), agent.Task{Text: "Take all steps, and keep in mind what the notes of the team say."})
	if err != nil || out.Reason != agent.Answered {
		t.Fatalf("Run = %+v, %v", out, err)
	}
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
	found := 0
	for i, f := range plantedFacts {
		text := results(t, v)[fmt.Sprintf("ask_%d", i)].Output
		answers += text
		if strings.Contains(text, f[2]) || strings.Contains(opened(t, v, text), f[2]) {
			found++
		} else {
			t.Logf("not found: %s\n%s", f[1], text)
		}
	}
	share := float64(b.cached) / float64(b.input)
	t.Logf("%d iterations in %s: at most %d of %d tokens, %.1f %% alike, %d of %d facts found, %d folds, heap %v",
		out.Status.Iterations, time.Since(begun).Round(time.Millisecond), b.most, b.window, 100*share, found, len(plantedFacts), out.Status.Folds, heaps)
	if share < 0.85 {
		t.Errorf("%.1f %% of the input stood in the request before, want 85", 100*share)
	}
	if found < 17 {
		t.Errorf("%d of %d facts were found, want 17", found, len(plantedFacts))
	}
	if grown := heaps[len(heaps)-1] - heaps[0]; grown > 40<<20 {
		t.Errorf("the heap has grown by %d bytes: %v", grown, heaps)
	}
	if !utf8.ValidString(answers) {
		t.Error("an answer is no UTF-8")
	}
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
