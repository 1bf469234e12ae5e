package window_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orihon/journal"
	"orihon/window"
)

// anyRun draws a run such as clients leave: parallel and late results, calls
// without an id or a result, huge and empty texts, Chinese, broken inputs.
func anyRun(rt *rapid.T, t testing.TB) []journal.Event {
	s := &script{t: t}
	texts := rapid.SampledFrom([]string{
		"ok", "修正登入錯誤,不要動公開介面。", "Fix `parseDate` in dates.go. Never touch the API.", "Done: all tests pass.", "進入下一步",
		strings.Repeat("a long line of prose that goes on and on. ", 60), strings.Repeat("好", 900), "x\xff\x00y", " ",
	})
	outputs := rapid.SampledFrom([]string{"", "ok", "Exit code 1\nerror: parseDate undefined in dates.go", strings.Repeat("line of output\n", 400), strings.Repeat("錯誤", 3000)})
	inputs := rapid.SampledFrom([]string{`{"command":"go test ./..."}`, `{"file_path":"/home/dev/dates.go"}`, `{ "b":1,  "a":2 }`, `[1,2]`, `"text"`,
		`{"file_path":"/home/dev/dates.go","new_string":"` + strings.Repeat("code ", 400) + `"}`})
	tools := rapid.SampledFrom([]string{"Bash", "Read", "Edit", "mcp__milestones__reach_milestone"})
	var late []journal.Event
	for i := range rapid.IntRange(1, 60).Draw(rt, "steps") {
		switch rapid.IntRange(0, 9).Draw(rt, "kind") {
		case 0:
			s.user(texts.Draw(rt, "text"))
		case 1:
			s.answer(texts.Draw(rt, "text"))
		case 2:
			s.think(texts.Draw(rt, "text"))
		case 3:
			s.say(texts.Draw(rt, "text"))
		case 4: // without an id
			s.add(journal.ActionRequest, "", journal.Action{Tool: "Bash", Input: json.RawMessage(inputs.Draw(rt, "input"))})
			s.add(journal.ActionResult, "", journal.Result{Tool: "Bash", Output: outputs.Draw(rt, "output")})
		case 5: // a result that nobody asked for, or comes late
			s.add(journal.ActionResult, fmt.Sprintf("orphan-%d", i), journal.Result{Tool: "Task", Output: outputs.Draw(rt, "output")})
		case 6: // parallel calls, one result late or never
			for k := range 3 {
				s.add(journal.ActionRequest, fmt.Sprintf("par-%d-%d", i, k), journal.Action{Tool: tools.Draw(rt, "tool"), Input: json.RawMessage(inputs.Draw(rt, "input"))})
			}
			for k := range 3 {
				e, err := journal.New(journal.ActionResult, fmt.Sprintf("par-%d-%d", i, k), journal.Result{Output: outputs.Draw(rt, "output")})
				if err != nil {
					rt.Fatal(err)
				}
				if rapid.Bool().Draw(rt, "late") {
					late = append(late, e)
				} else {
					s.events = append(s.events, e)
				}
			}
		case 7:
			s.events = append(s.events, late...)
			late = nil
		default:
			s.call(tools.Draw(rt, "tool"), inputs.Draw(rt, "input"), outputs.Draw(rt, "output"), rapid.Bool().Draw(rt, "failed"))
		}
	}
	return s.events
}

func TestNoStrategyLeavesTheWindowOrBreaksAConversation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		events := anyRun(rt, t)
		limit := rapid.SampledFrom([]int{150, 300, 1000, 4000, 20_000}).Draw(rt, "limit")
		strategy := rapid.SampledFrom(window.Strategies()).Draw(rt, "strategy")
		o := &window.Options{WindowSize: rapid.IntRange(1, 60).Draw(rt, "size"), CheckpointInterval: 5, UpdateInterval: 3, RecentSize: 6, FallbackInterval: 7}
		b := newBuilder(t, strategy, o)
		v := journal.NewView()
		in := window.Input{View: v, System: "Be careful.", Task: "Mend the dates.", Limit: limit}
		for _, it := range journal.NewView(events...).Iterations(0, 0) {
			if _, err := v.Append(context.Background(), it.Events...); err != nil {
				rt.Fatal(err)
			}
			if err := b.OnIterationComplete(context.Background(), in); err != nil {
				rt.Fatal(err)
			}
			// Build itself checks roles, pairs and the limit.
			if _, err := window.Build(context.Background(), b, in); err != nil {
				rt.Fatalf("%s at %d, iteration %d: %v", strategy, limit, it.N, err)
			}
		}
	})
}

