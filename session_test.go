package orihon_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orihon"
	"orihon/follow"
	"orihon/journal"
	"orihon/memory"
)

func TestAPassageEntersAWindowOnce(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	it := remember(t, m, "We deploy with make ship, never with kubectl directly")
	asked := func(id, prompt string) bool {
		t.Helper()
		return strings.Contains(p.prompt(t, "s1", id, prompt).Text, "make ship")
	}
	if !asked("p1", "how do I deploy?") {
		t.Fatal("it is not injected at all")
	}
	if asked("p2", "and how do I deploy again?") {
		t.Error("it is injected twice")
	}
	if !strings.Contains(p.prompt(t, "s2", "p1", "how do I deploy?").Text, "make ship") {
		t.Error("another session's window has it not")
	}
	p.do(t, "s1", func(ctx context.Context, s *follow.Session) error { return s.Compact(ctx, "auto", "") })
	if !asked("p3", "how do I deploy?") {
		t.Error("it is not injected after a compaction")
	}
	if asked("p4", "how do I deploy?") {
		t.Error("it is injected twice after a compaction")
	}
	if in := p.begin(t, "s1", "clear"); !strings.Contains(in.Text, "make ship") {
		t.Error("a cleared window does not begin with it")
	}
	if asked("p5", "how do I deploy?") {
		t.Error("what a session begins with is injected again")
	}
	if in := p.begin(t, "s1", "resume"); in.Text != "" {
		t.Errorf("a resumed session, whose client replays its window, begins with %q", in.Text)
	}
	state(t, m, orihon.Statement{ID: it.ID, Text: "We deploy with make ship ENV=prod"})
	if !asked("p6", "how do I deploy?") {
		t.Error("it is not injected after it changed")
	}
}

func TestASessionSpendsNoMoreThanItsCap(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	remember(t, m, "We deploy with make ship")
	remember(t, m, "The cache is called beaver")
	limit := set("recall.session_tokens", "90")
	spent := 0
	for i, prompt := range []string{"how do I deploy?", "what is the cache called?"} {
		spent += p.prompt(t, "s1", fmt.Sprint(i), prompt, limit).Tokens
	}
	if spent == 0 || spent > 90 {
		t.Errorf("%d tokens are spent, want some and at most 90", spent)
	}
}

func TestABlindSpotIsNamedOnceForATopic(t *testing.T) {
	p := newPlace(t)
	if in := p.prompt(t, "s0", "p1", "how do the Kangaroo payments reconcile?"); in.Text != "" {
		t.Errorf("an empty memory says %q", in.Text)
	}
	remember(t, p.open(t), "We deploy with make ship")
	if in := p.prompt(t, "s0", "p2", "how do the Kangaroo payments reconcile?"); in.Text != "" {
		t.Errorf("one that is small and new says %q", in.Text)
	}
	p.later(20 * 24 * time.Hour)
	for i, prompt := range []string{"stop", "let's see the diff", "add the kangaroo payments", "換個寫法", "這個按鈕的顏色太深了,改淺一點"} {
		if in := p.prompt(t, "s0", fmt.Sprint("q", i), prompt); in.Text != "" {
			t.Errorf("%q gets %q", prompt, in.Text)
		}
	}
	first := p.prompt(t, "s1", "p1", "how do the Wombat payments reconcile?")
	if !strings.Contains(first.Text, "Wombat") {
		t.Errorf("it is not said that nothing is known: %q", first.Text)
	}
	if in := p.prompt(t, "s1", "p2", "how do the Wombat payments reconcile?"); in.Text != "" {
		t.Errorf("it is said twice: %q", in.Text)
	}
	if in := p.prompt(t, "s1", "p3", "「企鵝」帳單怎麼對帳？"); !strings.Contains(in.Text, "企鵝") {
		t.Errorf("another topic: %q", in.Text)
	}
	if in := p.prompt(t, "s2", "p1", "how do the Wombat payments reconcile?", set("recall.blind_spot", "false")); in.Text != "" {
		t.Errorf("it is said although switched off: %q", in.Text)
	}
}

