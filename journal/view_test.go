package journal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/journal"
)

func viewOf(t testing.TB, j *journal.Journal) *journal.View {
	t.Helper()
	v, err := j.View(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func seqs(events []journal.Event) (out []int64) {
	for _, e := range events {
		out = append(out, e.Seq)
	}
	return out
}

func TestAViewOfAJournalAndOfItsEventsAnswerAlike(t *testing.T) {
	j := open(t, t.TempDir())
	mustAppend(t, j,
		event(journal.RunStarted, "", journal.Run{CWD: "/home/dev"}),
		user("p1", "修正 parseDate 的登入錯誤"), event(journal.Thought, "t1", journal.Message{Text: "Look at internal/dates.go"}),
		event(journal.ActionRequest, "c1", journal.Action{Tool: "Bash", Input: json.RawMessage(`{"command":"git show 1a2b3c4d"}`)}),
		event(journal.ActionResult, "c1", journal.Result{Tool: "Bash", Output: strings.Repeat("rounding of https://example.org/a?b=c ", 2000)}),
		event(journal.Thought, "t2", journal.Message{Text: "dates.go it is"}),
		assistant("a1", "parseDate rounds now"), user("p2", "thanks"),
	)
	live := viewOf(t, j)
	var events []journal.Event
	for _, e := range live.Events() {
		body, err := j.Body(e)
		if err != nil {
			t.Fatal(err)
		}
		e.Payload = body
		e.Seq, e.Iter = 0, 0
		events = append(events, e)
	}
	plain := journal.NewView(events...)
	for name, ask := range map[string]func(v *journal.View) any{
		"iterations": func(v *journal.View) any {
			var out []string
			for _, it := range v.Iterations(2, 3) {
				out = append(out, fmt.Sprint(it.N, seqs(it.Events)))
			}
			return out
		},
		"range":   func(v *journal.View) any { return seqs(v.Range(3, 0)) },
		"types":   func(v *journal.View) any { return seqs(v.ByType(journal.UserMessage, journal.AssistantMessage)) },
		"file":    func(v *journal.View) any { return seqs(v.ByEntity("dates.go")) },
		"commit":  func(v *journal.View) any { return seqs(v.ByEntity("1a2b3c4d")) },
		"url":     func(v *journal.View) any { return seqs(v.ByEntity("https://example.org/a?b=c")) },
		"name":    func(v *journal.View) any { return seqs(v.ByEntity("parseDate")) },
		"english": func(v *journal.View) any { return matches(v, "rounding") },
		"chinese": func(v *journal.View) any { return matches(v, "登录错误") },
		"text":    func(v *journal.View) any { return len(v.Text(v.Events()[4])) },
	} {
		want, got := ask(live), ask(plain)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-journal +list):\n%s", name, diff)
		}
		if fmt.Sprint(got) == "[]" || got == 0 {
			t.Errorf("%s found nothing", name)
		}
	}
	if got := seqs(live.ByEntity("dates.go")); !slices.Equal(got, []int64{3, 6}) {
		t.Errorf("dates.go is named by %v, want 3 and 6", got)
	}
}

func TestASearchFindsWhatIsNearInMeaning(t *testing.T) {
	v := journal.NewView(user("p1", "the build is green again"), user("p2", "vouchers are not for customers in Norway"), user("p3", "上線前要先備份資料庫"))
	for i := range 50 {
		if _, err := v.Append(t.Context(), user(fmt.Sprint("n", i), fmt.Sprintf("step %d is taken", i))); err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]int64{"coupons for clients": 2, "database backup before a deployment": 3, "優惠券": 2} {
		if got := matches(v, query); len(got) == 0 || got[0] != want {
			t.Errorf("%s: %v, want %d first", query, got, want)
		}
	}
	if got := matches(v, "zebra xylophone"); len(got) > 0 {
		t.Errorf("nothing is said of zebras, found %v", got)
	}
}

