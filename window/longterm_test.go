package window_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/journal"
	"orihon/window"
)

// rest is what is left of a run, to be told after something else has happened.
func rest(events []journal.Event, from int) []journal.Event {
	var out []journal.Event
	for _, it := range journal.NewView(events...).Iterations(from, 0) {
		for _, e := range it.Events {
			e.Seq, e.Iter, e.ID = 0, 0, e.ID+" again"
			out = append(out, e)
		}
	}
	return out
}

func folded(v *journal.View, iteration int) *window.Block {
	for _, b := range window.Blocks(v) {
		if b.Iterations[0] <= iteration && iteration <= b.Iterations[1] {
			return &b
		}
	}
	return nil
}

func TestWhatIsRecalledAgainAndAgainMovesBackToTheShortTermZone(t *testing.T) {
	ctx := context.Background()
	for _, tt := range []struct {
		opened int
		back   bool
	}{{0, false}, {2, false}, {3, true}} {
		v := journal.NewView()
		f, err := window.NewFolder(nil)
		if err != nil {
			t.Fatal(err)
		}
		in := window.Input{Task: "Round.", Limit: 12_000}
		drive(t, f, v, coding(t, 20), in)
		b := window.Blocks(v)[0]
		for range tt.opened {
			if _, err := window.CallTool(ctx, v, window.ShowHistory, fmt.Appendf(nil, `{"fold":%q}`, b.Ref())); err != nil {
				t.Fatal(err)
			}
		}
		epochs := f.Stats().Epochs
		events := rest(coding(t, 30), 1)
		var messages []window.Message
		at := 0
		for _, it := range journal.NewView(events...).Iterations(0, 0) {
			in.View = v
			for _, e := range it.Events {
				e.Seq, e.Iter = 0, 0
				if _, err := v.Append(ctx, e); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.OnIterationComplete(ctx, in); err != nil {
				t.Fatal(err)
			}
			messages = build(t, f, in)
			if f.Stats().Epochs > epochs {
				at = v.LastIteration()
				break
			}
		}
		if at == 0 {
			t.Fatal("no epoch has begun")
		}
		now := folded(v, b.Iterations[0])
		// A chapter opens to the summaries it folds, a summary to its iterations.
		nearer := now == nil || now.Level < b.Level
		if nearer != tt.back {
			t.Errorf("opened %d times: %s (level %d) is now %+v\n%s", tt.opened, b.ID, b.Level, now, page(messages))
		}
	}
}

// A fold of iterations comes back as their dialogue, and is folded again when
// nobody has asked for it for a while.
func TestARecalledSummaryIsShownAsDialogueForAWhile(t *testing.T) {
	ctx := context.Background()
	v := journal.NewView()
	f, err := window.NewFolder(nil)
	if err != nil {
		t.Fatal(err)
	}
	in := window.Input{Task: "Round.", Limit: 12_000}
	drive(t, f, v, coding(t, 4), in)
	in.View = v
	b, err := f.FoldRange(ctx, in, 3, 8)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := window.CallTool(ctx, v, window.ShowHistory, fmt.Appendf(nil, `{"fold":%q}`, b.Ref())); err != nil {
			t.Fatal(err)
		}
	}
	const said = "The test fails because `applyDiscount1` truncates"
	var shown []int // iterations at which it stands in the context
	for _, it := range journal.NewView(rest(coding(t, 60), 30)...).Iterations(0, 0) {
		for _, e := range it.Events {
			e.Seq, e.Iter = 0, 0
			if _, err := v.Append(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.OnIterationComplete(ctx, in); err != nil {
			t.Fatal(err)
		}
		messages := build(t, f, in)
		if slices.ContainsFunc(messages, func(m window.Message) bool { return strings.HasPrefix(m.Text, said) }) {
			shown = append(shown, v.LastIteration())
		}
	}
	if len(shown) == 0 {
		t.Fatal("it never came back")
	}
	if n := shown[len(shown)-1]; n == v.LastIteration() {
		t.Errorf("shown from iteration %d to the end, %d", shown[0], n)
	}
}

// injecting is a run in which a summariser told of the first iterations.
func injecting(t testing.TB, output string) []journal.Event {
	s := &script{t: t, events: coding(t, 3)}
	s.calls = 500
	s.call("summarizer-chapter", m{"query": "iterations:1-10"}, output, false)
	s.answer("Summed up.")
	more := coding(t, 16)
	for i := range more {
		if more[i].ID != "" {
			more[i].ID += " later"
		}
	}
	return append(s.events, more...)
}

func TestInjectedSummariesGoToTheLongTermZone(t *testing.T) {
	of := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	result := window.SummaryResult{Agent: window.SummarizerChapter, Form: "chapter", Range: [2]int{1, 10}, Title: "The quokka chapter", Content: "A quokka was counted.", Decisions: []string{"Count quokkas daily."}}
	for name, tt := range map[string]struct {
		output string
		want   []string
	}{
		"a standard summary": {of(map[string]any{"type": "context_injection", "target": "long_term_memory", "summary": result}),
			[]string{"Iterations 1–10: The quokka chapter", "A quokka was counted.", "Decided: Count quokkas daily."}},
		"a text":         {`{"type":"context_injection","target":"long_term_memory","content":"A quokka was counted. 數了一隻短尾矮袋鼠。"}`, []string{"A quokka was counted. 數了一隻短尾矮袋鼠。"}},
		"another target": {`{"type":"context_injection","target":"elsewhere","content":"A quokka was counted."}`, nil},
		"no mark":        {`{"content":"A quokka was counted by context_injection."}`, nil},
		"nothing":        {`{"type":"context_injection","target":"long_term_memory"}`, nil},
		"broken":         {`{"type":"context_injection","target":"long_term_memory",`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			v := journal.NewView()
			f, err := window.NewFolder(nil)
			if err != nil {
				t.Fatal(err)
			}
			in := window.Input{Task: "Round.", Limit: 6000}
			messages := drive(t, f, v, injecting(t, tt.output), in)
			i := slices.IndexFunc(messages, func(m window.Message) bool { return strings.HasPrefix(m.Text, "[Long-term memory") })
			if (i >= 0) != (tt.want != nil) {
				t.Fatalf("message %d is the long-term memory\n%s", i, page(messages))
			}
			for _, want := range tt.want {
				if !strings.Contains(messages[i].Text, want) {
					t.Errorf("%q is missing in %q", want, messages[i].Text)
				}
			}
			// Whoever resumes the run sees the same.
			resumed := build(t, newBuilder(t, window.Folding, nil), window.Input{Task: "Round.", Limit: 6000, View: v})
			if diff := cmp.Diff(messages, resumed); diff != "" {
				t.Errorf("resumed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestALaterSummaryTakesThePlaceOfTheOneItCovers(t *testing.T) {
	v := journal.NewView()
	f, err := window.NewFolder(&window.Options{AutoSummarize: window.AutoSummarize{}})
	if err != nil {
		t.Fatal(err)
	}
	s := &script{t: t, events: coding(t, 3)}
	s.calls = 500
	for n, text := range []string{"the first", "the second"} {
		s.call("summarizer-chapter", m{"n": fmt.Sprint(n)}, fmt.Sprintf(`{"type":"context_injection","target":"long_term_memory","summary":{"range":[1,%d],"title":%q}}`, 8+n, text), false)
	}
	more := coding(t, 16)
	for i := range more {
		if more[i].ID != "" {
			more[i].ID += " later"
		}
	}
	text := page(drive(t, f, v, append(s.events, more...), window.Input{Task: "Round.", Limit: 6000}))
	if strings.Contains(text, ": the first") || !strings.Contains(text, "Iterations 1–9: the second") {
		t.Errorf("want the second alone:\n%s", text[:min(len(text), 1500)])
	}
}