func TestWhatAUserAsksToRememberIsKeptAndSaidSo(t *testing.T) {
	p := newPlace(t)
	for i, tt := range []struct{ prompt, text, kept, known string }{
		{"Remember: the staging database is called shop_stage", "he staging database is called shop_stage", "orihon: remembered: ", "orihon: known already: "},
		{"記住：部署前要先跑測試", "部署前要先跑測試", "orihon: 已記住：", "orihon: 早已記住："},
		{"以后一律用四个空格缩进", "四个空格缩进", "orihon: 已记住：", "orihon: 早已记住："},
	} {
		in := p.prompt(t, "s1", fmt.Sprint("p", i), tt.prompt)
		if !strings.HasPrefix(in.Notice, tt.kept) || !strings.Contains(in.Notice, tt.text) {
			t.Errorf("%q: the notice is %q", tt.prompt, in.Notice)
		}
		if strings.Contains(in.Text, tt.text) {
			t.Errorf("%q comes back at once: %q", tt.prompt, in.Text)
		}
		in = p.prompt(t, "s2", fmt.Sprint("p", i), tt.prompt)
		if !strings.HasPrefix(in.Notice, tt.known) {
			t.Errorf("%q again: the notice is %q", tt.prompt, in.Notice)
		}
	}
	items := list(t, p.open(t), memory.Filter{})
	if len(items) != 3 {
		t.Fatalf("%d items, want 3", len(items))
	}
	for _, s := range items {
		if md := s.Item.Metadata; md.Source != memory.FromUser || md.Session != "s1" || md.Confirmations != 1 {
			t.Errorf("%q: %+v", s.Item.Content, md)
		}
	}
	if in := p.prompt(t, "s3", "p1", "Remember: the port is 4711", set("capture.explicit", "false")); in.Notice != "" {
		t.Errorf("kept although switched off: %q", in.Notice)
	}
}

func TestWhatWasInjectedIsNotCapturedBack(t *testing.T) {
	p := newPlace(t)
	quoted := "<orihon-memory>\n📌 Project facts\n- Remember: the moon is made of cheese-4711\n</orihon-memory>\nwhat does this mean?"
	in := p.prompt(t, "s1", "p1", quoted)
	p.do(t, "s1", func(ctx context.Context, s *follow.Session) error {
		return errors.Join(s.Answer(ctx, "p1", "You quoted <orihon-memory>cheese-4711"), s.Report(ctx, "a1", "Explore", quoted))
	})
	if in.Notice != "" {
		t.Errorf("notice %q", in.Notice)
	}
	if held := p.holding(t, "cheese-4711"); len(held) > 0 {
		t.Errorf("the quotation is kept in %v", held)
	}
	if n := count(p.events(t, "s1"), journal.UserMessage); n != 1 {
		t.Errorf("%d prompts in the journal, want the rest of the one", n)
	}
}

func TestCaptureCanBeSwitchedOff(t *testing.T) {
	p := newPlace(t)
	remember(t, p.open(t), "We deploy with make ship")
	off := set("capture.enabled", "false")
	if in := p.prompt(t, "s1", "p0", "Remember: the code is quokka-1917", off); in.Notice != "" {
		t.Errorf("notice %q", in.Notice)
	}
	if in := p.prompt(t, "s1", "p1", "how do I deploy?", off); !strings.Contains(in.Text, "make ship") {
		t.Errorf("recall is switched off too: %q", in.Text)
	}
	p.do(t, "s1", func(ctx context.Context, s *follow.Session) error {
		return errors.Join(
			s.Action(ctx, follow.Action{ID: "t1", Tool: "Bash", Input: json.RawMessage(`{"command":"echo quokka-1917"}`), Output: "quokka-1917"}),
			s.Answer(ctx, "p1", "quokka-1917"), s.Tell(ctx, follow.TranscriptEntry{User: true, ID: "x", Text: "quokka-1917"}),
			s.Compact(ctx, "auto", "quokka-1917"), s.End(ctx, "other"))
	}, off)
	m := p.open(t, off)
	if err := m.Sessions().Work(t.Context()); err != nil {
		t.Fatal(err)
	}
	if held := p.holding(t, "quokka-1917"); len(held) > 0 {
		t.Errorf("it is kept in %v", held)
	}
	if _, err := os.Stat(filepath.Join(m.Project().Session("s1"), "journal.jsonl")); err == nil {
		t.Error("there is a journal")
	}
}

