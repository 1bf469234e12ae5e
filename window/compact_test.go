package window_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orihon/journal"
	"orihon/llm"
	"orihon/window"
)

func at(i int) time.Time { return time.Date(2026, 8, 1, 9, i, 0, 0, time.UTC) }

// messagesOf is a run as a plain list of messages.
func messagesOf(t testing.TB, events []journal.Event) []window.Message {
	t.Helper()
	b := newBuilder(t, window.SlidingWindow, &window.Options{WindowSize: 1 << 20, OffloadTokens: 1 << 28})
	return build(t, b, window.Input{System: "Be careful.", View: journal.NewView(events...), Limit: 1 << 30})
}

func compact(t testing.TB, messages []window.Message, o window.CompactOptions) (window.Compacted, map[string][]byte) {
	t.Helper()
	files := map[string][]byte{}
	o.At = at
	o.Store = func(name string, data []byte) error {
		files[name] = data
		return nil
	}
	c, err := window.Compact(messages, &o)
	if err != nil {
		t.Fatal(err)
	}
	return c, files
}

func loadFrom(files map[string][]byte) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if data, ok := files[name]; ok {
			return data, nil
		}
		return nil, errors.New("no such segment")
	}
}

func texts(messages []window.Message) string { return page(messages) }

func TestACompactedListIsValidFitsAndComesBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		messages := messagesOf(t, anyRun(rt, t))
		o := window.CompactOptions{
			Limit:     rapid.SampledFrom([]int{600, 1500, 4000, 20_000}).Draw(rt, "limit"),
			KeepTurns: rapid.IntRange(1, 12).Draw(rt, "turns"),
			KeepCalls: rapid.IntRange(1, 6).Draw(rt, "calls"),
			Threshold: rapid.SampledFrom([]float64{0, 0.3, 0.75}).Draw(rt, "threshold"),
		}
		files := map[string][]byte{}
		o.At = at
		o.Store = func(name string, data []byte) error { files[name] = data; return nil }
		original := slices.Clone(messages)
		c, err := window.Compact(messages, &o)
		if errors.Is(err, window.ErrBudget) {
			if len(messages) < 40 {
				rt.Logf("refused: %v", err)
			}
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(original, messages); diff != "" {
			rt.Fatalf("the caller's messages changed:\n%s", diff)
		}
		if err := window.Check(c.Messages); err != nil {
			rt.Fatalf("steps %v: %v", c.Steps, err)
		}
		n := 0
		for _, m := range c.Messages {
			n += window.Cost(m, nil)
		}
		if n != c.After || n > o.Limit || n > c.Before {
			rt.Fatalf("%d tokens, told %d, before %d, limit %d (%v)", n, c.After, c.Before, o.Limit, c.Steps)
		}
		again, err := window.Compact(messages, &o)
		if err != nil || !cmp.Equal(c, again) {
			rt.Fatalf("a second time gives another result: %v", err)
		}
		// Appended to, and compacted once more.
		more := append(slices.Clone(c.Messages), window.Message{Role: llm.User, Text: "Go on."}, window.Message{Role: llm.Assistant, Text: strings.Repeat("It goes on. ", 200)})
		whole := append(slices.Clone(messages), more[len(c.Messages):]...)
		if c2, err := window.Compact(more, &o); err == nil {
			more = c2.Messages
		}
		back, err := window.Reconstruct(more, loadFrom(files))
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(whole, back); diff != "" {
			rt.Fatalf("reconstructed (-want +got):\n%s", diff)
		}
	})
}

func TestBelowTheThresholdNothingIsDone(t *testing.T) {
	messages := messagesOf(t, coding(t, 3))
	c, files := compact(t, messages, window.CompactOptions{})
	if len(c.Steps) != 0 || len(files) != 0 || !cmp.Equal(c.Messages, messages) || c.Segment.Name != "" {
		t.Errorf("steps %v, %d files", c.Steps, len(files))
	}
}

func TestReferencesComeBeforeSummaries(t *testing.T) {
	messages := messagesOf(t, coding(t, 12))
	total := 0
	for _, m := range messages {
		total += window.Cost(m, nil)
	}
	for share, want := range map[float64][]string{
		0.8:  {window.StepFiles},
		0.25: {window.StepFiles, window.StepOutputs, window.StepReasoning, window.StepSummary},
	} {
		limit := int(float64(total) / 0.85)
		c, files := compact(t, messages, window.CompactOptions{Limit: limit, Target: share * 0.85})
		var steps []string
		for _, s := range want {
			if slices.Contains(c.Steps, s) || s == window.StepFiles || s == window.StepSummary {
				steps = append(steps, s)
			}
		}
		if !cmp.Equal(steps, c.Steps) {
			t.Errorf("target %.2f: steps %v, want %v of %v", share, c.Steps, steps, want)
		}
		if len(files) != 1 {
			t.Errorf("%d segments, want 1", len(files))
		}
	}
}

