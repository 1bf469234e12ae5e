package window_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/journal"
	"orihon/llm"
	"orihon/llm/llmtest"
	"orihon/memory"
	"orihon/window"
)

func TestAPartOfTheWorkEndsWhenTheModelSaysSo(t *testing.T) {
	for text, want := range map[string]bool{
		"The migration is complete.": true, "All done!": true, "Finished.": true, "Phase 1 is finished, moving on to phase 2.": true,
		"登入功能已完成。": true, "這一階段告一段落,進入下一步。": true, "全部完成": true, "测试全部通过。": true,
		"It is not finished yet.": false, "Once this is done we deploy.": false, "Is it completed?": false, "还没完成。": false,
		"如果完成了就部署。": false, "Let me look at the file.": false, "尚未完成測試": false, "": false,
		"```\nthe build is complete\n```": false,
	} {
		if got := window.SaysDone(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestDecisionsAreStatedNotAsked(t *testing.T) {
	for sentence, want := range map[string]bool{
		"We decided to use SQLite.": true, "Let's go with option 2.": true, "Use integers instead of floats: we will use cents.": true,
		"我們決定改用 PostgreSQL。": true, "統一用 UTC。": true,
		"Should we go with option 2?": false, "It truncates instead of rounding.": false, "還沒決定用哪個。": false, "The tests pass.": false,
	} {
		if got := window.Decides(sentence); got != want {
			t.Errorf("%q: %v, want %v", sentence, got, want)
		}
	}
}

func TestTheGistIsMadeOfSentences(t *testing.T) {
	for text, want := range map[string]string{
		"Here is what I found:\n1. **The cache** is never emptied.\n2) It leaks.": "Here is what I found: The cache is never emptied. It leaks.",
		"發現了:\n1、快取沒有清空。":                                                         "發現了: 快取沒有清空。",
		"3.5 seconds is too long. Version 1.2 is not.":                            "3.5 seconds is too long. Version 1.2 is not.",
		"2026 was busy.": "2026 was busy.",
	} {
		if got := window.Gist(text, 200); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestChangesOfOneFileAreCountedTogether(t *testing.T) {
	got := window.Summed([]string{"changed a.go", "changed b (copy).go (2 times)", "committed abc Mend it", "changed a.go (3 times)", "changed b (copy).go", "committed abc Mend it", "changed c.go"})
	want := []string{"changed a.go (4 times)", "changed b (copy).go (3 times)", "committed abc Mend it", "changed c.go"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestImportanceFollowsItsFormula(t *testing.T) {
	for _, tt := range []struct {
		distance, accesses int
		failed             bool
		changed            int
		want               float64
	}{{0, 0, false, 0, 0.3}, {0, 3, true, 6000, 1}, {0, 9, true, 99_999, 1}, {1 << 20, 0, true, 0, 0.2}, {1 << 20, 0, false, 3000, 0.1}} {
		if got := window.Importance(tt.distance, tt.accesses, tt.failed, tt.changed); got < tt.want-0.001 || got > tt.want+0.001 {
			t.Errorf("%+v: %.3f", tt, got)
		}
	}
}

func TestUnknownStrategiesAndOptionsAreRefused(t *testing.T) {
	for _, strategy := range []string{"", window.Folding} {
		if _, err := window.New(strategy, nil); err != nil {
			t.Errorf("%q: %v", strategy, err)
		}
	}
	if _, err := window.New("magic", nil); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "folding") {
		t.Errorf("magic: %v", err)
	}
	if _, err := window.New(window.TwoLayer, &window.Options{SummaryStyle: "poetic"}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("poetic: %v", err)
	}
	if _, err := window.New(window.Folding, &window.Options{Folding: window.FoldingOptions{Working: 0.9}}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("zones above one: %v", err)
	}
}

func TestStrategiesSayWhatTheyNoLongerShow(t *testing.T) {
	checkpoint := &llmtest.Script{Answer: func(llm.Request) (llm.Message, error) {
		return llm.Message{Role: llm.Assistant, Text: "The model's own sentence."}, nil
	}}
	for name, tt := range map[string]struct {
		strategy string
		o        window.Options
		want     []string
	}{
		"sliding": {window.SlidingWindow, window.Options{WindowSize: 10}, []string{"Task: Round.", "earlier iterations are not shown"}},
		"checkpoints": {window.SlidingWindowCheckpoints, window.Options{WindowSize: 10, CheckpointInterval: 10},
			[]string{"Checkpoints of the run so far:", "- Iterations 1–10: ", "- Iterations 61–70: "}},
		"checkpoints by a model": {window.SlidingWindowCheckpoints, window.Options{WindowSize: 10, CheckpointInterval: 10, Model: checkpoint, CheckpointPrompt: "One sentence."},
			[]string{"- Iterations 1–10: The model's own sentence."}},
		"story":     {window.TwoLayer, window.Options{RecentSize: 10, UpdateInterval: 5}, []string{"The story so far:", "[1–5] ", "applyDiscount1"}},
		"milestone": {window.Milestone, window.Options{FallbackInterval: 20}, []string{"Chapters so far:", "Chapter, iterations 1–"}},
		"query":     {window.QueryOnDemand, window.Options{RecentSize: 10}, []string{"query_history(query)"}},
	} {
		messages := drive(t, newBuilder(t, tt.strategy, &tt.o), journal.NewView(), coding(t, 15), window.Input{Task: "Round.", Limit: 50_000})
		text := page(messages)
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in\n%s", name, want, text[:min(len(text), 1500)])
			}
		}
		if strings.Contains(text, "call-1 ") {
			t.Errorf("%s: the first call is still shown", name)
		}
	}
}

func TestABookmarkedIterationStaysInFull(t *testing.T) {
	ctx := context.Background()
	v := journal.NewView()
	b := newBuilder(t, window.Folding, nil)
	in := window.Input{Task: "Round.", Limit: 6000}
	events := coding(t, 6)
	drive(t, b, v, events[:20], in)
	mark, err := journal.New(journal.Bookmark, "", map[string]any{"text": "keep", "iteration": 4})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Append(ctx, mark); err != nil {
		t.Fatal(err)
	}
	last := drive(t, b, v, append(events[20:], coding(t, 12)[90:]...), in)
	if len(v.ByType(journal.Fold)) == 0 {
		t.Fatal("nothing was folded")
	}
	if !strings.Contains(page(last), "step1.go\",\"new_string\"") {
		t.Errorf("iteration 4 is folded:\n%s", page(last))
	}
}

func TestABookmarkMarksOneIteration(t *testing.T) {
	for payload, want := range map[string]int{
		`{"text":"keep","iteration":4}`: 4,
		`{"text":"keep"}`:               11, // it names none: its own
		`{"text":"keep","iteration":0}`: 11,
		`"keep"`:                        11,
	} {
		v := journal.NewView(coding(t, 2)...)
		if v.LastIteration() != 11 {
			t.Fatalf("the run has %d iterations", v.LastIteration())
		}
		if _, err := v.Append(context.Background(), journal.Event{Type: journal.Bookmark, Payload: []byte(payload)}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[int]bool{want: true}, window.Bookmarked(v)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", payload, diff)
		}
	}
}

func TestALongRunIsFoldedInStrides(t *testing.T) {
	v := journal.NewView(coding(t, 400)...)
	b := newBuilder(t, window.Folding, nil)
	build(t, b, window.Input{View: v, Task: "Round.", Limit: 20_000})
	blocks := window.Blocks(v)
	if len(blocks) == 0 || blocks[0].Iterations[0] != 1 {
		t.Fatalf("blocks %+v", blocks)
	}
	for i := 1; i < len(blocks); i++ {
		if blocks[i].Iterations[0] <= blocks[i-1].Iterations[1] {
			t.Errorf("%s and %s overlap", blocks[i-1].ID, blocks[i].ID)
		}
	}
}

func TestATitleSaysWhatHappened(t *testing.T) {
	type step func(s *script)
	say := func(text string) step { return func(s *script) { s.say(text) } }
	edit := func(s *script) {
		s.call("Edit", m{"file_path": "/w/cart.go", "old_string": "a", "new_string": "roundHalfUp(total)"}, "ok", false)
	}
	run := func(failed bool) step {
		return func(s *script) {
			s.call("Bash", m{"command": "go test ./...", "description": "Run the tests"}, map[bool]string{true: "1 test failed", false: "ok"}[failed], failed)
		}
	}
	for want, steps := range map[string][]step{
		"Rounded `Cart.total` half up (cart.go); tests pass":                     {say("yes"), say("Let me round `Cart.total` half up:"), edit, run(false)},
		"Changed cart.go to use `roundHalfUp(total)` instead of `a`; tests fail": {say("I can see the flow."), edit, run(true)},
		"Added roundHalfUp to `Cart` (cart.go); tests pass":                      {say("Let me look."), edit, run(false), say("Done. Added roundHalfUp to `Cart`. Anything else?")},
		"Found: `Cart.total` truncates every sum; set out to fix `Cart.total`": {
			say("Good - `Cart.total` truncates every sum. Let me fix `Cart.total`."),
		},
		"修复 `Cart.total` 的四舍五入 (cart.go)；测试通过": {say("让我修复 `Cart.total` 的四舍五入："), edit, run(false)},
		"Committed “Round half up”": {edit, func(s *script) {
			s.call("Bash", m{"command": "git commit -F - <<'EOF'\nRound half up\nEOF"}, "", false)
		}},
		"Read cart.go; found: `Cart.total` truncates every sum": {
			func(s *script) { s.call("Read", m{"file_path": "/w/cart.go"}, "func total", false) }, say("Perfect! `Cart.total` truncates every sum"),
		},
		"Committed “Round half up”; answered “and is the total of an empty cart zero”: The total of an empty cart is zero": {edit, func(s *script) {
			s.call("Bash", m{"command": "git commit -m 'Round half up'"}, "", false)
			s.user("and is the total of an empty cart zero?")
			s.answer("Yes! The total of an empty cart is zero.")
		}},
		"Asked: “round it”, not answered yet": {},
		// All five were announced, and one edit shows none of them.
		"Changed cart.go to use `roundHalfUp(total)` instead of `a`; set out to fix all 5 issues": {say("I'll fix all 5 issues."), edit},
		// The linter is not there, which says nothing of the code.
		"Rounded `Cart.total` half up (cart.go)": {say("Let me round `Cart.total` half up:"), edit, func(s *script) {
			s.call("Bash", m{"command": "golangci-lint run"}, "bash: golangci-lint: command not found", true)
		}},
		"Ran `bin/drain a`, `bin/reimage a` (asked: “image the first machine again”)": {func(s *script) {
			s.user("image the first machine again")
			s.call("Bash", m{"command": "bin/drain a"}, "drained", false)
			s.call("Bash", m{"command": "cd /w && TRIES=2 bin/reimage a 2>&1"}, "installed", false)
		}},
		// The first round's work, and the second's; a third that only looked is passed over.
		"Rounded `Cart.total` half up (cart.go); wrote NOTES.md; the rounding is described there": {
			say("Let me round `Cart.total` half up:"), edit, func(s *script) {
				s.user("describe the rounding in the notes")
				s.call("Write", m{"file_path": "/w/NOTES.md", "content": "roundHalfUp"}, "ok", false)
				s.answer("The rounding is described there.")
				s.user("show me the cart")
				s.call("Read", m{"file_path": "/w/cart.go"}, "func total", false)
			},
		},
		// What an answer tells of earlier work is not this range's.
		"Answered “what did you do to the totals”: Rounded `Invoice.sum` half up in billing": {func(s *script) {
			s.user("what did you do to the totals?")
			s.answer("I rounded `Invoice.sum` half up in billing.")
		}},
	} {
		s := &script{t: t}
		s.user("round it")
		for _, step := range steps {
			step(s)
		}
		if got := window.TitleOf(journal.NewView(s.events...)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAFoldByHandLeavesOutWhatIsNeverFolded(t *testing.T) {
	v := journal.NewView(coding(t, 20)...)
	f, err := window.NewFolder(nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.FoldRange(context.Background(), window.Input{View: v, Limit: 1 << 20}, 1, 10)
	if !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "never folded are 2 (the first success)") || !strings.Contains(err.Error(), "fold 1-1, 3-10 instead") {
		t.Errorf("a range with the first success: %v", err)
	}
	if len(window.Blocks(v)) > 0 {
		t.Error("something was folded")
	}
}

// A fold of failures holds no success: the first one behind it stays.
func TestTheFirstSuccessBehindAFoldIsNotFolded(t *testing.T) {
	s := &script{t: t}
	s.user("make the tests pass")
	long := strings.Repeat("panic: the store is locked by another process\n", 60)
	for i := range 6 {
		s.call("Bash", map[string]any{"command": fmt.Sprint("go test -run Test", i, " ./...")}, long, true)
	}
	for i := range 12 {
		s.call("Bash", map[string]any{"command": fmt.Sprint("go test -run Test", i%6, " ./...")}, strings.Repeat("--- PASS: TestStore\n", 100), false)
	}
	in := window.Input{View: journal.NewView(s.events...), Limit: 1 << 20}
	f, err := window.NewFolder(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.FoldRange(context.Background(), in, 1, 5); err != nil {
		t.Fatal(err)
	}
	if _, err := f.FoldRange(context.Background(), in, 6, 12); !errors.Is(err, memory.ErrInvalid) || !strings.Contains(err.Error(), "never folded are 7 (the first success)") {
		t.Errorf("the first success was folded: %v", err)
	}
}
