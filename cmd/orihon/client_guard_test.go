package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon/internal/claudecode/clienttest"
)

// guarded holds the guardian against the real client: what it says stands in the
// request behind the event that caused it, and nothing of a rule that is off.
func guarded(t *testing.T, w *wired) {
	file := func(name, text string) {
		path := filepath.Join(w.Project, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	call := func(tool string, input map[string]any) clienttest.Reply {
		return clienttest.Reply{Calls: []clienttest.Call{{Tool: tool, Input: input}}}
	}
	fix := func(n int) clienttest.Reply {
		return call("Write", map[string]any{"file_path": filepath.Join(w.Project, "src", fmt.Sprintf("fix%d.go", n)), "content": "package src\n"})
	}
	test := call("Bash", map[string]any{"command": "sh run-test.sh", "description": "test"})
	file("run-test.sh", "echo '--- FAIL: TestTotal (0.01s)'; exit 1\n")
	file("docs/src.md", "# Source\n")
	w.orihon("install", "claude-code")
	w.orihon("config", "set", "guard.documents", "src/** = docs/src.md")

	// at gives the number of the first request that holds a text, from 1.
	at := func(requests []clienttest.Request, text string) int {
		for i, r := range requests {
			if r.Contains(text) {
				return i + 1
			}
		}
		return 0
	}
	const drift, review = "docs/src.md` describes it", "has failed 3 times with the same error"
	tries := []clienttest.Reply{test, fix(1), test, fix(2), test, {Text: "I give up."}}
	asked := w.ask("make the test pass", nil, tries...)
	if got := at(asked, drift); got != 3 {
		t.Errorf("the drift of the first change stands in request %d, want 3", got)
	}
	if got := at(asked, review); got != 6 {
		t.Errorf("the review stands in request %d, want 6", got)
	}
	if last := asked[len(asked)-1]; strings.Count(everything(last), drift) != 1 {
		t.Errorf("the drift is said %d times", strings.Count(everything(last), drift))
	}
	if audit := string(w.orihon("audit")); !strings.Contains(audit, "guard: drift") || !strings.Contains(audit, "guard: escalation") {
		t.Errorf("the audit says %s", audit)
	}
	w.settle()
	next := w.ask("what is next?", nil)
	if at(next, "The session before this one left open") != 1 {
		t.Error("the next session is not told what this one left")
	}

	w.orihon("config", "set", "guard.off", "escalation,drift,repeats")
	asked = w.ask("once more", nil, tries...)
	if at(asked, drift)+at(asked, review)+at(asked, "left open") != 0 {
		t.Errorf("rules that are off speak: %+v", asked[len(asked)-1].Turns)
	}

	// A call that is no good itself, for the third time; a page that breaks its form.
	w.orihon("config", "set", "guard.off", "")
	misuse := func(file string) clienttest.Reply {
		return call("Bash", map[string]any{"command": "nosuchtool " + file, "description": "run it"})
	}
	look := call("Bash", map[string]any{"command": "true", "description": "look"})
	const again = "The same error has come 3 times in this session"
	asked = w.ask("run it", nil, misuse("a"), look, misuse("b"), look, misuse("c"), clienttest.Reply{Text: "It is not there."})
	if got := at(asked, again); got != 6 {
		t.Errorf("the repeated mistake stands in request %d, want 6", got)
	}
	file("docs/ai/_INDEX.md", "# Index\n")
	page := func(text string) clienttest.Reply {
		return call("Write", map[string]any{"file_path": filepath.Join(w.Project, "docs", "ai", "release.md"), "content": text})
	}
	const form = "a page of the knowledge folder begins with a title"
	asked = w.ask("write it down", nil, page("We tag, then push.\n"), page("# Release\n\nWe tag, then push.\n"), clienttest.Reply{Text: "Written."})
	if got := at(asked, form); got != 2 {
		t.Errorf("the form of a page stands in request %d, want 2", got)
	}
	if text, err := os.ReadFile(filepath.Join(w.Project, "docs", "ai", "release.md")); err != nil || !strings.HasPrefix(string(text), "# Release") {
		t.Errorf("the page holds %q, %v", text, err)
	}

	w.orihon("config", "set", "guard.stop_gate", "true")
	const reason = "the user's stop gate"
	asked = w.ask("write it", nil, fix(3), clienttest.Reply{Text: "Done."}, clienttest.Reply{Text: "Done, really."}, clienttest.Reply{Text: "There is nothing to keep."})
	if len(asked) != 4 {
		t.Fatalf("%d requests, want 4: two stops blocked, the third let go", len(asked))
	}
	// The client itself may repeat a reason within one request.
	count := func(i int) int { return strings.Count(everything(asked[i]), reason) }
	if count(0)+count(1) != 0 || count(2) == 0 || count(3) != 2*count(2) {
		t.Errorf("the four requests hold the gate's reason %d, %d, %d, %d times", count(0), count(1), count(2), count(3))
	}

	// A sub-agent is kept for what it changed, in requests of its own.
	task := call("Agent", map[string]any{"description": "write it", "prompt": "Write the fourth fix.", "subagent_type": "general-purpose", "run_in_background": false})
	asked = w.ask("have it written", nil, task, fix(4), clienttest.Reply{Text: "Done."}, clienttest.Reply{Text: "Done, really."}, clienttest.Reply{Text: "There is nothing to keep."}, clienttest.Reply{Text: "It is written."})
	if len(asked) != 6 {
		t.Fatalf("%d requests, want 6: two of them for stops of the sub-agent that were blocked", len(asked))
	}
	if count(0)+count(1)+count(2)+count(5) != 0 || count(3) == 0 || count(4) != 2*count(3) {
		t.Errorf("the six requests hold the gate's reason %d, %d, %d, %d, %d, %d times", count(0), count(1), count(2), count(3), count(4), count(5))
	}
}

// everything is what the turns of a request say.
func everything(r clienttest.Request) string {
	var b strings.Builder
	for _, turn := range r.Turns {
		b.WriteString(turn.Text + "\n")
	}
	return b.String()
}

// guardedInChinese is the same for a person who writes Chinese: what each rule says
// comes in their language, once, and not at all where it is switched off.
func guardedInChinese(t *testing.T, w *wired) {
	bash := func(command string) clienttest.Reply {
		return clienttest.Reply{Calls: []clienttest.Call{{Tool: "Bash", Input: map[string]any{"command": command, "description": "跑一下"}}}}
	}
	edit := func(name string) clienttest.Reply {
		return clienttest.Reply{Calls: []clienttest.Call{{Tool: "Write", Input: map[string]any{"file_path": filepath.Join(w.Project, "lib", name), "content": "total = 0\n"}}}}
	}
	check := "echo 'FAILED tests/test_cart.py::test_sum - assert 3 == 4'; exit 1\n"
	if err := os.WriteFile(filepath.Join(w.Project, "check.sh"), []byte(check), 0o644); err != nil {
		t.Fatal(err)
	}
	w.orihon("install", "claude-code")
	w.orihon("config", "set", "guard.documents", "lib/** = docs/cart.md")

	const (
		drift  = "說明它的文件是 `docs/cart.md`"
		review = "次以相同的錯誤失敗"
		left   = "上一次工作留下未解決的"
		again  = "本次工作中相同的錯誤已出現 3 次"
		gate   = "依使用者設定的收工檢查"
	)
	// first is the number of the first request that says something, from 1.
	first := func(requests []clienttest.Request, text string) (at int) {
		for i := len(requests); i > 0; i-- {
			if strings.Contains(everything(requests[i-1]), text) {
				at = i
			}
		}
		return at
	}
	mend := []clienttest.Reply{bash("sh check.sh"), edit("cart.py"), bash("sh check.sh"), edit("tax.py"), bash("sh check.sh"), {Text: "還是不行。"}}
	retry := []clienttest.Reply{bash("shipit --all"), bash("true"), bash("shipit --one"), bash("true"), bash("shipit --two"), {Text: "沒有這個程式。"}}
	for _, c := range []struct {
		prompt  string
		replies []clienttest.Reply
		said    map[string]int // by the request in which it stands first; 0 for never
	}{
		{"購物車的合計算錯了，修到檢查通過為止", mend, map[string]int{drift: 3, review: 6, again: 0, gate: 0}},
		{"用出貨工具把它送出去", retry, map[string]int{left: 1, again: 6, gate: 0}},
	} {
		asked := w.ask(c.prompt, nil, c.replies...)
		for text, want := range c.said {
			if got := first(asked, text); got != want {
				t.Errorf("%s: %q stands in request %d, want %d", c.prompt, text, got, want)
			}
			if n := strings.Count(everything(asked[len(asked)-1]), text); n > 1 {
				t.Errorf("%s: %q is said %d times", c.prompt, text, n)
			}
		}
		w.settle()
	}

	w.orihon("config", "set", "guard.off", "drift,escalation,repeats")
	for prompt, replies := range map[string][]clienttest.Reply{"合計還是不對，再修一次": mend, "再送一次": retry} {
		asked := w.ask(prompt, nil, replies...)
		for _, text := range []string{drift, review, left, again} {
			if at := first(asked, text); at != 0 {
				t.Errorf("%s: a rule that is off says %q in request %d", prompt, text, at)
			}
		}
	}

	w.orihon("config", "set", "guard.stop_gate", "true")
	done := []clienttest.Reply{edit("sum.py"), {Text: "寫好了。"}, {Text: "真的寫好了。"}, {Text: "沒有需要記下的。"}}
	asked := w.ask("把合計改成一個函式", nil, done...)
	if len(asked) != len(done) || first(asked, gate) != 3 {
		t.Errorf("%d requests, the gate's reason in request %d; want %d and 3", len(asked), first(asked, gate), len(done))
	}
	w.orihon("config", "set", "guard.off", "stop_gate")
	if asked = w.ask("再加一個函式", nil, done[0], done[1]); len(asked) != 2 || first(asked, gate) != 0 {
		t.Errorf("with the gate's rule off: %d requests, the reason in request %d", len(asked), first(asked, gate))
	}
}
