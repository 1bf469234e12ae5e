package instincts

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"orihon/habit"
	"orihon/internal/inert"
	"orihon/internal/mining"
	"orihon/llm"
	"orihon/llm/gateway"
	"orihon/memory"
)

//go:embed model.md
var modelPrompt string

// modelSchema is the form of a model's answer.
const modelSchema = `{"type":"object","additionalProperties":false,"required":["habits"],"properties":{"habits":{"type":"array","items":{"type":"object","additionalProperties":false,
"required":["number","habit","trigger","action","domain"],"properties":{"number":{"type":"integer"},"habit":{"type":"boolean"},"trigger":{"type":"string"},"action":{"type":"string"},"domain":{"type":"string"}}}}}}`

// mostAsked is how many habits a model is asked about at a time.
const mostAsked = 12

// asked is what a model says of a habit.
type asked struct {
	Number  int    `json:"number"`
	Habit   bool   `json:"habit"`
	Trigger string `json:"trigger"`
	Action  string `json:"action"`
	Domain  string `json:"domain"`
}

// refine asks the small model, where one is configured, which of what was found anew
// are habits, and how to say them. What it says no to is dropped; what it says yes to
// is believed as far as it was seen. Without a model, and where it fails, the rules
// stand.
func (t *Instincts) refine(ctx context.Context, found []mining.Found, known map[string]bool) ([]mining.Found, error) {
	model := t.h.Models().Model(gateway.Purpose{Feature: "habits", Size: gateway.Small})
	if model == nil {
		return found, nil
	}
	var at []int
	for i := range found {
		if len(at) < mostAsked && found[i].Suggested() && !seenAll(&found[i], known) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return found, nil
	}
	temperature := 0.0
	var b strings.Builder
	b.WriteString(modelPrompt + "\n" + inert.Rule + "\n")
	for n, i := range at {
		b.WriteString("\n" + inert.Data(fmt.Sprintf("candidate %d", n+1), described(&found[i])) + "\n")
	}
	r, err := model.Generate(ctx, llm.Request{
		Messages: []llm.Message{{Role: llm.User, Text: b.String()}}, MaxTokens: 2500, Temperature: &temperature,
		Schema: &llm.Schema{Name: "habits", JSON: json.RawMessage(modelSchema)},
	})
	if errors.Is(err, llm.ErrUnavailable) || errors.Is(err, llm.ErrSpent) || errors.Is(err, llm.ErrTooLong) {
		t.h.Log.Warn("instincts: not asked a model", "err", err)
		return found, nil
	}
	if err != nil {
		return found, err
	}
	var answer struct {
		Habits []asked `json:"habits"`
	}
	if err := json.Unmarshal([]byte(r.Message.Text), &answer); err != nil {
		t.h.Log.Warn("instincts: a model's answer is left out", "err", err)
		return found, nil
	}
	no := make(map[int]bool)
	for _, a := range answer.Habits {
		if a.Number < 1 || a.Number > len(at) {
			continue
		}
		i := at[a.Number-1]
		if !a.Habit {
			no[i] = true
			continue
		}
		t.take(&found[i], &a)
	}
	var out []mining.Found
	for i := range found {
		if !no[i] {
			out = append(out, found[i])
		}
	}
	return out, nil
}

// take gives a habit a model's words, as far as they can be used.
func (t *Instincts) take(f *mining.Found, a *asked) {
	trigger, _ := t.h.Redactor.Text(a.Trigger)
	action, _ := t.h.Redactor.Text(a.Action)
	in := habit.Instinct{ID: "new", Trigger: habit.Cut(trigger, habit.MaxTrigger), Action: habit.Cut(action, habit.MaxAction), Domain: strings.ToLower(a.Domain), Source: habit.Observed, Confidence: memory.SingleConfidence}
	if !habit.ValidDomain(in.Domain) {
		in.Domain = f.Domain
	}
	if in.Check() == nil {
		f.Trigger, f.Action, f.Domain = in.Trigger, in.Action, in.Domain
	}
	f.Affirm()
}

// described is a habit as a model is shown it.
func described(f *mining.Found) string {
	var b strings.Builder
	fmt.Fprintf(&b, "kind: %s\nas told by rules: %s → %s\n", f.Kind, f.Trigger, f.Action)
	for i := range f.Evidence {
		fmt.Fprintf(&b, "seen %s: %s\n", f.Evidence[i].At.Format("2006-01-02"), f.Evidence[i].Text)
	}
	for i := range f.Against {
		fmt.Fprintf(&b, "perhaps taken back %s: %s\n", f.Against[i].At.Format("2006-01-02"), f.Against[i].Text)
	}
	return b.String()
}

// seenAll reports whether all evidence of a habit is known already.
func seenAll(f *mining.Found, known map[string]bool) bool {
	for i := range f.Evidence {
		if !known[f.Evidence[i].Place()] {
			return false
		}
	}
	return true
}
