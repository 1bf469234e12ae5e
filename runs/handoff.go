package runs

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"orihon/internal/inert"
	"orihon/internal/tokens"
	"orihon/llm"
	"orihon/window"
)

// Handoff is what somebody needs who takes the run over: see [window.Handoff]. It
// costs at most budget tokens, 0 is [window.DefaultHandoffTokens]. Secrets are
// taken out and marks of prompts escaped; whoever shows it says that it is data.
func (r *Run) Handoff(budget int) string { return r.handoff(budget, &worded{}) }

// HandoffBy is [Run.Handoff] in which a model words how far the work has come and
// what was decided. All else stays as it was recorded, and what the model says
// with a name or a number that the record does not have is left out.
func (r *Run) HandoffBy(ctx context.Context, m llm.Model, budget int) (string, error) {
	const most = 6000 // tokens of the record that the model reads
	record := r.Handoff(most)
	if record == "" {
		return "", nil
	}
	w, err := word(ctx, m, record)
	if err != nil {
		return "", fmt.Errorf("hand-over worded by a model: %w", err)
	}
	return r.handoff(budget, w), nil
}

func (r *Run) handoff(budget int, w *worded) string {
	budget = cmp.Or(max(budget, 0), window.DefaultHandoffTokens)
	extra := r.besides(2 * budget)
	o := window.HandoffOptions{Language: r.o.Language, Instructions: extra.instructions, Open: extra.open, State: w.State}
	for _, d := range w.Decisions {
		o.Decisions = append(o.Decisions, d.What+" ("+d.Why+")")
	}
	for o.Budget = budget; o.Budget > 0; o.Budget = o.Budget * 9 / 10 {
		text := inert.Text(r.clean(window.Handoff(r.View(), o)))
		if text == "" || tokens.Estimate(text) <= budget {
			return text
		}
	}
	return ""
}

// worded is what a model makes of a record.
type worded struct {
	State     string `json:"state"`
	Decisions []struct {
		What string `json:"what"`
		Why  string `json:"why"`
	} `json:"decisions"`
}

var (
	//go:embed handoff.md
	handoffPrompt string
	//go:embed handoff.json
	handoffSchema []byte
)

// word asks a model, and keeps of its answer what the record bears out.
func word(ctx context.Context, m llm.Model, record string) (*worded, error) {
	const patience = 45 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := m.Generate(ctx, llm.Request{
		Messages:  []llm.Message{{Role: llm.System, Text: handoffPrompt}, {Role: llm.User, Text: "<record>\n" + record + "\n</record>"}},
		MaxTokens: 1000, Schema: &llm.Schema{Name: "handoff", JSON: handoffSchema},
	})
	if err != nil {
		return nil, err
	}
	var said worded
	if err := json.Unmarshal([]byte(answer.Message.Text), &said); err != nil {
		return nil, err
	}
	var out worded
	if stands(said.State, record) {
		out.State = said.State
	}
	for _, d := range said.Decisions {
		if d.What != "" && d.Why != "" && stands(d.What+" "+d.Why, record) {
			out.Decisions = append(out.Decisions, d)
		}
	}
	return &out, nil
}

// stands reports whether every name and number of a text stands in the record.
func stands(text, record string) bool {
	for name := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r >= unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-./", r)
	}) {
		name = strings.Trim(name, "-./")
		inner := strings.IndexFunc(name[min(1, len(name)):], unicode.IsUpper) >= 0 // capitals inside, as of identifiers
		if (inner || strings.ContainsAny(name, "0123456789_./")) && !strings.Contains(record, name) {
			return false
		}
	}
	return true
}
