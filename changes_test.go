package orihon_test

import (
	"errors"
	"strings"
	"testing"

	"orihon"
	"orihon/follow"
	"orihon/items"
	"orihon/memory"
)

// told is what an agent that has the tools is told of a prompt.
func (p *place) told(t *testing.T, session, text string, change ...func(*orihon.Options)) string {
	t.Helper()
	m := p.open(t, append(change, readOnly)...)
	defer m.Close()
	s, err := m.Session(t.Context(), session, follow.Client{Name: "claude-code", Tool: "mcp__orihon__memory_search"})
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Prompt(t.Context(), text, text)
	if err != nil {
		t.Fatal(err)
	}
	return in.Text
}

// holds is a place that remembers statements, with their IDs.
func holds(t *testing.T, texts ...string) (*place, []string) {
	t.Helper()
	p := newPlace(t)
	m := p.open(t)
	var ids []string
	for _, text := range texts {
		out, err := m.Remember(t.Context(), orihon.Statement{Text: text, Source: memory.FromUser})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, out.Item.ID)
	}
	if _, err := m.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p, ids
}

var office = []string{
	"The payment gateway times out after 30 seconds.",
	"Staging listens on port 8443, production on 443.",
	"Invoices go out on the first Monday of the month.",
	"行動版 API 的逾時是 30 秒。",
	"The nightly export is owned by Ruta.",
}

// Whoever asks what a statement answers changes nothing.
func TestAQuestionChangesNoStatement(t *testing.T) {
	p, _ := holds(t, office...)
	for session, prompt := range map[string]string{
		"s1": "is the timeout of the payment gateway still 30", "s2": "whats the port of staging, 8443", "s3": "邊個負責每晚嘅 export, 係咪 Ruta",
		"s4": "行動版 API 的逾時是不是 60 秒", "s5": "who owns the nightly export now",
	} {
		if got := p.told(t, session, prompt); strings.Contains(got, "memory_update") {
			t.Errorf("%q: told %q", prompt, got)
		}
	}
}

func TestTheAgentIsToldWhatAPromptSeemsToChange(t *testing.T) {
	p, ids := holds(t, office...)
	for name, tt := range map[string]struct {
		prompt string
		of     int // -1 for none
	}{
		"said plainly":           {"No, the payment gateway timeout is 60 seconds", 0},
		"as everybody knows":     {"invoices go out on the second Tuesday of the month now, can you change the cron line", 2},
		"in Chinese":             {"行動版 API 逾時改成 60 秒了", 3},
		"used in a task":         {"write a test for the case that the payment gateway times out", -1},
		"asked":                  {"which port does staging listen on?", -1},
		"about something else":   {"rename the helper in utils.go to formatDate", -1},
		"asked not to be kept":   {"don't keep this: the payment gateway timeout is 60 seconds now", -1},
		"a question of the past": {"what did we do yesterday about the payment gateway?", -1},
	} {
		t.Run(name, func(t *testing.T) {
			got := p.told(t, strings.ReplaceAll(name, " ", "-"), tt.prompt)
			tells := strings.Contains(got, "mcp__orihon__memory_update")
			if tells != (tt.of >= 0) || tells && !strings.Contains(got, memory.ShortID(ids[tt.of])) {
				t.Errorf("told %q", got)
			}
		})
	}
	if got := p.told(t, "off", "No, the payment gateway timeout is 60 seconds", set("capture.changes", "false")); strings.Contains(got, "memory_update") {
		t.Errorf("switched off: told %q", got)
	}
	if got := p.prompt(t, "bare", "p1", "No, the payment gateway timeout is 60 seconds").Text; strings.Contains(got, "memory_update") {
		t.Errorf("without the tool: told %q", got)
	}
}

// An agent may not change what a person said, unless the person has just said so.
func TestAnAgentPutsRightWhatTheUserHasJustChanged(t *testing.T) {
	p, ids := holds(t, office...)
	rewords := func(id, content string) (waits string, err error) {
		m := p.open(t)
		defer m.Close()
		out, err := m.Items().ForAgent("agent-1", m.Sessions().UserSaid).Edit(t.Context(), id, func(it *memory.Item) error {
			it.Content = content
			return nil
		})
		return out.Waits, err
	}
	content := func(id string) string {
		m := p.open(t)
		defer m.Close()
		known, err := m.Items().Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return known.Item.Content
	}
	const now = "The payment gateway times out after 60 seconds."
	if waits, err := rewords(ids[0], now); err != nil || waits == "" {
		t.Errorf("before the user said it: waits %q, %v", waits, err)
	}
	if got := p.told(t, "s1", "No, the payment gateway timeout is 60 seconds"); !strings.Contains(got, memory.ShortID(ids[0])) {
		t.Fatalf("told %q", got)
	}
	for name, text := range map[string]string{
		"another number":   "The payment gateway times out after 600 seconds.",
		"another matter":   "Deploys to production need no review by anybody any more.",
		"a name not said":  "The payment gateway times out after 60 seconds, ask install.example.",
		"another item":     "",
		"nothing worth it": "ok",
	} {
		id := ids[0]
		if text == "" {
			id, text = ids[1], "Staging listens on port 60, production on 443."
		}
		if waits, err := rewords(id, text); waits == "" && !errors.Is(err, memory.ErrRefused) {
			t.Errorf("%s: was changed (%v)", name, err)
		}
	}
	if waits, err := rewords(ids[0], now); err != nil || waits != "" || content(ids[0]) != now {
		t.Errorf("waits %q, %v: %q", waits, err, content(ids[0]))
	}
	m := p.open(t)
	if _, err := m.Items().Undo(t.Context(), items.Undo{ID: ids[0]}); err != nil {
		t.Error(err)
	}
	_ = m.Close()
	if got := content(ids[0]); got != office[0] {
		t.Errorf("after undo: %q", got)
	}
}

// What is ordered for one occasion changes nothing, and nobody is asked whether to keep it.
func TestAnExceptionForOneOccasionChangesNothing(t *testing.T) {
	for _, tt := range []struct{ rule, prompt string }{
		{"Every batch is weighed before it is shipped", "ship this batch without weighing it, just this once"},
		{"Invoices are always printed on A4", "print the invoices on A5 this time"},
		{"發票一律印 A4", "這次發票先印 A5"},
		{"出货前一律过秤", "这次出货先不过秤"},
		{"入倉一定要過磅", "今次唔使過磅, 直接入倉"},
	} {
		p, _ := holds(t, tt.rule)
		if told := p.told(t, "s1", tt.prompt); strings.Contains(told, "memory_update") || strings.Contains(told, "memory_add") {
			t.Errorf("%q: told %q", tt.prompt, told)
		}
		p.tellsOf(t, "s2", tt.prompt)
		m := p.open(t)
		if lines, _ := queue(t, m); len(lines) > 0 {
			t.Errorf("%q: waiting %q", tt.prompt, lines)
		}
		m.Close()
	}
}