func TestWhatMustStayStays(t *testing.T) {
	s := &script{t: t, events: coding(t, 20)}
	s.calls = 5000
	s.user("不要動資料庫。\nAnd keep the second line.")
	s.call("Bash", m{"command": "make ship"}, "Exit code 2\nmake: *** No rule to make target 'ship'.  Stop.", true)
	for i := range 4 {
		s.call("Bash", m{"command": fmt.Sprintf("make step%d", i)}, strings.Repeat("output ", 100)+fmt.Sprint(i), false)
	}
	for i := range 12 {
		s.answer(fmt.Sprintf("Step %d is described here.", i))
		s.user("Go on.")
	}
	messages := messagesOf(t, s.events)
	c, _ := compact(t, messages, window.CompactOptions{Limit: 5000})
	if !slices.Contains(c.Steps, window.StepSummary) {
		t.Fatalf("steps %v", c.Steps)
	}
	text := texts(c.Messages)
	for what, want := range map[string]string{
		"the last calls in full":  strings.Repeat("output ", 100) + "3",
		"the oldest of them":      "No rule to make target 'ship'",
		"an instruction":          "不要動資料庫。\n  And keep the second line.",
		"a decision":              "We decided to use integer arithmetic with an offset.",
		"a tombstone":             "[Earlier: ",
		"an error and its mender": "got 2, want 3",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is lost: %q in\n%s", what, want, text)
		}
	}
	if got := c.Messages[len(c.Messages)-10:]; !cmp.Equal(got, messages[len(messages)-10:]) {
		t.Errorf("the last turns are not raw:\n%s", texts(got))
	}
	golden(t, "compacted.golden", text)
}

// What programs write in the user's place makes room for what the user said.
func TestWhatTheUserSaidStaysBeforeWhatProgramsSaid(t *testing.T) {
	s := &script{t: t}
	s.user("Port the importer.")
	s.call("mcp__milestones__reach_milestone", m{"name": "reading", "summary": "The old files are read."}, "ok", false)
	said := []string{"Keep the column order.", "Never drop the tests of the old one.", "The dates are in local time."}
	for i, text := range said {
		s.user(text)
		s.answer(fmt.Sprint("Part ", i, " is ported."))
		s.user("<task-notification>" + strings.Repeat(fmt.Sprint("row ", i, " was checked; "), 150) + "</task-notification>")
		s.answer(fmt.Sprint("Check ", i, " was read."))
	}
	for i := range 12 {
		s.user(fmt.Sprint("Go on with part ", i, "."))
		s.call("Bash", m{"command": fmt.Sprint("make part", i)}, "ok", false)
		s.answer(strings.Repeat("It is described here. ", 20))
	}
	c, _ := compact(t, messagesOf(t, s.events), window.CompactOptions{Limit: 3500})
	text := texts(c.Messages)
	for _, want := range append(said, "- The old files are read.") {
		if !strings.Contains(text, want) {
			t.Errorf("%q is lost in\n%s", want, text)
		}
	}
}

// Nobody said what a client wrote in the user's place, however much room there is.
func TestWhatTheClientWroteIsNotWhatTheUserSaid(t *testing.T) {
	s := &script{t: t}
	s.user("Port the importer.")
	client := []string{
		"<task-notification>\n<task-id>b1</task-id>\n</task-notification>", "<system-reminder>The date is new.</system-reminder>",
		"<local-command-stdout>3 files</local-command-stdout>", "<bash-stdout>ok</bash-stdout>", "[Request interrupted by user]",
		"Caveat: The messages below were generated by the user while running local commands.",
	}
	for _, text := range client {
		s.user(text)
		s.answer("I see.")
	}
	typed := []string{"<div> is not closed in cart.html, close it.", "Keep the column order."}
	s.user("<system-reminder>Plan mode is off.</system-reminder>" + typed[0])
	s.answer("Closed.")
	s.user(typed[1])
	for range 12 {
		s.answer(strings.Repeat("It is described here. ", 20))
		s.user("Go on.")
	}
	c, _ := compact(t, messagesOf(t, s.events), window.CompactOptions{Limit: 2000})
	_, said, _ := strings.Cut(c.Messages[1].Text, "The user said:\n")
	for _, text := range client {
		if head, _, _ := strings.Cut(text, "\n"); strings.Contains(said, strings.Trim(head, "<>")) {
			t.Errorf("the user is said to have said %q:\n%s", text, said)
		}
	}
	for _, text := range append(typed, "Port the importer.") {
		if !strings.Contains(said, strings.TrimPrefix(text, "<div>")) {
			t.Errorf("%q is lost in\n%s", text, said)
		}
	}
	if strings.Contains(said, "Plan mode") {
		t.Errorf("what stood before the prompt counts to it:\n%s", said)
	}
}