// worked is a session in which something was done, ended and worked up.
func worked(t *testing.T, p *place, id string) {
	t.Helper()
	p.begin(t, id, "startup")
	p.prompt(t, id, "p1", "Fix the flaky reconciliation test of the wallaby service")
	edit(t, p, id, "t1", "wallaby_test.go")
	p.do(t, id, func(ctx context.Context, s *follow.Session) error {
		return s.Answer(ctx, "p1", "The test waited for the wrong clock; fixed.")
	})
	p.end(t, id)
}

func edit(t *testing.T, p *place, sessionID, id, file string) {
	t.Helper()
	p.do(t, sessionID, func(ctx context.Context, s *follow.Session) error {
		return s.Action(ctx, follow.Action{ID: id, Tool: "Edit", Input: json.RawMessage(`{"file_path":` + fmt.Sprintf("%q", filepath.Join(p.dir, file)) + `}`), Output: "ok"})
	})
}

func TestTheFirstPromptFindsTheLastSession(t *testing.T) {
	p := newPlace(t)
	worked(t, p, "s1")
	p.work(t)
	if in := p.prompt(t, "s2", "p1", "the wallaby reconciliation test is flaky"); !strings.Contains(in.Text, "wallaby_test.go") {
		t.Errorf("the first prompt finds %q", in.Text)
	}
	p.prompt(t, "s3", "p1", "hello there, good morning")
	if in := p.prompt(t, "s3", "p2", "the wallaby reconciliation test is flaky"); strings.Contains(in.Text, "wallaby_test.go") {
		t.Errorf("the second prompt finds it too: %q", in.Text)
	}
	if in := p.prompt(t, "s3", "p3", "what did we do about the wallaby reconciliation test last time?"); !strings.Contains(in.Text, "wallaby_test.go") {
		t.Errorf("asked for the past, it finds %q", in.Text)
	}
}

