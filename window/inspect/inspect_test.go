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