func TestATombstoneTellsWhenWhatLeftWasSaid(t *testing.T) {
	messages := messagesOf(t, coding(t, 12))
	now := func() time.Time { return time.Date(2026, 9, 9, 9, 9, 0, 0, time.UTC) }
	for name, tt := range map[string]struct {
		at   func(int) time.Time
		want string
	}{
		"no times":     {nil, " before 2026-09-09 09:09, "},
		"one minute":   {func(int) time.Time { return at(5) }, " at 2026-08-01 09:05, "},
		"one day":      {func(i int) time.Time { return at(min(i, 7)) }, " at 2026-08-01 09:01–09:07, "},
		"several days": {func(i int) time.Time { return at(0).AddDate(0, 0, min(i, 3)) }, " at 2026-08-02 09:00–2026-08-04 09:00, "},
		"some":         {func(i int) time.Time { return map[int]time.Time{4: at(4), 6: at(6)}[i] }, " at 2026-08-01 09:04–09:06, "},
	} {
		c, err := window.Compact(messages, &window.CompactOptions{Limit: 1500, At: tt.at, Now: now})
		if err != nil || !strings.Contains(c.Messages[1].Text, tt.want) {
			t.Errorf("%s: %q is missing, %v, in\n%s", name, tt.want, err, texts(c.Messages))
		}
	}
}

// A limit that is far too small leaves the task and says what is gone; what is cut
// is cut between lines.
func TestTheFirstTaskStaysWhateverTheLimit(t *testing.T) {
	s := &script{t: t}
	s.user("Port the importer.\nKeep the column order.\nThe dates are in local time.")
	var lines strings.Builder
	for i := range 60 {
		fmt.Fprintf(&lines, "row %d was checked and is right\n", i)
	}
	s.call("Bash", m{"command": "make check"}, lines.String(), false)
	s.answer("It is ported.")
	messages := messagesOf(t, s.events)
	for limit := 60; limit <= 400; limit += 20 {
		c, err := window.Compact(messages, &window.CompactOptions{Limit: limit, At: at})
		if err != nil {
			t.Fatalf("limit %d: %v", limit, err)
		}
		text := texts(c.Messages)
		if c.After > limit || !strings.Contains(text, "Port the importer.") || !strings.Contains(text, c.Segment.Name) {
			t.Errorf("limit %d: %d tokens in\n%s", limit, c.After, text)
		}
		for _, m := range c.Messages {
			if m.Result == nil {
				continue
			}
			for line := range strings.Lines(m.Result.Text) {
				// Of a text in which not even one line has room, a part of that stands.
				if strings.HasPrefix(line, "row") && strings.Count(m.Result.Text, "row") > 1 && !strings.HasSuffix(strings.TrimSpace(line), " is right") {
					t.Errorf("limit %d: a line is cut: %q", limit, line)
				}
			}
		}
	}
}

func TestACompactedListIsWrittenAsJSON(t *testing.T) {
	c, err := window.Compact(messagesOf(t, coding(t, 12)), &window.CompactOptions{Limit: 1500})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Messages      []json.RawMessage `json:"messages"`
		Before, After int
		Steps         []string
		Segment       struct {
			Name string
			Data struct{ Version int }
		}
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	if err := d.Decode(&doc); err != nil || doc.Segment.Data.Version != 1 || !strings.Contains(string(raw), `"segment":{"name":"history/`) || strings.Contains(string(raw), `"Messages"`) {
		t.Errorf("%v: %.300s", err, raw)
	}
}