func TestWorkIsDoneOnceHoweverOftenItIsStarted(t *testing.T) {
	p := newPlace(t)
	worked(t, p, "s1")
	m := p.open(t)
	if got := session(t, m, "s1").Pending(); len(got) == 0 {
		t.Fatal("the session left no work")
	}
	// The worker that was started at the end was killed: nothing is done yet.
	log := filepath.Join(m.Project().Personal, "2026-08-01.md")
	if _, err := os.Stat(log); err == nil {
		t.Fatal("the log is there before the work")
	}
	p.work(t)
	first := read(t, log)
	if strings.Count(first, "## Conversation Log") != 1 || strings.Count(first, "wallaby service") != 1 {
		t.Errorf("the log:\n%s", first)
	}
	episodes := func() []memory.Stored {
		return list(t, p.open(t), memory.Filter{Kinds: []memory.Kind{memory.Episodic}})
	}
	one := episodes()
	if len(one) != 1 {
		t.Fatalf("%d episodes", len(one))
	}
	p.work(t)
	if read(t, log) != first {
		t.Error("the second worker changed the log")
	}
	p.end(t, "s1") // told twice
	p.work(t)
	if read(t, log) != first || len(episodes()) != 1 {
		t.Error("an end that is told twice is worked up twice")
	}

	// The session is resumed: the log goes on, and the new request has an episode of its own.
	p.begin(t, "s1", "resume")
	p.prompt(t, "s1", "p2", "記錄一下：把 numbat 的設定也改掉")
	edit(t, p, "s1", "t2", "numbat.yaml")
	p.do(t, "s1", func(ctx context.Context, s *follow.Session) error { return s.Answer(ctx, "p2", "改好了。") })
	p.end(t, "s1")
	p.work(t)
	two := episodes()
	if len(two) != 2 || !slices.ContainsFunc(two, func(s memory.Stored) bool {
		return s.Item.ID == one[0].Item.ID && s.Item.Content == one[0].Item.Content
	}) ||
		!slices.ContainsFunc(two, func(s memory.Stored) bool { return strings.Contains(s.Item.Content, "numbat.yaml") }) {
		t.Errorf("episodes %+v, want another beside the first, which stays as it is", two)
	}
	if text := read(t, log); strings.Count(text, "wallaby service") != 1 || strings.Count(text, "把 numbat 的設定也改掉") != 1 || !strings.HasPrefix(text, first) {
		t.Errorf("the log:\n%s", text)
	}
	if got := session(t, p.open(t), "s1").Pending(); len(got) != 0 {
		t.Errorf("left to do: %v", got)
	}
}

// What a window is about to lose is in memory before the session is over.
func TestMemoryKeepsWhatAWindowIsAboutToLose(t *testing.T) {
	for name, lose := range map[string]func(context.Context, *follow.Session) error{
		"a client compacts":        func(ctx context.Context, s *follow.Session) error { return s.Compact(ctx, "auto", "") },
		"a run comes near its end": func(ctx context.Context, s *follow.Session) error { return s.Flush(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.begin(t, "s1", "startup")
			p.prompt(t, "s1", "p1", "Fix the flaky reconciliation test of the wallaby service")
			edit(t, p, "s1", "t1", "wallaby_test.go")
			p.do(t, "s1", lose)
			p.work(t)
			got := list(t, p.open(t), memory.Filter{Kinds: []memory.Kind{memory.Episodic}})
			if len(got) != 1 || !strings.Contains(got[0].Item.Content, "wallaby_test.go") {
				t.Errorf("episodes %+v, want one that names wallaby_test.go", got)
			}
		})
	}
}

func TestACompactionCountsOnceAndIsAnsweredOnce(t *testing.T) {
	p := newPlace(t)
	state(t, p.open(t), orihon.Statement{Text: "Always answer in British English", Topic: memory.Preference})
	if in := p.begin(t, "s1", "startup"); !strings.Contains(in.Text, "British English") {
		t.Errorf("the session begins with %q", in.Text)
	}
	p.prompt(t, "s1", "p1", "Fix the flaky reconciliation test of the wallaby service")
	edit(t, p, "s1", "t1", "wallaby_test.go")
	compact := func(ctx context.Context, s *follow.Session) error { return s.Compact(ctx, "auto", "") }
	for round := 1; round <= 2; round++ {
		p.do(t, "s1", compact)
		p.do(t, "s1", compact)
		in := p.begin(t, "s1", "compact")
		for _, want := range []string{"flaky reconciliation test", "wallaby_test.go", "British English"} {
			if !strings.Contains(in.Text, want) {
				t.Errorf("compaction %d: the brief does not say %q:\n%s", round, want, in.Text)
			}
		}
		if again := p.begin(t, "s1", "compact"); again.Text != "" {
			t.Errorf("compaction %d is answered twice: %q", round, again.Text)
		}
		if n := count(p.events(t, "s1"), journal.Compacted); n != round {
			t.Errorf("%d compactions in the journal, want %d", n, round)
		}
		p.prompt(t, "s1", fmt.Sprint("q", round), "go on with the wallaby service")
	}
}