// A journal has gaps where a line cannot be read or somebody took it out.
func TestAListKeepsTheNumbersOfAJournalWithGaps(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	for i := range 6 {
		mustAppend(t, j, user(fmt.Sprint("p", i), "do it"), assistant(fmt.Sprint("a", i), "done"))
	}
	text, err := os.ReadFile(j.Path())
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	kept := slices.Concat(lines[2:5], lines[8:]) // iterations 2, a part of 3, 5 and 6
	if err := os.WriteFile(j.Path(), bytes.Join(kept, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	live := viewOf(t, open(t, dir))
	numbers := func(v *journal.View) (out []string) {
		for _, it := range v.Iterations(0, 0) {
			out = append(out, fmt.Sprint(it.N, seqs(it.Events)))
		}
		return out
	}
	want := []string{"2 [3 4]", "3 [5]", "5 [9 10]", "6 [11 12]"}
	if diff := cmp.Diff(want, numbers(live)); diff != "" {
		t.Fatalf("journal (-want +got):\n%s", diff)
	}
	list, grown := journal.NewView(live.Events()...), journal.NewView()
	for _, it := range live.Iterations(0, 0) {
		if _, err := grown.Append(context.Background(), it.Events...); err != nil {
			t.Fatal(err)
		}
	}
	for name, v := range map[string]*journal.View{"list": list, "grown": grown} {
		if diff := cmp.Diff(want, numbers(v)); diff != "" {
			t.Errorf("%s (-journal +list):\n%s", name, diff)
		}
		if got := seqs(v.Range(3, 5)); !slices.Equal(got, []int64{5, 9, 10}) {
			t.Errorf("%s: iterations 3 to 5 are %v", name, got)
		}
		out, err := v.Append(context.Background(), user("next", "go on"))
		if err != nil || len(out) != 1 || out[0].Seq != 13 || out[0].Iter != 7 {
			t.Errorf("%s: appended %+v, %v: want event 13 in iteration 7", name, out, err)
		}
	}
}

func matches(v *journal.View, query string) (out []int64) {
	for _, m := range v.Search(query, 0) {
		out = append(out, m.Event.Seq)
	}
	return out
}

func TestAViewFollowsItsJournalAndReadsEachEventOnce(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	v := viewOf(t, j)
	if v.LastIteration() != 0 || len(v.Search("anything at all", 0)) != 0 {
		t.Error("an empty journal answers")
	}
	mustAppend(t, open(t, dir), user("p1", "the first word"))
	for i := range 3 {
		if err := v.Update(context.Background()); err != nil {
			t.Fatal(err)
		}
		if n := len(v.Events()); n != 1+i {
			t.Fatalf("%d events, want %d", n, 1+i)
		}
		if got := matches(v, "word"); len(got) != 1+i {
			t.Errorf("found %v, want %d", got, 1+i)
		}
		mustAppend(t, open(t, dir), user(fmt.Sprint("q", i), "another word"))
	}
	out, err := v.Append(context.Background(), user("own", "my word"))
	if err != nil || len(out) != 1 || len(v.Events()) != 5 {
		t.Errorf("appended %+v (%v), %d events; want the new one behind those of others", out, err, len(v.Events()))
	}
	if _, err := v.ReadOnly().Append(context.Background(), user("no", "no")); err == nil {
		t.Error("a read-only view was appended to")
	}
	if _, err := j.Purge(context.Background(), replacer("first", "FIRST")); err != nil {
		t.Fatal(err)
	}
	if err := v.Update(context.Background()); err != nil || len(matches(v, "FIRST")) != 1 || len(v.Events()) != 5 {
		t.Errorf("after a purge: %d events (%v)", len(v.Events()), err)
	}
}

func TestEntitiesAreNamesThatCanBeLookedFor(t *testing.T) {
	for text, want := range map[string][]journal.Entity{
		"see internal/cart/cart.go:12 and ./go.mod":          {{Kind: "file", Name: "internal/cart/cart.go"}, {Kind: "file", Name: "go.mod"}},
		"`parseDate()` calls time.Parse, not MAX_SIZE":       {{Kind: "identifier", Name: "parseDate"}, {Kind: "identifier", Name: "time.Parse"}, {Kind: "identifier", Name: "MAX_SIZE"}},
		"fixed in 1a2b3c4 (not 1234567)":                     {{Kind: "commit", Name: "1a2b3c4"}},
		"read https://example.org/x?y=1. Then stop":          {{Kind: "url", Name: "https://example.org/x?y=1"}},
		"plain words, e.g. these, say nothing. Really! 3.14": nil,
		"修改了 src/登入/login.ts 的 handleLogin":                  {{Kind: "file", Name: "/login.ts"}, {Kind: "identifier", Name: "handleLogin"}},
		`"a\nRestored \tdone.Now go"`:                        nil,
	} {
		if diff := cmp.Diff(want, journal.Entities(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestMessageListsOfEveryFormBecomeTheSameRun(t *testing.T) {
	openAI := `[{"role":"system","content":"Be kind."},{"role":"user","content":"讀檔案"},
	 {"role":"assistant","content":"I look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{ \"path\": \"a.go\" }"}}]},
	 {"role":"tool","tool_call_id":"c1","content":"package a"},{"role":"assistant","content":[{"type":"text","text":"done"}]}]`
	blocks := `{"system":[{"type":"text","text":"Be kind."}],"messages":[{"role":"user","content":[{"type":"text","text":"讀檔案"}]},
	 {"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"c1","name":"read","input":{ "path": "a.go" }}]},
	 {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"package a"}]},{"role":"assistant","content":"done"}]}`
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(openAI), &list); err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	for _, m := range list {
		if err := json.Compact(&lines, m); err != nil {
			t.Fatal(err)
		}
		lines.WriteByte('\n')
	}
	want := []string{
		`1 USER_MESSAGE {"role":"user","text":"讀檔案"}`,
		`1 THOUGHT {"role":"assistant","text":"I look."}`,
		`1 ACTION_REQUEST {"tool":"read","input":{ "path": "a.go" }}`,
		`1 ACTION_RESULT {"tool":"read","output":"package a"}`,
		`1 ASSISTANT_MESSAGE {"role":"assistant","text":"done"}`,
	}
	for name, text := range map[string]string{"openai": openAI, "blocks": blocks, "lines": lines.String()} {
		in, err := journal.FromMessages(context.Background(), strings.NewReader(text))
		if err != nil || len(in.Problems) > 0 || in.System != "Be kind." {
			t.Errorf("%s: system %q, problems %v, %v", name, in.System, in.Problems, err)
		}
		var got []string
		for _, e := range journal.NewView(in.Events...).Events() {
			got = append(got, fmt.Sprintf("%d %s %s", e.Iter, e.Type, e.Payload))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, text := range []string{"nonsense", "[1", "12"} {
		if _, err := journal.FromMessages(context.Background(), strings.NewReader(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
	in, err := journal.FromMessages(context.Background(), strings.NewReader(`[{"role":"user","content":"a"},7,{"role":"narrator"}]`))
	if err != nil || len(in.Events) != 1 || len(in.Problems) != 2 {
		t.Fatalf("%d events, problems %v, %v; want one and two", len(in.Events), in.Problems, err)
	}
	for i, want := range []string{"c.json: message 2: not a JSON object", `c.json: message 3: unknown role "narrator"`} {
		p := in.Problems[i]
		if p.Path = "c.json"; p.Error() != want {
			t.Errorf("it is told that %s, want %s", p.Error(), want)
		}
	}
}

func TestATranscriptBecomesTheRunItTellsOf(t *testing.T) {
	lines := []string{
		`{"type":"user","uuid":"u1","cwd":"/home/dev","sessionId":"s","timestamp":"2026-08-01T09:00:00Z","message":{"role":"user","content":"look"}}`,
		`{"type":"assistant","uuid":"a1","cwd":"/home/dev","message":{"id":"m1","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"}]}}`,
		`{"type":"assistant","uuid":"a2","cwd":"/home/dev","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"I look"}]}}`,
		`{"type":"assistant","uuid":"a3","cwd":"/home/dev","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"ls"}}]}}`,
		`broken`,
		`{"type":"user","uuid":"u2","cwd":"/home/dev","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"a b"}]}}`,
		`{"type":"user","uuid":"u3","cwd":"/home/dev","message":{"role":"user","content":"/home/dev/x is a path, /compact a command"}}`,
		`{"type":"assistant","uuid":"a4","cwd":"/home/dev","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"seen"}]}}`,
	}
	in, err := journal.FromTranscript(context.Background(), strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range journal.NewView(in.Events...).Events() {
		got = append(got, fmt.Sprintf("%d %s %s %s", e.Iter, e.Type, e.ID, e.Payload))
	}
	want := []string{
		`1 RUN_STARTED  {"source":"import","cwd":"/home/dev","client":"claude-code"}`,
		`2 USER_MESSAGE u1 {"role":"user","text":"look"}`,
		`2 THOUGHT thinking:a1:0 {"role":"assistant","text":"hm","reasoning":true,"signature":"sig"}`,
		`2 THOUGHT a2:0 {"role":"assistant","text":"I look"}`,
		`2 ACTION_REQUEST c1 {"tool":"Bash","input":{"command":"ls"}}`,
		`2 ACTION_RESULT c1 {"tool":"Bash","output":"a b"}`,
		`3 USER_MESSAGE u3 {"role":"user","text":"/home/dev/x is a path, /compact a command"}`,
		`3 ASSISTANT_MESSAGE a4:0 {"role":"assistant","text":"seen"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(in.Problems) != 1 || in.Problems[0].Line != 5 {
		t.Errorf("problems %v, want line 5", in.Problems)
	}
}

func FuzzMessageLists(f *testing.F) {
	for _, seed := range []string{
		`[{"role":"user","content":"a"}]`, `{"messages":[{"role":"tool","tool_call_id":"x","content":null}]}`,
		"{\"role\":\"user\",\"content\":\"讀\"}\n{\"role\":\"assistant\",\"tool_calls\":[{\"function\":{\"arguments\":\"{\"}}]}\nx",
		`[{"role":"assistant","content":[{"type":"tool_use","input":[]},{"type":"thinking","thinking":"h"},7]}]`, "", "[", "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, read := range []func() (journal.Imported, error){
			func() (journal.Imported, error) {
				return journal.FromMessages(context.Background(), bytes.NewReader(raw))
			},
			func() (journal.Imported, error) {
				return journal.FromTranscript(context.Background(), bytes.NewReader(raw))
			},
		} {
			in, err := read()
			if err != nil {
				continue
			}
			v := journal.NewView(in.Events...)
			for i, e := range v.Events() {
				if e.Seq != int64(i+1) || e.Type == "" || e.Payload != nil && !json.Valid(e.Payload) {
					t.Errorf("event %+v", e)
				}
				_ = v.Text(e)
			}
			_ = v.Search("a", 3)
			_ = v.ByEntity("a")
		}
	})
}

func FuzzValidIsWhatTheDecoderCallsValid(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-0.5e+3,true,false,null,"\u00e9\n"]}`, " [ ] ", "{}", `{"a":1,}`, "01", "-", "1.", "1e", `"\x"`, `"\u12g4"`, "tru", "\"", "[1 2]", "\"\x01\"", "\"\xff\"", "", "1 1",
	} {
		f.Add([]byte(seed))
	}
	f.Add(bytes.Repeat([]byte("["), 10_001))
	f.Add(append(bytes.Repeat([]byte("["), 10_000), bytes.Repeat([]byte("]"), 10_000)...))
	f.Add(append(bytes.Repeat([]byte("["), 10_001), bytes.Repeat([]byte("]"), 10_001)...))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if got, want := journal.Valid(raw), json.Valid(raw); got != want {
			t.Errorf("%.100q: %v, want %v", raw, got, want)
		}
	})
}

// largeJournal has n events of the sizes that runs have.
func largeJournal(tb testing.TB, n int) *journal.Journal {
	j := open(tb, tb.TempDir())
	var events []journal.Event
	for i := 0; i < n; i += 4 {
		id := fmt.Sprint("c", i)
		events = append(events,
			user(fmt.Sprint("p", i), fmt.Sprintf("please do thing number %d in step%d.go", i, i%97)),
			event(journal.ActionRequest, id, journal.Action{Tool: "Bash", Input: json.RawMessage(`{"command":"go test ./..."}`)}),
			event(journal.ActionResult, id, journal.Result{Tool: "Bash", Output: strings.Repeat("ok  \tshop/internal/cart\t0.01s\n", 8)}),
			assistant(fmt.Sprint("a", i), "It is done, the tests pass."))
	}
	mustAppend(tb, j, events...)
	return j
}

func BenchmarkOpenView100k(b *testing.B) {
	j := largeJournal(b, 100_000)
	b.ResetTimer()
	for b.Loop() {
		again, err := journal.Open(j.Dir(), nil)
		if err != nil {
			b.Fatal(err)
		}
		if v := viewOf(b, again); len(v.Events()) != 100_000 {
			b.Fatal(len(v.Events()))
		}
	}
}

func BenchmarkUpdateView100k(b *testing.B) {
	j := largeJournal(b, 100_000)
	v := viewOf(b, j)
	n := 0
	for b.Loop() {
		n++
		if _, err := v.Append(context.Background(), user(fmt.Sprint("new", n), "and one more")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearchView100k(b *testing.B) {
	v := viewOf(b, largeJournal(b, 100_000))
	v.Search("step12.go thing", 0)
	for b.Loop() {
		if len(v.Search("step12.go thing", 0)) == 0 {
			b.Fatal("nothing found")
		}
	}
}
