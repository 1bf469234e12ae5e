package window_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/journal"
	"orihon/llm"
	"orihon/window"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// script writes the events of a run.
type script struct {
	t      testing.TB
	events []journal.Event
	calls  int
}

func (s *script) add(typ journal.Type, id string, payload any) {
	s.t.Helper()
	e, err := journal.New(typ, id, payload)
	if err != nil {
		s.t.Fatal(err)
	}
	e.TS = time.Date(2026, 8, 1, 9, 0, len(s.events), 0, time.UTC)
	s.events = append(s.events, e)
}

func (s *script) user(text string) { s.add(journal.UserMessage, "", journal.Message{Text: text}) }
func (s *script) say(text string)  { s.add(journal.Thought, "", journal.Message{Text: text}) }
func (s *script) answer(text string) {
	s.add(journal.AssistantMessage, "", journal.Message{Text: text})
}

func (s *script) think(text string) {
	s.add(journal.Thought, "", journal.Message{Text: text, Reasoning: true, Signature: "sig-" + fmt.Sprint(len(s.events))})
}

func (s *script) call(tool string, input any, output string, failed bool) {
	s.t.Helper()
	s.calls++
	id := fmt.Sprintf("call-%d", s.calls)
	raw, ok := input.(string)
	if !ok {
		b, err := json.Marshal(input)
		if err != nil {
			s.t.Fatal(err)
		}
		raw = string(b)
	}
	s.add(journal.ActionRequest, id, journal.Action{Tool: tool, Input: json.RawMessage(raw)})
	s.add(journal.ActionResult, id, journal.Result{Tool: tool, Output: output, Error: failed})
}

type m = map[string]string

// coding is a run as agents have it: requests, reading, edits, tests that fail
// and are mended, commits; every fifth request is in Chinese.
func coding(t testing.TB, requests int) []journal.Event {
	s := &script{t: t}
	s.add(journal.RunStarted, "", journal.Run{CWD: "/home/dev/shop"})
	for i := 1; i <= requests; i++ {
		file := fmt.Sprintf("/home/dev/shop/internal/cart/step%d.go", i)
		fn := fmt.Sprintf("applyDiscount%d", i)
		if i%5 == 0 {
			s.user(fmt.Sprintf("請修正第 %d 步的折扣計算,不要改動公開的介面。", i))
		} else {
			s.user(fmt.Sprintf("Make %s round half up. Never touch the public API of the cart.", fn))
		}
		s.think("The rounding is in one place, let me see.")
		s.say("Let me look at the file.")
		s.call("Read", m{"file_path": file}, strings.Repeat(fmt.Sprintf("func %s(total int) int { return total / %d }\n", fn, i), 40), false)
		s.think("Integer division cuts off.")
		s.call("Bash", m{"command": fmt.Sprintf("cd /home/dev/shop && go test ./internal/cart -run Test%d 2>&1 | tail -20", i)},
			fmt.Sprintf("Exit code 1\n--- FAIL: Test%d (0.00s)\n    step%d_test.go:12: got 2, want 3\nFAIL", i, i), true)
		s.say(fmt.Sprintf("The test fails because `%s` truncates instead of rounding. We decided to use integer arithmetic with an offset.", fn))
		s.call("Edit", m{"file_path": file, "old_string": "return total / 2", "new_string": fmt.Sprintf("return (total + %s.half) / %d", fn, i)}, "The file has been updated.", false)
		s.call("Bash", m{"command": fmt.Sprintf("cd /home/dev/shop && go test ./internal/cart -run Test%d 2>&1 | tail -20", i)}, "ok  \tshop/internal/cart\t0.01s", false)
		s.call("Bash", m{"command": fmt.Sprintf("git commit -am %q", fmt.Sprintf("Round %s half up", fn))}, fmt.Sprintf("[main %07x] Round %s half up\n 1 file changed", 0xabc0000+i, fn), false)
		if i%5 == 0 {
			s.answer(fmt.Sprintf("已完成:`%s` 現在四捨五入,測試通過。", fn))
		} else {
			s.answer(fmt.Sprintf("Done: `%s` rounds half up and its test passes.", fn))
		}
	}
	return s.events
}

func build(t testing.TB, b window.Builder, in window.Input) []window.Message {
	t.Helper()
	messages, err := window.Build(context.Background(), b, in)
	if err != nil {
		t.Fatal(err)
	}
	return messages
}

func newBuilder(t testing.TB, strategy string, o *window.Options) window.Builder {
	t.Helper()
	b, err := window.New(strategy, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// drive runs a builder over a run, iteration by iteration, as an agent would.
func drive(t testing.TB, b window.Builder, v *journal.View, events []journal.Event, in window.Input) []window.Message {
	t.Helper()
	var last []window.Message
	in.View = v
	for _, it := range journal.NewView(events...).Iterations(0, 0) {
		if _, err := v.Append(context.Background(), it.Events...); err != nil {
			t.Fatal(err)
		}
		if err := b.OnIterationComplete(context.Background(), in); err != nil {
			t.Fatal(err)
		}
		last = build(t, b, in)
	}
	return last
}

// page writes messages so that a person can review them.
func page(messages []window.Message) string {
	var b strings.Builder
	n := 0
	for i, m := range messages {
		fmt.Fprintf(&b, "=== %d %s (%d tokens)\n", i+1, m.Role, window.Cost(m, nil))
		n += window.Cost(m, nil)
		for _, r := range m.Reasoning {
			fmt.Fprintf(&b, "<thinking %s> %s\n", r.Signature, r.Text)
		}
		if m.Text != "" {
			fmt.Fprintln(&b, m.Text)
		}
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "-> %s %s %s\n", c.ID, c.Tool, c.Input)
		}
		if m.Result != nil {
			fmt.Fprintf(&b, "<- %s (error: %v)\n%s\n", m.Result.ID, m.Result.Error, m.Result.Text)
		}
	}
	fmt.Fprintf(&b, "=== %d tokens\n", n)
	return b.String()
}

