package guard

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// speaker is a rule that says its name.
func speaker(name string) Rule {
	return Rule{Name: name, On: []Kind{Asked}, judge: func(*Options, *Event, []byte) (Verdict, []byte, error) {
		return Verdict{Do: Say, Cause: name, Text: name + " speaks"}, []byte(`{"n":1}`), nil
	}}
}

func said(d Decision) string {
	var out []string
	for _, v := range d.Say {
		out = append(out, v.Rule)
	}
	return strings.Join(out, " ")
}

func TestARuleThatFailsCostsItsOwnVerdictOnly(t *testing.T) {
	for name, judge := range map[string]func(*Options, *Event, []byte) (Verdict, []byte, error){
		"panics": func(*Options, *Event, []byte) (Verdict, []byte, error) { panic("no") },
		"loops":  func(*Options, *Event, []byte) (Verdict, []byte, error) { select {} },
		"crashes": func(*Options, *Event, []byte) (Verdict, []byte, error) {
			pages := map[string]*Page{}
			return Verdict{Text: pages["none"].Text}, nil, nil
		},
		"errs": func(*Options, *Event, []byte) (Verdict, []byte, error) { return Verdict{}, nil, errors.New("no") },
	} {
		t.Run(name, func(t *testing.T) {
			bad := Rule{Name: "bad", On: []Kind{Asked}, judge: judge}
			g := New(&Options{Limit: 2 * time.Second, rules: []Rule{speaker("first"), bad, speaker("last")}})
			st := State{Rules: map[string]json.RawMessage{"bad": json.RawMessage(`{"kept":true}`)}}
			d := g.Judge(context.Background(), &Event{Kind: Asked}, &st)
			if said(d) != "first last" || len(d.Failed) != 1 {
				t.Errorf("said %q, failed %v", said(d), d.Failed)
			}
			if string(st.Rules["bad"]) != `{"kept":true}` || string(st.Rules["first"]) != `{"n":1}` {
				t.Errorf("remembered %s", st.Rules)
			}
		})
	}
}

// wild are ways in which a rule may go wrong.
var wild = map[string]func(*Options, *Event, []byte) (Verdict, []byte, error){
	"panics":             func(*Options, *Event, []byte) (Verdict, []byte, error) { panic("no") },
	"panics with nil":    func(*Options, *Event, []byte) (Verdict, []byte, error) { panic(nil) },
	"loops":              func(*Options, *Event, []byte) (Verdict, []byte, error) { select {} },
	"ends its goroutine": func(*Options, *Event, []byte) (Verdict, []byte, error) { runtime.Goexit(); return Verdict{}, nil, nil },
	"errs":               func(*Options, *Event, []byte) (Verdict, []byte, error) { return Verdict{}, nil, errors.New("no") },
}

// Whichever rule goes wrong, and however, the others say, block and remember what
// they would say, block and remember without it.
func TestAnyRuleThatGoesWrongCostsItsOwnVerdictOnly(t *testing.T) {
	outcome := func(st *State, d *Decision, but string) map[string]string {
		out := map[string]string{}
		for _, v := range d.Spoke() {
			out[v.Rule] += v.Text + "\n"
		}
		for rule, memory := range st.Rules {
			out[rule] += string(memory)
		}
		delete(out, but)
		return out
	}
	for way, judge := range wild {
		for n, r := range Rules() {
			t.Run(way+"/"+r.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					rules := Rules()
					rules[n].judge = judge
					if way == "loops" { // until the test is over
						rules[n].judge = func(*Options, *Event, []byte) (Verdict, []byte, error) {
							<-t.Context().Done()
							return Verdict{}, nil, nil
						}
					}
					sound, broken := New(&Options{StopGate: true, Tokens: 4000}), New(&Options{StopGate: true, Tokens: 4000, rules: rules})
					var before, after State
					for _, e := range everyEvent() {
						want, got := sound.Judge(t.Context(), &e, &before), broken.Judge(t.Context(), &e, &after)
						if diff := cmp.Diff(outcome(&before, &want, r.Name), outcome(&after, &got, r.Name)); diff != "" {
							t.Errorf("%s (-without, +with)\n%s", e.Kind, diff)
						}
						if wrong := slices.Contains(r.On, e.Kind); (len(got.Failed) == 1) != wrong {
							t.Errorf("%s: failed %v", e.Kind, got.Failed)
						}
					}
				})
			})
		}
	}
}

