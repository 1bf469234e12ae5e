package window_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/tokens"
	"orihon/journal"
	"orihon/llm"
	"orihon/llm/llmtest"
	"orihon/memory"
	"orihon/window"
)

// onDisk writes a run into a journal and opens a view of it.
func onDisk(t testing.TB, dir string, events []journal.Event) *journal.View {
	t.Helper()
	j, err := journal.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(events) > 0 {
		if _, err := j.Append(context.Background(), events...); err != nil {
			t.Fatal(err)
		}
	}
	v, err := j.View(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAFoldThatCannotBeCommittedLeavesTheContextAsItWas(t *testing.T) {
	dir := t.TempDir()
	v := onDisk(t, dir, coding(t, 10))
	ctx := context.Background()
	f, err := window.NewFolder(nil)
	if err != nil {
		t.Fatal(err)
	}
	in := window.Input{View: v, Limit: 1 << 20}
	before := build(t, f, in)
	text, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}

	// A folder where the lock should be: real for root, too.
	lock := filepath.Join(dir, ".lock")
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(lock, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := f.FoldRange(ctx, in, 3, 30); err == nil {
		t.Fatal("a fold was committed to a journal that cannot be written")
	}
	if diff := cmp.Diff(before, build(t, f, in)); diff != "" {
		t.Errorf("the context changed:\n%s", diff)
	}
	// Under pressure the window holds all the same.
	small := in
	small.Limit = 3000
	build(t, f, small)
	if why := f.Stats().Refusal; !strings.Contains(why, ".lock") {
		t.Errorf("the refusal %q does not name what is wrong", why)
	}
	if now, _ := os.ReadFile(filepath.Join(dir, "journal.jsonl")); !bytes.Equal(now, text) {
		t.Error("the journal changed")
	}

	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	b, err := f.FoldRange(ctx, in, 3, 30)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Unfold(ctx, v, b.Ref()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, build(t, f, in)); diff != "" {
		t.Errorf("fold and unfold after the fault:\n%s", diff)
	}
}

// A process killed while the one event of a fold is written leaves a prefix of
// its line: the context is as before the fold, or as after it.
func TestAFoldCutAtAnyByteIsThereOrNot(t *testing.T) {
	dir := t.TempDir()
	v := onDisk(t, dir, coding(t, 6))
	in := window.Input{View: v, Limit: 1 << 20}
	f, err := window.NewFolder(nil)
	if err != nil {
		t.Fatal(err)
	}
	before := build(t, f, in)
	path := filepath.Join(dir, "journal.jsonl")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.FoldRange(context.Background(), in, 3, 20); err != nil {
		t.Fatal(err)
	}
	after := build(t, f, in)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if cmp.Equal(before, after) {
		t.Fatal("the fold changed nothing")
	}
	for cut := len(old); cut <= len(whole); cut += max(1, (len(whole)-len(old))/40) {
		torn := filepath.Join(t.TempDir(), "s")
		if err := os.MkdirAll(torn, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(torn, "journal.jsonl"), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		other, err := window.NewFolder(nil)
		if err != nil {
			t.Fatal(err)
		}
		now := build(t, other, window.Input{View: onDisk(t, torn, nil), Limit: 1 << 20})
		if want := map[bool][]window.Message{false: before, true: after}[cut == len(whole)]; !cmp.Equal(want, now) {
			t.Fatalf("cut at byte %d of %d:\n%s", cut-len(old), len(whole)-len(old), cmp.Diff(want, now))
		}
	}
}

func TestAResumedRunSeesTheSameContext(t *testing.T) {
	dir := t.TempDir()
	v := onDisk(t, dir, nil)
	in := window.Input{System: "s", Task: "Round.", Limit: 6000}
	b := newBuilder(t, window.Folding, nil)
	want := drive(t, b, v, coding(t, 20), in)
	in.View = onDisk(t, dir, nil)
	if diff := cmp.Diff(want, build(t, newBuilder(t, window.Folding, nil), in)); diff != "" {
		t.Errorf("resumed (-want +got):\n%s", diff)
	}
	in.View = onDisk(t, dir, nil).ReadOnly()
	in.Limit = 2000
	build(t, newBuilder(t, window.Folding, nil), in) // who may only look gets a context, too
	if n := len(in.View.ByType(journal.Fold)); n != len(v.ByType(journal.Fold)) {
		t.Errorf("a read-only view has %d folds now", n)
	}
}

func TestAModelsSummariesAreCheckedAndReplacedWhereTheyAreNone(t *testing.T) {
	good := &llmtest.Script{Answer: func(r llm.Request) (llm.Message, error) {
		if strings.Contains(r.Messages[1].Text, "Summary: Rounding mended") {
			return llm.Message{Role: llm.Assistant, Text: "- The offset is half of the divisor.\n- See invented_file.go.\nNONE"}, nil
		}
		return llm.Message{Role: llm.Assistant, Text: "Sure:\n```json\n" + `{"title":"Rounding mended","content":"The model tells it in its words.","outcome":"tests pass"}` + "\n```"}, nil
	}}
	inventing := &llmtest.Script{Answer: func(llm.Request) (llm.Message, error) {
		return llm.Message{Role: llm.Assistant, Text: `{"title":"Rounding mended","content":"It rewrote nowhere_to_be_found.go.","outcome":""}`}, nil
	}}
	bad := &llmtest.Script{Answer: func(llm.Request) (llm.Message, error) {
		return llm.Message{Role: llm.Assistant, Text: "I would rather not."}, nil
	}}
	broken := &llmtest.Script{Answer: func(llm.Request) (llm.Message, error) { return llm.Message{}, errors.New("overloaded") }}
	for name, tt := range map[string]struct {
		model *llmtest.Script
		told  bool
		asked int
	}{"good": {good, true, 2}, "refusing": {bad, false, 1}, "failing": {broken, false, 1}, "inventing": {inventing, false, 1}} {
		v := journal.NewView(coding(t, 10)...)
		f, err := window.NewFolder(&window.Options{Model: tt.model})
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.FoldRange(context.Background(), window.Input{View: v, Limit: 1 << 20}, 3, 15)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Summary.Content == "The model tells it in its words."; got != tt.told {
			t.Errorf("%s: content %q", name, b.Summary.Content)
		}
		// What the model left out stands in the index fields.
		all, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"step2.go", "FAIL: Test2", "integer arithmetic", "applyDiscount2", "committed abc0002"} {
			if !strings.Contains(string(all), want) {
				t.Errorf("%s: %q is lost in %s", name, want, all)
			}
		}
		if tt.told && !slices.Equal(b.Summary.Gaps, []string{"The offset is half of the divisor."}) {
			t.Errorf("%s: gaps %q", name, b.Summary.Gaps)
		}
		// The same range is not summed up twice, by another reader neither.
		if _, err := f.Unfold(context.Background(), v, b.Ref()); err != nil {
			t.Fatal(err)
		}
		again, err := window.NewFolder(&window.Options{Model: tt.model})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := again.FoldRange(context.Background(), window.Input{View: v, Limit: 1 << 20}, 3, 15); err != nil {
			t.Fatal(err)
		}
		if n := len(tt.model.Asked()); n != tt.asked {
			t.Errorf("%s: the model was asked %d times, want %d", name, n, tt.asked)
		}
	}
}

func TestWhatIsFoldedIsFoundAndOpened(t *testing.T) {
	ctx := context.Background()
	v := journal.NewView(coding(t, 20)...)
	f, err := window.NewFolder(nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.FoldRange(ctx, window.Input{View: v, Limit: 1 << 20}, 3, 60)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := window.CallTool(ctx, v, window.QueryHistory, json.RawMessage(`{"query":"applyDiscount3"}`))
	if err != nil || !strings.Contains(answer, "applyDiscount3") || !strings.Contains(answer, b.Ref()) {
		t.Errorf("query: %q, %v", answer, err)
	}
	if got, err := window.CallTool(ctx, v, window.QueryHistory, json.RawMessage(`{"query":"公開的介面"}`)); err != nil || !strings.Contains(got, "不要改動") {
		t.Errorf("a Chinese query: %q, %v", got, err)
	}
	text, err := window.CallTool(ctx, v, window.ShowHistory, json.RawMessage(`{"fold":"`+b.Ref()+`"}`))
	if err != nil || !strings.Contains(text, "Round applyDiscount7 half up") {
		t.Errorf("opening %s: %.80q, %v", b.Ref(), text, err)
	}
	if n := len(v.ByType(journal.Recalled)); n != 3 {
		t.Errorf("%d accesses noted, want 3", n)
	}
	sum, err := window.CallTool(ctx, v, window.SummarizePhase, json.RawMessage(`{"start":1,"end":20}`))
	if err != nil || !strings.Contains(sum, "step2.go") {
		t.Errorf("summarize_phase: %q, %v", sum, err)
	}
	for tool, input := range map[string]string{
		window.QueryHistory: `{"query":" "}`, window.ShowHistory: `{"fold":"F99"}`, window.SummarizePhase: `{"start":900,"end":901}`, "other": `{}`,
	} {
		if _, err := window.CallTool(ctx, v, tool, json.RawMessage(input)); err == nil {
			t.Errorf("%s %s was answered", tool, input)
		}
	}
}

// An answer of query_history holds as much as there is room for: more passages where
// they are short, fewer where they are long.
func TestAQueryAnswersWithinItsRoom(t *testing.T) {
	for tail, least := range map[string]int{"": 25, strings.Repeat(" and so on at length", 40): 8} {
		var events []journal.Event
		for i := range 60 {
			e, err := journal.New(journal.UserMessage, "", journal.Message{Role: journal.RoleUser, Text: fmt.Sprintf("voucher %d is void%s", i, tail)})
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, e)
		}
		answer, err := window.CallTool(t.Context(), journal.NewView(events...), window.QueryHistory, json.RawMessage(`{"query":"voucher"}`))
		if err != nil {
			t.Fatal(err)
		}
		if n, cost := strings.Count(answer, "\n"), tokens.Estimate(answer); n < least || cost > 1500 || 2*cost < 1500 {
			t.Errorf("%d passages in %d tokens, want at least %d in about 1500", n, cost, least)
		}
	}
}

func TestPagesTogetherAreTheWholeText(t *testing.T) {
	s := &script{t: t}
	s.user("列出來")
	s.call("Bash", m{"command": "cat big"}, strings.Repeat("好 abc\n", 40_000), false)
	v := journal.NewView(s.events...)
	var all strings.Builder
	_, pages, err := window.Expand(v, 1, 1, 1)
	if err != nil || pages < 2 {
		t.Fatalf("%d pages, %v", pages, err)
	}
	for n := 1; n <= pages; n++ {
		text, _, err := window.Expand(v, 1, 1, n)
		if err != nil {
			t.Fatal(err)
		}
		if size := window.Cost(window.Message{Text: text}, nil); size > window.PageTokens {
			t.Errorf("page %d has %d tokens", n, size)
		}
		all.WriteString(text)
	}
	if !strings.Contains(all.String(), strings.Repeat("好 abc\n", 40_000)) {
		t.Error("the pages are not the text")
	}
	if _, _, err := window.Expand(v, 1, 1, pages+1); err == nil {
		t.Error("a page that is not there was given")
	}
}

func TestAFailureRecallsWhatChangedItsSubject(t *testing.T) {
	v := journal.NewView()
	b := newBuilder(t, window.Folding, nil)
	in := window.Input{Task: "Round.", Limit: 6000}
	events := coding(t, 14)
	s := &script{t: t, events: events, calls: 5000}
	s.call("Bash", m{"command": "go vet ./..."}, "Exit code 1\ninternal/cart/step2.go:7: undefined: half", true)
	messages := drive(t, b, v, s.events, in)
	text := page(messages)
	if !strings.Contains(text, "because an operation on step2.go failed") || !strings.Contains(text, "applyDiscount2.half") {
		t.Errorf("nothing was recalled:\n%s", text[max(0, len(text)-2000):])
	}
}

func TestTwoProcessesThatFoldAtOnceLeaveOneContext(t *testing.T) {
	dir := t.TempDir()
	a, b := onDisk(t, dir, coding(t, 10)), onDisk(t, dir, nil)
	ctx := context.Background()
	first, err := window.NewFolder(nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := window.NewFolder(nil)
	if err != nil {
		t.Fatal(err)
	}
	before := build(t, first, window.Input{View: a, Limit: 1 << 20})
	build(t, second, window.Input{View: b, Limit: 1 << 20})
	block, err := first.FoldRange(ctx, window.Input{View: a, Limit: 1 << 20}, 3, 20)
	if err != nil {
		t.Fatal(err)
	}
	// The second does not know of it yet and gives the same number.
	if _, err := second.FoldRange(ctx, window.Input{View: b, Limit: 1 << 20}, 5, 30); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("the second fold: %v, want %v", err, memory.ErrInvalid)
	}
	if err := a.Update(ctx); err != nil {
		t.Fatal(err)
	}
	in := window.Input{View: a, Limit: 1 << 20}
	if diff := cmp.Diff(build(t, first, in), build(t, second, window.Input{View: b, Limit: 1 << 20})); diff != "" {
		t.Errorf("the two see different contexts:\n%s", diff)
	}
	if _, err := first.Unfold(ctx, a, block.Ref()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, build(t, first, in)); diff != "" {
		t.Errorf("unfolded (-before +after):\n%s", diff)
	}
}

func TestReasoningLeavesWithTheFirstCut(t *testing.T) {
	events := coding(t, 8)
	for strategy, limit := range map[string]int{window.SlidingWindow: 3000, window.Folding: 3000} {
		b := newBuilder(t, strategy, nil)
		whole := build(t, newBuilder(t, strategy, nil), window.Input{View: journal.NewView(events...), Limit: 1 << 20})
		if !strings.Contains(page(whole), "sig-") {
			t.Errorf("%s: reasoning is missing in the whole history", strategy)
		}
		v := journal.NewView(events...)
		if text := page(build(t, b, window.Input{View: v, Limit: limit})); strings.Contains(text, "sig-") {
			t.Errorf("%s: reasoning that was signed for another history:\n%s", strategy, text)
		}
	}
}
