package runs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon"
	"orihon/follow"
	"orihon/internal/config"
	"orihon/journal"
	"orihon/memory"
	"orihon/runs"
	"orihon/window"
	"orihon/window/inspect"
)

// longRun is a session with rounds of work, by its journal.
func longRun(t *testing.T, m *orihon.Memory, id string, rounds int) *runs.Run {
	t.Helper()
	s, err := m.Session(t.Context(), id, follow.Client{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rounds {
		if _, err := s.Prompt(t.Context(), fmt.Sprint("p", i), fmt.Sprintf("Round step %d half up. %s", i, strings.Repeat("Look at every caller. ", 10))); err != nil {
			t.Fatal(err)
		}
		input := fmt.Sprintf(`{"file_path":"/home/dev/shop/step%d.go","new_string":%q}`, i, strings.Repeat(fmt.Sprintf("roundStep%d() ", i), 30))
		if err := s.Action(t.Context(), follow.Action{ID: fmt.Sprint("t", i), Tool: "Edit", Input: []byte(input), Output: "The file has been updated."}); err != nil {
			t.Fatal(err)
		}
		if err := s.Answer(t.Context(), fmt.Sprint("p", i), fmt.Sprintf("Step %d is done.", i)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := m.Runs().Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func contextMemory(t *testing.T) *orihon.Memory {
	t.Helper()
	m, err := orihon.Open(t.Context(), &orihon.Options{Home: filepath.Join(t.TempDir(), "home"), Dir: t.TempDir(), User: "ann", GitConfig: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func TestFoldingARunIsUndoneToTheByte(t *testing.T) {
	ctx := t.Context()
	r := longRun(t, contextMemory(t), "s1", 12)
	shown := inspect.BuildOptions{Strategy: window.Folding, Limit: 50_000}
	before, err := r.Messages(ctx, shown)
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Fold(ctx, 2, 7)
	if err != nil {
		t.Fatal(err)
	}
	folded, err := r.Messages(ctx, shown)
	if err != nil || len(folded) >= len(before) {
		t.Fatalf("%d messages, %d before, %v: want fewer", len(folded), len(before), err)
	}
	page, err := r.Expand(ctx, b.Ref(), "", 1)
	if err != nil || !strings.Contains(page.Text, "roundStep5()") || page.Pages != 1 {
		t.Errorf("opened %q, %v", page.Text, err)
	}
	if found := r.Retrieve("roundStep5", 3); len(found) == 0 || found[0].Fold != b.Ref() {
		t.Errorf("found %+v, want it in %s", found, b.Ref())
	}
	if _, err := r.Unfold(ctx, b.Ref()); err != nil {
		t.Fatal(err)
	}
	after, err := r.Messages(ctx, shown)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("fold and unfold (-before +after):\n%s", diff)
	}
}

// The worker behind a turn plans what a compaction folds; the compaction writes it.
func TestACompactionWritesTheFoldsThatWerePrepared(t *testing.T) {
	ctx := t.Context()
	m := contextMemory(t)
	s, err := m.Session(ctx, "s1", follow.Client{})
	if err != nil {
		t.Fatal(err)
	}
	turn := func(i int) {
		t.Helper()
		id := fmt.Sprint("p", i)
		if _, err := s.Prompt(ctx, id, fmt.Sprintf("Round step %d half up.", i)); err != nil {
			t.Fatal(err)
		}
		input := fmt.Sprintf(`{"file_path":"/home/dev/shop/step%d.go"}`, i)
		if err := s.Action(ctx, follow.Action{ID: "t" + id, Tool: "Read", Input: []byte(input), Output: strings.Repeat(fmt.Sprintf("func step%d() {}\n", i), 1500)}); err != nil {
			t.Fatal(err)
		}
		if err := s.Answer(ctx, id, fmt.Sprintf("Step %d is done.", i)); err != nil {
			t.Fatal(err)
		}
	}
	prepared := filepath.Join(m.Project().Session("s1"), "folds.json")
	turn(0)
	if err := s.Work(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(prepared); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a short session is prepared: %v", err)
	}
	for i := range 9 {
		turn(i + 1)
	}
	if err := s.Work(ctx); err != nil {
		t.Fatal(err)
	}
	var plan window.Prepared
	raw, err := os.ReadFile(prepared)
	if err != nil || json.Unmarshal(raw, &plan) != nil || len(plan.Plans) == 0 {
		t.Fatalf("prepared %s, %v", raw, err)
	}
	turn(10)
	if err := s.Compact(ctx, "auto", ""); err != nil {
		t.Fatal(err)
	}
	r, err := s.Context(ctx)
	if err != nil {
		t.Fatal(err)
	}
	folds := r.View().ByType(journal.Fold)
	if len(folds) < len(plan.Plans) {
		t.Fatalf("%d folds, %d were prepared", len(folds), len(plan.Plans))
	}
	for i, p := range plan.Plans {
		if diff := cmp.Diff(string(p), string(folds[i].Payload)); diff != "" {
			t.Errorf("fold %d (-prepared +written):\n%s", i, diff)
		}
	}
	if _, err := os.Stat(prepared); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the prepared folds are still there: %v", err)
	}
}

func TestLookingAtARunWritesNothing(t *testing.T) {
	ctx := t.Context()
	m := contextMemory(t)
	r := longRun(t, m, "s1", 60)
	path := r.View().Journal().Path()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	shown := inspect.BuildOptions{Strategy: window.Folding, Limit: 3000}
	in, err := r.Inspect(ctx, shown)
	if err != nil || in.Folds == 0 || in.Tokens > 3000 {
		t.Errorf("inspected %+v, %v: want folds in at most 3,000 tokens", in, err)
	}
	sum := 0
	for _, z := range in.Zones {
		sum += z.Tokens
	}
	parts := 0
	for _, p := range in.Parts {
		parts += p.Tokens
	}
	if sum != in.Tokens || parts != in.Tokens {
		t.Errorf("zones add up to %d, parts to %d, the context has %d tokens", sum, parts, in.Tokens)
	}
	sim, err := r.Simulate(ctx, shown, 0, 0)
	if err != nil || sim.Stats.Epochs == 0 || len(sim.Epochs) == 0 || sim.Cached <= 0.5 || sim.Saved <= 0 || sim.Largest > 3000 {
		t.Errorf("simulated %+v, %v", sim, err)
	}
	p, err := r.Picture(ctx, shown)
	if err != nil || len(p.Moments) != len(p.Said) || len(p.Zones) != len(p.Said) || len(p.Blocks) == 0 {
		t.Errorf("pictured %d moments, %v", len(p.Moments), err)
	}
	if _, err := r.Timeline(ctx); err != nil {
		t.Error(err)
	}
	if r.Brief(500) == "" {
		t.Error("no brief")
	}
	after, err := os.ReadFile(path)
	if err != nil || string(before) != string(after) {
		t.Errorf("the journal has %d bytes, had %d, %v", len(after), len(before), err)
	}
}

// Whatever looks at a run with gaps speaks of the iterations of its journal.
func TestNumbersAreThoseOfTheJournal(t *testing.T) {
	ctx := t.Context()
	m := contextMemory(t)
	path := longRun(t, m, "s1", 40).View().Journal().Path()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(string(text)) {
		var e journal.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Iter > 30 {
			kept = append(kept, line)
		}
	}
	if err := os.WriteFile(path, []byte(strings.Join(kept, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := m.Runs().Open(ctx, "s1")
	if err != nil {
		t.Fatal(err)
	}
	first := fmt.Sprintf("iterations %d–", r.View().FirstIteration())
	shown := inspect.BuildOptions{Strategy: window.Folding, Limit: 2000}
	messages, err := r.Messages(ctx, shown)
	if err != nil || r.View().FirstIteration() != 31 {
		t.Fatalf("the run begins with iteration %d, %v", r.View().FirstIteration(), err)
	}
	stub := ""
	for _, msg := range messages {
		if strings.HasPrefix(msg.Text, "[F") && stub == "" {
			stub = msg.Text
		}
	}
	if !strings.Contains(stub, first) {
		t.Errorf("the first stub is %q, want %s", stub, first)
	}
	p, err := r.Picture(ctx, shown)
	if err != nil || p.Moments[0].Iteration != 31 || len(p.Blocks) == 0 || p.Blocks[0].Iterations[0] != 31 {
		t.Errorf("pictured from iteration %d, %v", p.Moments[0].Iteration, err)
	}
	b, err := r.Fold(ctx, 33, 35)
	if err != nil || b.ID != "fold_iter33_to_35" {
		t.Errorf("folded %s, %v", b.ID, err)
	}
	page, err := r.Expand(ctx, b.Ref(), "", 1)
	if err != nil || !strings.Contains(page.Text, "[33] ") {
		t.Errorf("opened %.60q, %v", page.Text, err)
	}
	for _, f := range r.Retrieve("half up", 5) {
		if e, ok := r.View().Event(f.Seq); !ok || e.Iter != f.Iteration {
			t.Errorf("found event %d in iteration %d, it is %+v", f.Seq, f.Iteration, e)
		}
	}
	sim, err := r.Simulate(ctx, shown, 40, 0)
	if err != nil || sim.Iterations[0] != 40 {
		t.Errorf("simulated from iteration %d, %v", sim.Iterations[0], err)
	}
}

func TestABookmarkIsKeptWithItsNote(t *testing.T) {
	ctx := t.Context()
	r := longRun(t, contextMemory(t), "s1", 3)
	if err := r.Bookmark(ctx, 2, "here it <private>never </private>begins"); err != nil {
		t.Fatal(err)
	}
	moments, err := r.Timeline(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range moments {
		if (m.Bookmark == "here it begins") != (m.Iteration == 2) {
			t.Errorf("iteration %d has the bookmark %q", m.Iteration, m.Bookmark)
		}
	}
	if err := r.Bookmark(ctx, 77, ""); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("a bookmark behind the end: %v", err)
	}
}

func TestTheStrategyOfTheSettingsBuildsWhereNoneIsNamed(t *testing.T) {
	ctx := t.Context()
	for _, tt := range []struct{ set, named, want string }{
		{"", "", window.SlidingWindow},
		{"auto", "", window.SlidingWindow},
		{"milestone", "", window.Milestone},
		{"milestone", window.Folding, window.Folding},
	} {
		settings := map[string]string{}
		if tt.set != "" {
			settings["context_builder.strategy"] = tt.set
		}
		m, err := orihon.Open(ctx, &orihon.Options{Home: filepath.Join(t.TempDir(), "home"), Dir: t.TempDir(), User: "ann", GitConfig: []string{}, Settings: settings})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		r := longRun(t, m, "s1", 3)
		in, err := r.Inspect(ctx, inspect.BuildOptions{Strategy: tt.named})
		if err != nil || in.Strategy != tt.want {
			t.Errorf("%+v: inspected %s, %v", tt, in.Strategy, err)
		}
		sim, err := r.Simulate(ctx, inspect.BuildOptions{Strategy: tt.named}, 0, 0)
		if err != nil || sim.Strategy != tt.want {
			t.Errorf("%+v: simulated %s, %v", tt, sim.Strategy, err)
		}
	}
}

func TestTheSettingKnowsEveryStrategy(t *testing.T) {
	for _, k := range config.Keys() {
		if k.Name == "context_builder.strategy" {
			if diff := cmp.Diff(slices.Concat([]string{"auto"}, window.Strategies(), []string{window.WorkingMemory, window.Custom, window.Plugin}), k.Enum); diff != "" {
				t.Errorf("-strategies +setting:\n%s", diff)
			}
			return
		}
	}
	t.Error("there is no setting")
}

func TestTheSettingKnowsEverySummarizer(t *testing.T) {
	for _, name := range window.Summarizers() {
		if _, err := config.Load(config.Sources{Flags: map[string]string{"auto_summarize.summarizer_agent": name}}); err != nil {
			t.Error(err)
		}
	}
}

func TestRunsAreFoundByNameAndBeginning(t *testing.T) {
	ctx := t.Context()
	m := contextMemory(t)
	if _, err := m.Runs().Open(ctx, ""); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("no session at all: %v", err)
	}
	longRun(t, m, "abcd-1", 1)
	longRun(t, m, "abcd-2", 1)
	for name, want := range map[string]string{"abcd-1": "abcd-1", "": "abcd-2", "abcd": "invalid", "abc": "not found", "abcd-3": "not found"} {
		r, err := m.Runs().Open(ctx, name)
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %s", name, err, want)
			}
		} else if r.Name != want {
			t.Errorf("%q is %s, want %s", name, r.Name, want)
		}
	}
}

func TestATranscriptTakesNothing(t *testing.T) {
	ctx := t.Context()
	m := contextMemory(t)
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, []byte(`{"role":"user","content":"Fix it"}`+"\n"+`{"role":"assistant","content":"Fixed."}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := m.Runs().Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	_, folded := r.Fold(ctx, 1, 1)
	_, unfolded := r.Unfold(ctx, "F1")
	for _, err := range []error{folded, unfolded, r.Bookmark(ctx, 1, "x")} {
		if !errors.Is(err, memory.ErrRefused) {
			t.Errorf("%v, want a refusal", err)
		}
	}
	if n := len(r.View().ByType(journal.Fold, journal.Bookmark, journal.Recalled)); n != 0 {
		t.Errorf("%d events were added", n)
	}
}

func FuzzOpenTranscript(f *testing.F) {
	f.Add([]byte(`{"role":"user","content":"Fix it"}` + "\n" + `{"role":"assistant","content":"Fixed."}`))
	f.Add([]byte(`[{"role":"user","content":[{"type":"text","text":"修好"}]}]`))
	f.Add([]byte(`{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"Fix it"}}`))
	f.Add([]byte(`{"sessionId":"g","projectHash":"h","messages":[{"id":"1","type":"user","content":"Fix it"}]}`))
	f.Add([]byte("\x1f\x8b"))
	m, err := orihon.Open(f.Context(), &orihon.Options{Home: filepath.Join(f.TempDir(), "home"), Dir: f.TempDir(), User: "ann", GitConfig: []string{}})
	if err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(f.TempDir(), "t.jsonl")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := m.Runs().Open(t.Context(), path)
		if err != nil {
			return
		}
		if _, err := r.Messages(t.Context(), inspect.BuildOptions{Strategy: window.Folding, Limit: 4000}); err != nil && !errors.Is(err, window.ErrBudget) {
			t.Errorf("no context: %v", err)
		}
		if _, err := r.Timeline(t.Context()); err != nil {
			t.Errorf("no timeline: %v", err)
		}
	})
}
