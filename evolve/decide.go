package evolve

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"orihon/habit"
	"orihon/internal/inert"
	"orihon/internal/terms"
	"orihon/llm"
	"orihon/llm/gateway"
)

// decision is what a group becomes.
type decision struct {
	Kind        Kind   `json:"kind"`
	Why         string `json:"why"`
	By          string `json:"by"`
	Name        string `json:"name,omitempty"`        // wished for, by a model
	Description string `json:"description,omitempty"` // by a model
}

const byRules = "rules"

// decide asks the model, once for each group, where there is one, and goes by
// rules else.
func (e *Evolver) decide(ctx context.Context, group []Habit, rec *record) decision {
	key := keyOf(group)
	if d, ok := rec.Decided[key]; ok {
		return d
	}
	d, err := e.asked(ctx, group)
	switch {
	case err == nil && d.Kind != "":
		rec.decide(key, d)
		return d
	case err != nil:
		e.h.Log.Warn("evolve: decided by rules", "err", err)
	}
	return byRule(group)
}

// keyOf tells groups apart by what their habits say.
func keyOf(group []Habit) string {
	sum := sha256.New()
	for i := range group {
		fmt.Fprintf(sum, "%s\x00%s\x00%s\x00", group[i].ID, group[i].Trigger, group[i].Action)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// When habits in several steps are too much to call for by one name.
const (
	manySteps  = 8
	likeEnough = 0.5 // mean overlap of triggers
)

// byRule goes by what the habits say.
func byRule(group []Habit) decision {
	bans, workflows, steps := 0, 0, 0
	for i := range group {
		n := stepsOf(group[i].Action)
		if group[i].kind == habit.Correction || n == 1 && constrains(group[i].Action) {
			bans++
		}
		if group[i].kind == habit.Sequence || n > 1 {
			workflows++
			steps += max(n, 2)
		}
	}
	switch {
	case bans == len(group):
		return decision{Kind: Rule, By: byRules, Why: "all of them are constraints"}
	case workflows*2 >= len(group) && steps >= manySteps:
		return decision{Kind: Agent, By: byRules, Why: fmt.Sprintf("%d of %d are workflows, with %d steps together", workflows, len(group), steps)}
	case workflows*2 >= len(group) && triggersAlike(group) >= likeEnough:
		return decision{Kind: Command, By: byRules, Why: fmt.Sprintf("%d of %d are workflows for the same occasion", workflows, len(group))}
	}
	return decision{Kind: Skill, By: byRules, Why: "they are knowledge of one domain"}
}

func constrains(action string) bool {
	text := terms.Prepare(action)
	return slices.ContainsFunc(lists().Phrases("constraints"), text.Contains)
}

// stepsOf counts the steps of an action: entries of a list, or parts that words
// such as "then" join.
func stepsOf(action string) int {
	items := 0
	for line := range strings.Lines(action) {
		line = strings.TrimSpace(line)
		number := strings.TrimLeft(line, "0123456789")
		if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || number != line && strings.HasPrefix(number, ". ") {
			items++
		}
	}
	if items > 1 {
		return items
	}
	n, text := 1, strings.ToLower(action)
	for _, join := range lists().Phrases("joins") {
		n += strings.Count(text, join)
		text = strings.ReplaceAll(text, join, "\n") // ", then" is no "then" once more
	}
	return n
}

// nameOf makes a name of the domain and the words that most triggers share. Names
// are Latin; of Chinese triggers only the domain is left.
func nameOf(group []Habit) string {
	seen := make(map[string]int)
	for i := range group {
		mine := make(map[string]bool)
		for _, w := range terms.Words(group[i].Trigger) {
			if q := terms.Query(w); len(q) == 1 && !light()[q[0]] && slug(w) == w && len(w) > 2 && len(w) <= 20 {
				mine[w] = true
			}
		}
		for w := range mine {
			seen[w]++
		}
	}
	var shared []string
	for w, n := range seen {
		if n*2 >= len(group) {
			shared = append(shared, w)
		}
	}
	slices.SortFunc(shared, func(a, b string) int { return cmp.Or(cmp.Compare(seen[b], seen[a]), strings.Compare(a, b)) })
	parts := []string{group[0].Domain}
	if group[0].Domain == "general" {
		parts = nil
	}
	for _, w := range shared[:min(2, len(shared))] {
		if !slices.ContainsFunc(parts, func(p string) bool { return slices.Equal(terms.Query(p), terms.Query(w)) }) {
			parts = append(parts, w)
		}
	}
	return cmp.Or(slug(strings.Join(parts, "-")), "habits")
}

//go:embed prompt.md
var prompt string

// answer is the form of a model's answer.
const answer = `{"type":"object","properties":{` +
	`"kind":{"type":"string","enum":["command","skill","agent","rule"]},` +
	`"why":{"type":"string"},"name":{"type":"string"},"description":{"type":"string"}},` +
	`"required":["kind","why","name","description"],"additionalProperties":false}`

// asked is what a model decides; without one it is nothing.
func (e *Evolver) asked(ctx context.Context, group []Habit) (d decision, err error) {
	model := e.h.Models().Model(gateway.Purpose{Feature: "evolve", Size: gateway.Small})
	if model == nil {
		return d, nil
	}
	var said strings.Builder
	for i := range group {
		fmt.Fprintf(&said, "%s (%s): %s\n", group[i].Trigger, group[i].Domain, group[i].Action)
	}
	r, err := model.Generate(ctx, llm.Request{
		Messages: []llm.Message{
			{Role: llm.System, Text: prompt + "\n" + inert.Rule},
			{Role: llm.User, Text: inert.Data("habits", said.String())},
		},
		MaxTokens: 500,
		Schema:    &llm.Schema{Name: "evolved", JSON: json.RawMessage(answer)},
	})
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal([]byte(r.Message.Text), &d); err != nil {
		return decision{}, fmt.Errorf("the model's answer: %w", err)
	}
	if !slices.Contains(kinds(), d.Kind) {
		return decision{}, fmt.Errorf("the model's answer: no kind %q", d.Kind)
	}
	const longest = 300 // characters
	d.Why, d.Description = cut(e.plain(d.Why), longest), cut(e.plain(d.Description), longest)
	d.Name, d.By = slug(d.Name), cmp.Or(r.Backend, "model")
	return d, nil
}