func TestAFoldedContextReadsLikeATableOfContents(t *testing.T) {
	v := journal.NewView()
	b := newBuilder(t, window.Folding, nil)
	messages := drive(t, b, v, coding(t, 14), window.Input{System: "You are a careful engineer.", Task: "Round every discount half up.", Limit: 6000})
	golden(t, "folded.golden", page(messages))
}

func TestAFoldedIndexNamesWhatTheWorkNeeds(t *testing.T) {
	s := &script{t: t, events: coding(t, 6)}
	s.calls = 1000
	s.call("TodoWrite", `{"todos":[{"content":"Round the totals","status":"completed"},{"content":"Write the changelog","status":"in_progress"},{"content":"更新文件","status":"pending"}]}`, "ok", false)
	s.user("Now the shipping costs, please.")
	s.call("Bash", m{"command": "make ship"}, "Exit code 2\nmake: *** No rule to make target 'ship'.  Stop.", true)
	golden(t, "index.golden", window.Fold(journal.NewView(s.events...), 1200, "")+"\n")
}

// The first prompt may be little but names: all of them tell the language.
func TestTheIndexIsInTheLanguageOfAllPrompts(t *testing.T) {
	s := &script{t: t}
	s.user("docker compose up kiln 挂了")
	s.user("先看一下日志，再重启一次")
	s.call("Bash", m{"command": "docker compose logs kiln"}, "ok", false)
	if got := window.Fold(journal.NewView(s.events...), 1200, ""); !strings.Contains(got, "只是折起") {
		t.Error(got)
	}
}

func TestTheIndexKeepsItsBudget(t *testing.T) {
	v := journal.NewView(coding(t, 40)...)
	for _, budget := range []int{1, 20, 100, 300, 1000, 2000, 5000} {
		if n := window.Cost(window.Message{Text: window.Fold(v, budget, "")}, nil) - 4; n > budget {
			t.Errorf("a budget of %d tokens was filled with %d", budget, n)
		}
	}
	if text := window.Fold(journal.NewView(), 0, ""); text != "" {
		t.Errorf("an empty run has the index %q", text)
	}
}

func TestCheckFindsWhatProvidersRefuse(t *testing.T) {
	call := window.Message{Role: llm.Assistant, Calls: []window.Call{{ID: "1", Tool: "Read", Input: json.RawMessage("{}")}}}
	result := window.Message{Role: llm.Tool, Result: &window.Result{ID: "1", Text: "ok"}}
	user := window.Message{Role: llm.User, Text: "go"}
	for name, tt := range map[string]struct {
		messages []window.Message
		valid    bool
	}{
		"nothing":               {nil, true},
		"a round":               {[]window.Message{user, call, result}, true},
		"no result":             {[]window.Message{user, call}, false},
		"a result twice":        {[]window.Message{user, call, result, result}, false},
		"a result first":        {[]window.Message{user, result}, false},
		"talk between":          {[]window.Message{user, call, user, result}, false},
		"assistant first":       {[]window.Message{call, result}, false},
		"system late":           {[]window.Message{user, {Role: llm.System, Text: "x"}}, false},
		"an empty message":      {[]window.Message{{Role: llm.User}}, false},
		"an id used twice":      {[]window.Message{user, call, result, call, result}, false},
		"input is no object":    {[]window.Message{user, {Role: llm.Assistant, Calls: []window.Call{{ID: "1", Input: json.RawMessage("[]")}}}, result}, false},
		"a user's call":         {[]window.Message{{Role: llm.User, Text: "x", Calls: call.Calls}}, false},
		"an unknown role":       {[]window.Message{{Role: "narrator", Text: "x"}}, false},
		"a tool without result": {[]window.Message{user, {Role: llm.Tool, Text: "x"}}, false},
	} {
		if err := window.Check(tt.messages); (err == nil) != tt.valid {
			t.Errorf("%s: %v, want valid: %v", name, err, tt.valid)
		}
	}
}

func TestAFoldedIndexSpeaksTheLanguageOfTheFirstPrompt(t *testing.T) {
	s := &script{t: t}
	s.user("請修正購物車的折扣計算,不要改動公開的介面。")
	s.say("我先看檔案。")
	s.call("Edit", m{"file_path": "/home/dev/shop/cart.go", "new_string": "func applyDiscount()"}, "ok", false)
	s.call("Bash", m{"command": "go test ./..."}, "Exit code 1\nundefined: half", true)
	s.say("`applyDiscount` 少了常數,我們決定改用整數運算。")
	s.call("TodoWrite", `{"todos":[{"content":"更新文件","status":"pending"}]}`, "ok", false)
	v := journal.NewView(s.events...)
	golden(t, "index-zh.golden", window.Fold(v, 600, "")+"\n")
	if text := window.Fold(v, 600, "en"); !strings.HasPrefix(text, "Task: ") {
		t.Errorf("in English: %q", text)
	}
	if text := window.Fold(v, 600, "zh-Hans"); !strings.HasPrefix(text, "任务：") {
		t.Errorf("in simplified Chinese: %q", text)
	}
}