// What no guard has left is taken out, so that it costs one hook and not all.
func TestAMemoryThatIsTooLargeIsBegunAfresh(t *testing.T) {
	huge := json.RawMessage(`"` + strings.Repeat("x", maxMemory) + `"`)
	for _, r := range append(Rules(), Rule{Name: "of another version"}) {
		st := State{Rules: map[string]json.RawMessage{r.Name: huge, "kept": json.RawMessage(`{}`)}, Said: make([]string, 10_000), Tokens: -100}
		d := New(nil).Judge(t.Context(), &Event{Kind: Asked}, &st)
		if len(d.Failed) != 1 || !strings.Contains(d.Failed[0].Error(), r.Name) || st.Rules[r.Name] != nil || st.Rules["kept"] == nil {
			t.Errorf("%s: failed %v", r.Name, d.Failed)
		}
		if len(st.Said) > maxSaid || st.Tokens < 0 {
			t.Errorf("%d causes and %d tokens are left", len(st.Said), st.Tokens)
		}
	}
}

func TestALoopIsLeftAloneInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		loop := Rule{Name: "loop", On: []Kind{Asked}, judge: func(*Options, *Event, []byte) (Verdict, []byte, error) {
			<-stop
			return Verdict{Do: Say, Text: "late"}, nil, nil
		}}
		d := New(&Options{rules: []Rule{loop}}).Judge(t.Context(), &Event{Kind: Asked}, &State{})
		if len(d.Say) != 0 || len(d.Failed) != 1 || !errors.Is(d.Failed[0], errLate) {
			t.Errorf("%+v", d)
		}
		close(stop)
	})
}

func TestABrokenMemoryIsBegunAfresh(t *testing.T) {
	for _, broken := range []string{`[1,2]`, `"x"`, `{"open":3}`, `{"errors":{"a":1},"step":"x"}`, `null`} {
		st := State{Rules: map[string]json.RawMessage{}}
		for _, r := range Rules() {
			st.Rules[r.Name] = json.RawMessage(broken)
		}
		g := New(&Options{StopGate: true})
		for _, e := range everyEvent() {
			if d := g.Judge(t.Context(), &e, &st); len(d.Failed) > 0 {
				t.Errorf("%s, %s: %v", broken, e.Kind, d.Failed)
			}
		}
		Troubles(&st)
	}
}

func everyEvent() []Event {
	return []Event{
		{Kind: Began}, {Kind: Asked}, {Kind: Acting, Call: Call{Page: &Page{Path: "docs/ai/x.md", Name: "x.md", Text: "# X\ntext\n"}}},
		{Kind: Acted, Call: Call{Subject: "$ go test", Name: "`go test`", Command: "go test ./...", Failed: true, Output: "--- FAIL: TestX (0.1s)"}},
		{Kind: Acted, Call: Call{Edits: true, Files: []string{"a.go"}, Gone: "a", Added: "b"}, Documents: []Document{{Path: "d.md", File: "a.go", Mapped: true}}},
		{Kind: Stopping},
	}
}

func TestRemindersAreSaidOnceWithinTheirTokensTheMostUrgentFirst(t *testing.T) {
	g := New(&Options{rules: []Rule{speaker("a"), speaker("b"), speaker("c")}, Tokens: 7, Estimate: func(string) int { return 3 }})
	var st State
	if got := said(g.Judge(t.Context(), &Event{Kind: Asked}, &st)); got != "a b" {
		t.Errorf("said %q, want the first two", got)
	}
	if got := said(g.Judge(t.Context(), &Event{Kind: Asked}, &st)); got != "" || st.Tokens != 6 {
		t.Errorf("said %q again, %d tokens", got, st.Tokens)
	}
}

func TestARuleThatIsOffIsSilent(t *testing.T) {
	e := Event{Kind: Acted, Call: Call{Edits: true, Files: []string{"a.go"}}, Documents: []Document{{Path: "d.md", File: "a.go", Mapped: true}}}
	for _, off := range []string{"", DriftRule} {
		st := State{}
		d := New(&Options{Off: []string{off}}).Judge(t.Context(), &e, &st)
		if (len(d.Say) == 0) != (off == DriftRule) || off != "" && st.Rules[DriftRule] != nil {
			t.Errorf("off %q: said %q, remembers %s", off, said(d), st.Rules)
		}
	}
}