func TestTheSummaryRollsOn(t *testing.T) {
	messages := messagesOf(t, coding(t, 15))
	files := map[string][]byte{}
	for round := range 3 {
		o := window.CompactOptions{Limit: 3000, KeepTurns: 3, KeepCalls: 2, At: func(int) time.Time { return at(round) }, Store: func(name string, data []byte) error { files[name] = data; return nil }}
		c, err := window.Compact(messages, &o)
		if err != nil {
			t.Fatal(err)
		}
		messages = c.Messages
		if round < 2 {
			more := &script{t: t, calls: 1000 * (round + 1)}
			more.user(fmt.Sprintf("Round %d: always write tests.", round))
			for range 12 {
				more.call("Bash", m{"command": "go test ./..."}, strings.Repeat("ok ", 300), false)
			}
			messages = append(messages, messagesOf(t, more.events)[1:]...)
		}
	}
	text := texts(messages)
	if n := strings.Count(text, "[Earlier: "); n != 3 {
		t.Errorf("%d tombstones, want 3:\n%s", n, messages[1].Text)
	}
	for _, want := range []string{"Round 0: always write tests.", "Round 1: always write tests."} {
		if strings.Count(text, "- "+want) != 1 {
			t.Errorf("%q stands %d times in\n%s", want, strings.Count(text, "- "+want), messages[1].Text)
		}
	}
	back, err := window.Reconstruct(messages, loadFrom(files))
	if err != nil || !strings.Contains(texts(back), "applyDiscount1.half") {
		t.Errorf("the beginning is not back: %v", err)
	}
}

func TestSegmentsAreKeptAndRefused(t *testing.T) {
	dir := t.TempDir()
	store, load := window.HistoryDir(dir)
	messages := messagesOf(t, coding(t, 15))
	messages[3].Text = "broken \xff\xfe text"
	o := &window.CompactOptions{Limit: 3000, At: at, Store: store}
	c, err := window.Compact(messages, o)
	if err != nil {
		t.Fatal(err)
	}
	back, err := window.Reconstruct(c.Messages, load)
	if err != nil || !cmp.Equal(back, messages) {
		t.Errorf("not the same: %v", err)
	}
	if _, err := load("history/../../etc/passwd"); err == nil {
		t.Error("a path was loaded")
	}
	var doc map[string]any
	if err := json.Unmarshal(c.Segment.Data, &doc); err != nil {
		t.Fatal(err)
	}
	doc["version"] = 9
	newer, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := window.Reconstruct(c.Messages, func(string) ([]byte, error) { return newer, nil }); err == nil || !strings.Contains(err.Error(), "version 9") {
		t.Errorf("a newer segment: %v", err)
	}
	if got, err := window.Reconstruct(c.Messages[:1], load); err != nil || len(got) != 1 {
		t.Errorf("a list without its summary: %d messages, %v", len(got), err)
	}
	o.Store = func(string, []byte) error { return context.Canceled }
	if _, err := window.Compact(messages, o); !errors.Is(err, context.Canceled) {
		t.Errorf("a store that fails: %v", err)
	}
	if _, err := window.Compact([]window.Message{{Role: llm.Tool}}, nil); !errors.Is(err, window.ErrInvalid) {
		t.Errorf("invalid messages: %v", err)
	}
	if _, err := window.Compact(messages, &window.CompactOptions{Limit: 20}); !errors.Is(err, window.ErrBudget) {
		t.Errorf("no room at all: %v", err)
	}
}

func FuzzReconstruct(f *testing.F) {
	f.Add("[Earlier: x] history/0123456789abcdef.json", []byte(`{"version":1,"compacted":0,"sha256":"","messages":[{"kept":3}]}`))
	f.Add("history/0123456789abcdef.json history/", []byte(`{"version":1,"compacted":1,"messages":[{"role":"user","text":{"base64":"/w=="}}]}`))
	f.Fuzz(func(t *testing.T, text string, data []byte) {
		messages := []window.Message{{Role: llm.User, Text: text}}
		if got, err := window.Reconstruct(messages, func(string) ([]byte, error) { return data, nil }); err == nil && len(got) == 0 {
			t.Error("everything is gone")
		}
	})
}

func BenchmarkCompact(b *testing.B) {
	messages := messagesOf(b, coding(b, 300))
	b.ReportMetric(float64(len(messages)), "messages")
	for b.Loop() {
		if _, err := window.Compact(messages, &window.CompactOptions{Limit: 20_000, At: at}); err != nil {
			b.Fatal(err)
		}
	}
}
