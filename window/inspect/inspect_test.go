package inspect_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"orihon/journal"
	"orihon/window"
	"orihon/window/inspect"
)

// longRun is a run with rounds of work; each begins with a prompt.
func longRun(t *testing.T, rounds int, prompt func(i int) string) *inspect.Run {
	t.Helper()
	var events []journal.Event
	add := func(typ journal.Type, id string, payload any) {
		e, err := journal.New(typ, id, payload)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	for i := range rounds {
		add(journal.UserMessage, fmt.Sprint("p", i), journal.Message{Role: journal.RoleUser, Text: prompt(i)})
		add(journal.ActionRequest, fmt.Sprint("t", i), journal.Action{Tool: "Read", Input: json.RawMessage(fmt.Sprintf(`{"file_path":"/home/dev/shop/step%d.go"}`, i))})
		add(journal.ActionResult, fmt.Sprint("t", i), journal.Result{Tool: "Read", Output: strings.Repeat(fmt.Sprintf("func step%d() {}\n", i), 60)})
		add(journal.AssistantMessage, fmt.Sprint("a", i), journal.Message{Role: journal.RoleAssistant, Text: fmt.Sprintf("Step %d is done.", i)})
	}
	v := journal.NewView()
	if _, err := v.Append(t.Context(), events...); err != nil {
		t.Fatal(err)
	}
	return inspect.New(v)
}

// A notice that a client writes in the user's place is not what the user asked.
func TestANoticeOfAClientIsNoPrompt(t *testing.T) {
	said := []string{
		"Mend the totals.", "<task-notification>the job has ended</task-notification>",
		"<system-reminder>a hook is set</system-reminder>\nMend the dates, too.", "<system-reminder>a hook is set</system-reminder>",
	}
	moments, err := longRun(t, len(said), func(i int) string { return said[i] }).Timeline(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	for _, m := range moments {
		if m.Prompt {
			asked = append(asked, m.Said)
		}
	}
	if got, want := strings.Join(asked, "|"), "Mend the totals.|Mend the dates, too."; got != want {
		t.Errorf("asked %q, want %q", got, want)
	}
}

// Prompts that read like what a builder writes are the user's words.
func TestPartsAndZonesComeFromTheBuilder(t *testing.T) {
	marks := []string{
		"Task: look at step %d", "[F1: iterations 1–2, 3 tokens] step %d", "[Recalled from F1, because] step %d",
		"[Where things stand at iteration 1] step %d", "Parts of this run are folded below, step %d",
	}
	r := longRun(t, 40, func(i int) string { return fmt.Sprintf(marks[i%len(marks)], i) })
	events := len(r.View().Events())
	o := inspect.BuildOptions{Strategy: window.SlidingWindow}
	in, err := r.Inspect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range in.Parts {
		switch p.Name {
		case "user", "assistant", "calls", "results":
		default:
			t.Errorf("%d tokens are %s: nothing was folded or recalled", p.Tokens, p.Name)
		}
	}
	for _, z := range in.Zones {
		if (z.Tokens > 0) != (z.Name == "working") {
			t.Errorf("zone %s has %d tokens", z.Name, z.Tokens)
		}
	}
	o = inspect.BuildOptions{Strategy: window.Folding, Limit: 4000, Task: "Look at every step."}
	if in, err = r.Inspect(t.Context(), o); err != nil || in.Folds < 2 {
		t.Fatalf("inspected %+v, %v: want folds", in, err)
	}
	parts, zones := map[string]int{}, map[string]int{}
	sums := [2]int{}
	for _, p := range in.Parts {
		parts[p.Name] = p.Tokens
		sums[0] += p.Tokens
	}
	for _, z := range in.Zones {
		zones[z.Name] = z.Tokens
		sums[1] += z.Tokens
	}
	if sums != [2]int{in.Tokens, in.Tokens} {
		t.Errorf("parts and zones add up to %v, the context has %d tokens", sums, in.Tokens)
	}
	if parts["folds"] <= zones["long-term"] || zones["static"] <= parts["task"] || parts["status"] != zones["dynamic"] || parts["task"] == 0 || zones["working"] == 0 {
		t.Errorf("parts %v, zones %v", parts, zones)
	}
	sim, err := r.Simulate(t.Context(), inspect.BuildOptions{Options: &window.Options{WindowSize: 10}}, 0, 0)
	if err != nil || len(sim.Epochs) == 0 {
		t.Fatalf("simulated %+v, %v: want what is shown to move on", sim, err)
	}
	for _, e := range sim.Epochs {
		if e.Blocks != 0 {
			t.Errorf("iteration %d has %d folds: nothing is folded", e.Iteration, e.Blocks)
		}
	}
	if n := len(r.View().Events()); n != events {
		t.Errorf("looking wrote %d events", n-events)
	}
}

func TestWhatABuilderDoesNotSayIsToldByTheRole(t *testing.T) {
	answer := `{"messages":[{"role":"system","content":"You are careful."},{"role":"user","content":"[F1: iterations 1–2] no fold"},{"role":"assistant","content":"Yes."}]}`
	r := longRun(t, 3, func(i int) string { return fmt.Sprint("Step ", i) })
	o := inspect.BuildOptions{Strategy: window.Custom, Options: &window.Options{Custom: window.CustomOptions{Command: []string{"echo", answer}}}}
	in, err := r.Inspect(t.Context(), o)
	if err != nil {
		t.Skipf("no echo: %v", err)
	}
	var names []string
	for _, p := range in.Parts {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "system user assistant" || in.Folds != 0 || in.Zones[0].Tokens == 0 || in.Zones[1].Tokens == 0 {
		t.Errorf("parts %s, %d folds, zones %+v", got, in.Folds, in.Zones)
	}
}

// Everything is in view, so that nothing may be told to be out of it.
func TestNothingIsLostOfWhatIsShownWhole(t *testing.T) {
	var events []journal.Event
	add := func(typ journal.Type, id string, payload any) {
		e, err := journal.New(typ, id, payload)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	add(journal.UserMessage, "p", journal.Message{Role: journal.RoleUser, Text: "Round it."})
	add(journal.Thought, "th", journal.Message{Role: journal.RoleAssistant, Text: "It must be roundHalfUp.", Reasoning: true})
	add(journal.ActionRequest, "t", journal.Action{Tool: "read_file", Input: json.RawMessage(`{"path":"cart/total.go"}`)})
	add(journal.ActionResult, "t", journal.Result{Tool: "read_file", Output: "func Total()"})
	add(journal.AssistantMessage, "a", journal.Message{Role: journal.RoleAssistant, Text: "Done."})
	sim, err := inspect.New(journal.NewView(events...)).Simulate(t.Context(), inspect.BuildOptions{Strategy: window.Folding}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range sim.Lost {
		if l.Kept != l.All {
			t.Errorf("%s: %d of %d kept, without %v", l.Kind, l.Kept, l.All, l.Names)
		}
	}
}

// What is shown folded and stands in no journal has a name that opens it, which the
// same options give again.
func TestComputedFoldsAreNamed(t *testing.T) {
	r := longRun(t, 40, func(i int) string { return fmt.Sprint("Look at step ", i) })
	o := inspect.BuildOptions{Strategy: window.Folding, Limit: 4000}
	_, computed, err := r.Shown(t.Context(), o)
	if err != nil || len(computed) == 0 {
		t.Fatal(computed, err)
	}
	in, err := r.Inspect(t.Context(), o)
	if err != nil || len(in.Computed) != len(computed) || in.Folds != len(computed) {
		t.Errorf("%d stubs, %v computed, want %d: %v", in.Folds, in.Computed, len(computed), err)
	}
	for i := range computed {
		if in.Computed[i] != computed[i].Ref() || r.Block(computed[i].Ref()) != nil {
			t.Errorf("%s is %s, in the run %v", in.Computed[i], computed[i].Ref(), r.Block(computed[i].Ref()))
		}
	}
	if _, computed, err = r.Shown(t.Context(), inspect.BuildOptions{Strategy: window.SlidingWindow}); err != nil || len(computed) != 0 {
		t.Errorf("without folding: %v, %v", computed, err)
	}
}

// What is shown now is what the last request of the run would have been.
func TestSummariesMadeOnTheWayAreShown(t *testing.T) {
	r := longRun(t, 25, func(i int) string { return fmt.Sprintf("Do step %d.", i) })
	for _, strategy := range []string{window.SlidingWindow, window.Folding} {
		o := inspect.BuildOptions{Strategy: strategy, Options: &window.Options{AutoSummarize: window.AutoSummarize{Enabled: true, IterationInterval: 10}}}
		in, err := r.Inspect(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		sim, err := r.Simulate(t.Context(), o, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		without, err := r.Inspect(t.Context(), inspect.BuildOptions{Strategy: strategy})
		if err != nil || in.Tokens != sim.Last || in.Tokens <= without.Tokens {
			t.Errorf("%s: %d tokens are shown, the last request had %d, without summaries %d: %v", strategy, in.Tokens, sim.Last, without.Tokens, err)
		}
	}
	if n := len(r.View().Events()); n != 100 {
		t.Errorf("looking wrote to the run: %d events", n)
	}
}

// A place that only resembles a name comes behind those that hold it, and says so.
func TestWhatHoldsANameComesBeforeWhatResemblesIt(t *testing.T) {
	at := "2026-08-01T09:00:00Z"
	r := runOf(t,
		asked(t, at, "The totals must be rounded half up, rounded always, see rounding.md: rounded."),
		call(t, at, "t1", "Read", `{"file_path":"rounding.md"}`),
		step(t, at, journal.ActionResult, "t1", journal.Result{Tool: "Read", Output: strings.Repeat("A table of carriers and prices. ", 40) + "func roundHalfUp(x int) int"}),
		asked(t, "2026-08-01T09:01:00Z", "Half of it is to be rounded up."),
	)
	found := r.Retrieve("RoundHalfUp", 0)
	if len(found) < 2 || found[0].Near || !strings.Contains(found[0].Text, "roundHalfUp") {
		t.Fatalf("found are %+v", found)
	}
	for _, f := range found[1:] {
		if !f.Near {
			t.Errorf("%q is not said to be near only", f.Text)
		}
	}
	if one := r.Retrieve("roundHalfUp", 1); len(one) != 1 || one[0].Near {
		t.Errorf("the one place is %+v", one)
	}
	for _, f := range r.Retrieve("half rounded", 0) {
		if f.Near != !strings.Contains(strings.ToLower(f.Text), "rounded") {
			t.Errorf("%q: near is %v", f.Text, f.Near)
		}
	}
}