func TestTheStopGateBlocksTwiceAndRespectsOthers(t *testing.T) {
	g, st := New(&Options{StopGate: true}), &State{}
	change := func() {
		g.Judge(t.Context(), &Event{Kind: Acted, Call: Call{Edits: true, Files: []string{"a.go"}}}, st)
	}
	stop := func(agent string, continued bool) string {
		d := g.Judge(t.Context(), &Event{Kind: Stopping, Agent: agent, Continued: continued}, st)
		switch {
		case d.Block != nil:
			return "block"
		case len(d.Tell) > 0:
			return "warn"
		}
		return "go"
	}
	change()
	for i, want := range []string{"block", "block", "warn", "go"} {
		if got := stop("", i > 0); got != want {
			t.Errorf("stop %d: %s, want %s", i+1, got, want)
		}
	}
	change()
	if got := stop("", true); got != "go" {
		t.Errorf("another hook kept the agent going, and ours: %s", got)
	}
	if got := stop("sub", false); got != "go" {
		t.Errorf("a sub-agent that changed nothing: %s", got)
	}
	g.Judge(t.Context(), &Event{Kind: Acted, Call: Call{Keeps: true}}, st)
	if got := stop("", false); got != "go" {
		t.Errorf("what is in memory is blocked: %s", got)
	}
	if off := New(nil); len(off.rules) != len(Rules())-1 {
		t.Error("the stop gate is on by itself")
	}
}

func TestTheFormOfAPage(t *testing.T) {
	exists := func(name string) bool { return name == "release.md" }
	for _, c := range []struct{ name, text, want string }{
		{"release.md", "# Release\n\nTag, then push.\n", ""},
		{"release.md", "no title\n", "begins with a title"},
		{"release.md", "# A\nx\n# B\ny\n", "one topic a file"},
		{"release.md", "# A\n```\n# no title\n```\n", ""},
		{"release.md", "# A\n", "says nothing"},
		{"Release Steps.md", "# A\nx\n", "small letters"},
		{"發佈.md", "# 發佈\n打標籤\n", ""},
		{"release.md", "# A\n<<<<<<< HEAD\nx\n", "conflict"},
		{"_INDEX.md", "# Index\n- [Release](release.md)\n- [Gone](gone.md)\n", "gone.md"},
		{"_INDEX.md", "# Index\n- [Release](./release.md#tag)\n- [Site](https://x.test/a.md)\n", ""},
		{"_CHANGELOG.md", "# Changes\n- 2026-01-31 release page\n- later\n", "line 3"},
	} {
		p := &Page{Path: "docs/ai/" + c.name, Name: c.name, Text: c.text, New: true, Exists: exists}
		got := p.wrong(&Event{Language: "en"})
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %q: %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

func TestEverythingIsWordedInEachLanguage(t *testing.T) {
	count := map[string]int{}
	for line := range strings.Lines(wordings) {
		if strings.HasPrefix(line, ";") || strings.TrimSpace(line) == "" {
			continue
		}
		name, text, ok := strings.Cut(line, "] = ")
		name, _, _ = strings.Cut(name, "[")
		if !ok {
			t.Errorf("wording.txt: %q", line)
		}
		en := wording(name, "en")
		if strings.Count(en, "%s") != strings.Count(text, "%s") || strings.Count(en, "%d") != strings.Count(text, "%d") {
			t.Errorf("%s is filled in otherwise than in English: %s", name, text)
		}
		count[name]++
	}
	for name, n := range count {
		if n != 3 {
			t.Errorf("%s has %d languages, want 3", name, n)
		}
	}
}

func FuzzReadFailure(f *testing.F) {
	f.Add("--- FAIL: TestX (0.1s)\n a.go:1:2: error\n")
	f.Add("\x1b[31m✕ 計算 (12 ms)\x1b[0m\x00")
	f.Fuzz(func(t *testing.T, output string) {
		a, b := readFailure(output), readFailure(output)
		if !a.empty() && !a.touches(&b) && len(a.Tests) == len(b.Tests) {
			t.Errorf("%q is not like itself: %+v", output, a)
		}
		misuse(output)
	})
}
