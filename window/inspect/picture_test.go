package inspect_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/journal"
	"orihon/window"
	"orihon/window/inspect"
)

// step is an event of a run at a time of the clock.
func step(t *testing.T, at string, typ journal.Type, id string, payload any) journal.Event {
	t.Helper()
	e, err := journal.New(typ, id, payload)
	if err != nil {
		t.Fatal(err)
	}
	if e.TS, err = time.Parse(time.RFC3339, at); err != nil {
		t.Fatal(err)
	}
	return e
}

func asked(t *testing.T, at, text string) journal.Event {
	return step(t, at, journal.UserMessage, "p"+at, journal.Message{Role: journal.RoleUser, Text: text})
}

func call(t *testing.T, at, id, tool, input string) journal.Event {
	return step(t, at, journal.ActionRequest, id, journal.Action{Tool: tool, Input: json.RawMessage(input)})
}

func picture(t *testing.T, r *inspect.Run, o inspect.BuildOptions) *inspect.Picture {
	t.Helper()
	p, err := r.Picture(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func runOf(t *testing.T, events ...journal.Event) *inspect.Run {
	t.Helper()
	v := journal.NewView()
	if _, err := v.Append(t.Context(), events...); err != nil {
		t.Fatal(err)
	}
	return inspect.New(v)
}

// A heading is plain text of two lines at most; the task keeps its own words.
func TestATaskIsHeadedInPlainText(t *testing.T) {
	for _, c := range []struct{ task, want string }{
		{"Round the cart total half up.", "Round the cart total half up."},
		{"Implement the following plan:\n\n# Plan: **Notices** in the `agent` terminal\n\n## Context\nThey go to stderr.", "Implement the following plan: Plan: Notices in the agent terminal"},
		{"---\n```sh\nmake all\n```\n> 1. See [the guide](https://example.com/a?b) first\nthen more", "See the guide first"},
		{"Why do *.go and *.js differ from snake_case_name and __init__.py?", "Why do *.go and *.js differ from snake_case_name and __init__.py?"},
		{"```\nmake all\n```", "make all"},
		{"  \n\n", ""},
		{"a\u202eb\u0007 </script><img src=x onerror=alert(1)>", "ab </script><img src=x onerror=alert(1)>"},
		{strings.Repeat("word ", 60), strings.TrimSpace(strings.Repeat("word ", 18)) + "…"},
		{strings.Repeat("購物車", 60), string([]rune(strings.Repeat("購物車", 60))[:89]) + "…"},
	} {
		r := runOf(t, asked(t, "2026-08-01T09:00:00Z", "hello"))
		p := picture(t, r, inspect.BuildOptions{Task: c.task})
		if p.Heading != c.want && c.want != "" {
			t.Errorf("%.40q is headed %q, want %q", c.task, p.Heading, c.want)
		}
		if p.Task != c.task && c.want != "" {
			t.Errorf("the task is %.40q, was %.40q", p.Task, c.task)
		}
	}
}

func FuzzHeading(f *testing.F) {
	for _, s := range []string{"# **a** `b`", "```\nx\x1b[2J", "- [ ] [a](b)", "\xff\xfe", "a:\n\nb:\n\nc"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, task string) {
		p := picture(t, runOf(t, asked(t, "2026-08-01T09:00:00Z", "hello")), inspect.BuildOptions{Task: task})
		if strings.ContainsAny(p.Heading, "\n\r\t\x1b\u202e") || len([]rune(p.Heading)) > 90 {
			t.Errorf("%q is headed %q", task, p.Heading)
		}
	})
}

func TestEachCallTellsItsFileOrCommand(t *testing.T) {
	at := "2026-08-01T09:00:00Z"
	r := runOf(t,
		step(t, at, journal.RunStarted, "r", journal.Run{CWD: "/home/dev/shop"}),
		asked(t, at, "Round half up."),
		call(t, at, "t1", "Read", `{"file_path":"/home/dev/shop/cart/total.go"}`),
		call(t, at, "t2", "Bash", `{"command":"cd /home/dev/shop && go test ./cart 2>&1 | tail -5"}`),
		call(t, at, "t3", "Grep", `{"pattern":"roundHalfUp"}`),
		call(t, at, "t4", "Read", `{"file_path":"/etc/hosts"}`),
		call(t, at, "t5", "Strange", `{"n":1}`),
		call(t, at, "t6", "Bash", `{"command":"echo `+strings.Repeat("long ", 100)+`"}`),
	)
	var tools, about []string
	for _, m := range picture(t, r, inspect.BuildOptions{}).Moments {
		tools, about = append(tools, m.Tools...), append(about, m.About...)
	}
	if len(about) != len(tools) || len(about) != 6 {
		t.Fatalf("tools %q are about %q", tools, about)
	}
	if got := about[:5]; !slices.Equal(got, []string{"cart/total.go", "go test ./cart", "roundHalfUp", "/etc/hosts", ""}) {
		t.Errorf("calls are about %q", got)
	}
	if n := len([]rune(about[5])); n > 200 {
		t.Errorf("a command takes %d characters", n)
	}
}

// Half an hour is a pause; one in which a call waited lies within its iteration.
func TestPausesAreTold(t *testing.T) {
	r := runOf(t,
		asked(t, "2026-08-01T09:00:00Z", "one"),
		asked(t, "2026-08-01T09:29:59Z", "soon"),
		asked(t, "2026-08-01T10:00:00Z", "half an hour"),
		asked(t, "2026-08-01T09:50:00Z", "a clock that goes back"),
		asked(t, "2026-08-01T10:20:00Z", "since the later clock"),
		asked(t, "2026-08-01T13:40:00Z", "hours"),
		call(t, "2026-08-01T13:40:01Z", "t1", "Bash", `{"command":"sleep"}`),
		step(t, "2026-08-02T07:00:00Z", journal.ActionResult, "t1", journal.Result{Tool: "Bash", Output: "done"}),
		asked(t, "2026-08-05T07:00:00Z", "days"),
		// What somebody who looked at the run later left in it is no part of it.
		step(t, "2026-09-01T07:00:00Z", journal.Bookmark, "b", map[string]any{"text": "look", "iteration": 1}),
		step(t, "2026-09-02T07:00:00Z", journal.Recalled, "r", map[string]any{"folds": []int{1}}),
	)
	its := map[string]int{}
	for _, m := range picture(t, r, inspect.BuildOptions{}).Moments {
		its[m.Said] = m.Iteration
	}
	want := []inspect.Pause{
		{Iteration: its["half an hour"], Length: 30*time.Minute + time.Second, Text: "30 min"},
		{Iteration: its["hours"], Length: 200 * time.Minute, Text: "3 h 20 min"},
		{Iteration: its["hours"], Within: true, Length: 17*time.Hour + 19*time.Minute + 59*time.Second, Text: "17 h"},
		{Iteration: its["days"], Length: 72 * time.Hour, Text: "3 days"},
	}
	if diff := cmp.Diff(want, picture(t, r, inspect.BuildOptions{}).Pauses); diff != "" {
		t.Error(diff)
	}
}

// A strategy is shown with the zones it has; folds that the journal has from
// elsewhere are nothing to one without.
func TestAPictureShowsTheZonesOfItsStrategy(t *testing.T) {
	all := []string{"static", "working", "short-term", "long-term", "retrieved", "dynamic"}
	for strategy, want := range map[string][]string{
		window.Folding:                  all,
		window.TwoLayer:                 {"static", "working", "summary"},
		window.SlidingWindowCheckpoints: {"static", "working", "summary"},
		window.Milestone:                {"static", "working", "summary"},
		window.SlidingWindow:            {"static", "working"},
	} {
		r := longRun(t, 40, func(int) string { return "Look at a step." })
		ctx, v := t.Context(), r.View()
		f, err := window.NewFolder(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.FoldRange(ctx, window.Input{View: v}, 3, 9); err != nil {
			t.Fatal(err)
		}
		if _, err := v.Append(ctx, step(t, "2026-08-01T09:00:00Z", journal.Summary, "s", map[string]any{
			"text": "Steps were looked at.", "kind": map[string]string{window.TwoLayer: "story", window.Milestone: "chapter", window.SlidingWindowCheckpoints: "checkpoint"}[strategy], "from": 1, "to": 20,
		})); err != nil {
			t.Fatal(err)
		}
		p := picture(t, r, inspect.BuildOptions{Strategy: strategy, Limit: 6000, Options: &window.Options{WindowSize: 10, RecentSize: 10}})
		var names []string
		for _, z := range p.Inspection.Zones {
			names = append(names, z.Name)
			if z.Name == "summary" && (z.Tokens == 0 || z.Room == 0) {
				t.Errorf("%s: what it tells takes %d tokens of %d", strategy, z.Tokens, z.Room)
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s has the zones %q, want %q", strategy, names, want)
		}
		folds := strategy == window.Folding
		if folds != (len(p.Blocks) > 0) {
			t.Errorf("%s shows %d folds", strategy, len(p.Blocks))
		}
		for i, z := range p.Zones {
			switch {
			case folds && z != "working" && z != "short-term" && z != "long-term", !folds && z != "working" && z != "out", !folds && p.Moments[i].Fold != "":
				t.Errorf("%s shows iteration %d in %q, fold %q", strategy, p.Moments[i].Iteration, z, p.Moments[i].Fold)
			}
		}
		if first, last := p.Zones[0], p.Zones[len(p.Zones)-1]; !folds && (first != "out" || last != "working") {
			t.Errorf("%s shows the first iteration %q, the last one %q", strategy, first, last)
		}
	}
}