func TestUnfoldingRestoresEveryByte(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := journal.NewView(anyRun(rt, t)...)
		if v.LastIteration() < 2 {
			return
		}
		ctx := context.Background()
		in := window.Input{View: v, Limit: 10_000_000}
		f, err := window.NewFolder(nil)
		if err != nil {
			rt.Fatal(err)
		}
		type undo struct {
			ref    string
			before []window.Message
		}
		first := build(t, f, in)
		var stack []undo
		for range rapid.IntRange(1, 12).Draw(rt, "moves") {
			before := build(t, f, in)
			if len(stack) > 0 && rapid.IntRange(0, 3).Draw(rt, "undo") == 0 {
				last := stack[len(stack)-1]
				if _, err := f.Unfold(ctx, v, last.ref); err != nil {
					rt.Fatal(err)
				}
				if diff := cmp.Diff(last.before, build(t, f, in)); diff != "" {
					rt.Fatalf("unfolding %s (-before +after):\n%s", last.ref, diff)
				}
				stack = stack[:len(stack)-1]
				continue
			}
			from := rapid.IntRange(1, v.LastIteration()).Draw(rt, "from")
			to := rapid.IntRange(from, v.LastIteration()).Draw(rt, "to")
			b, err := f.FoldRange(ctx, in, from, to)
			if err != nil {
				if diff := cmp.Diff(before, build(t, f, in)); diff != "" {
					rt.Fatalf("a refused fold changed the context:\n%s", diff)
				}
				continue
			}
			stack = append(stack, undo{b.Ref(), before})
			// Another reader of the journal sees the same.
			other, err := window.NewFolder(nil)
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(build(t, f, in), build(t, other, in)); diff != "" {
				rt.Fatalf("two readers of one journal see different contexts:\n%s", diff)
			}
		}
		for len(window.Blocks(v)) > 0 { // whatever is on top, in any order
			top := window.Blocks(v)
			n := rapid.IntRange(0, len(top)-1).Draw(rt, "which")
			if _, err := f.Unfold(ctx, v, top[n].Ref()); err != nil {
				rt.Fatal(err)
			}
		}
		if diff := cmp.Diff(first, build(t, f, in)); diff != "" {
			rt.Fatalf("everything unfolded (-first +last):\n%s", diff)
		}
	})
}

func TestBetweenEpochsAContextOnlyGrowsAtItsEnd(t *testing.T) {
	v := journal.NewView()
	b := newBuilder(t, window.Folding, nil)
	in := window.Input{View: v, System: "s", Task: "Round.", Limit: 8000}
	var before []window.Message
	folds := 0
	for _, it := range journal.NewView(coding(t, 40)...).Iterations(0, 0) {
		if _, err := v.Append(context.Background(), it.Events...); err != nil {
			t.Fatal(err)
		}
		if err := b.OnIterationComplete(context.Background(), in); err != nil {
			t.Fatal(err)
		}
		now := build(t, b, in)
		if n := len(v.ByType(journal.Fold)); n > folds {
			folds = n
		} else if len(now) < len(before) || len(before) > 0 && !cmp.Equal(before, now[:len(before)]) {
			t.Fatalf("iteration %d: the beginning changed without an epoch:\n%s", it.N, cmp.Diff(before, now))
		}
		before = now
	}
	if folds < 3 {
		t.Errorf("%d epochs, want several", folds)
	}
}

func TestInputsOfCallsComeBackByteForByte(t *testing.T) {
	s := &script{t: t}
	s.user("go")
	const input = `{ "z": 1,	"a": [ 1,2 ],  "ü": "\u00e9<&>" }`
	s.call("Bash", input, "ok", false)
	v := journal.NewView(s.events...)
	for _, strategy := range window.Strategies() {
		found := false
		for _, m := range build(t, newBuilder(t, strategy, nil), window.Input{View: v}) {
			for _, c := range m.Calls {
				found = true
				if string(c.Input) != input {
					t.Errorf("%s: input %s, want %s", strategy, c.Input, input)
				}
			}
		}
		if !found {
			t.Errorf("%s: the call is missing", strategy)
		}
	}
}

func TestAWindowTooSmallForItsHeadIsAnError(t *testing.T) {
	v := journal.NewView(coding(t, 1)...)
	for _, strategy := range window.Strategies() {
		_, err := window.Build(context.Background(), newBuilder(t, strategy, nil), window.Input{View: v, System: strings.Repeat("law ", 200), Limit: 100})
		if !errors.Is(err, window.ErrBudget) {
			t.Errorf("%s: %v, want %v", strategy, err, window.ErrBudget)
		}
	}
}

func TestALongOutputLeavesHeadTailAndAReference(t *testing.T) {
	s := &script{t: t}
	s.user("print it")
	s.call("Bash", m{"command": "cat log"}, "FIRST "+strings.Repeat("middle ", 50_000)+"LAST", false)
	messages := build(t, newBuilder(t, "", &window.Options{OffloadTokens: 300}), window.Input{View: journal.NewView(s.events...)})
	text := messages[len(messages)-1].Result.Text
	for _, want := range []string{"FIRST", "LAST", "show_history(event: 3)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %q", want, text)
		}
	}
	if n := window.Cost(window.Message{Text: text}, nil); n > 310 {
		t.Errorf("%d tokens of output, want about 300", n)
	}
	whole, err := window.CallTool(context.Background(), journal.NewView(s.events...), window.ShowHistory, json.RawMessage(`{"event":3,"page":2}`))
	if err != nil || !strings.Contains(whole, "middle middle") {
		t.Errorf("the second page is %.60q, %v", whole, err)
	}
}
