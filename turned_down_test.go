package orihon_test

import (
	"strings"
	"testing"

	"orihon"
	"orihon/items"
	"orihon/memory"
)

// tellsOf lets a prompt be typed in a session, which then ends.
func (p *place) tellsOf(t *testing.T, session, prompt string) {
	t.Helper()
	p.prompt(t, session, "p1", prompt)
	p.end(t, session)
	p.work(t)
}

// turnDown rejects all that waits.
func (p *place) turnDown(t *testing.T) (ids []string) {
	t.Helper()
	m := p.open(t)
	defer m.Close()
	lines, ids := queue(t, m)
	if len(ids) == 0 {
		t.Fatalf("nothing waits: %q", lines)
	}
	for _, id := range ids {
		if _, err := m.Review().Reject(t.Context(), id, ""); err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

// What a person turned down is not told as something they said either; undo lets it be.
func TestWhatWasTurnedDownDoesNotComeBackAsConversation(t *testing.T) {
	for _, tt := range []struct{ said, asked, word string }{
		{"morning. finance says invoices over 900 need two signatures", "which invoices need two signatures?", "900"},
		{"早。供应商说样品 3-17 周二寄出", "样品到底哪天寄出，跟供应商对一下", "3-17"},
		{"廠長話樣品 3-17 禮拜二先寄出", "樣品到底幾時寄出？同廠長對下", "3-17"},
	} {
		p := newPlace(t)
		p.tellsOf(t, "s1", tt.said)
		if got := p.prompt(t, "s2", "p1", tt.asked).Text; !strings.Contains(got, tt.word) {
			t.Errorf("%q is not told before: %q", tt.said, got)
		}
		ids := p.turnDown(t)
		if got := p.prompt(t, "s3", "p1", tt.asked).Text; strings.Contains(got, tt.word) {
			t.Errorf("%q comes back: %q", tt.said, got)
		}
		m := p.open(t)
		undo(t, m, items.Undo{ID: ids[0]})
		m.Close()
		if got := p.prompt(t, "s4", "p1", tt.asked).Text; !strings.Contains(got, tt.word) {
			t.Errorf("%q is not told after an undo: %q", tt.said, got)
		}
	}
}

// What else was said of the matter is told, and what says the same as a statement that
// was kept is turned down as a question alone.
func TestOnlyWhatWasTurnedDownIsNotTold(t *testing.T) {
	const said, asked = "morning. finance says invoices over 900 need two signatures", "which invoices need two signatures?"
	t.Run("another value", func(t *testing.T) {
		p := newPlace(t)
		p.tellsOf(t, "s1", said)
		p.turnDown(t)
		p.tellsOf(t, "s2", "hm, finance says invoices over 1500 need two signatures")
		if got := p.prompt(t, "s3", "p1", asked).Text; !strings.Contains(got, "1500") {
			t.Errorf("told %q", got)
		}
	})
	t.Run("kept in other words", func(t *testing.T) {
		p := newPlace(t)
		p.tellsOf(t, "s1", said)
		p.turnDown(t)
		m := p.open(t)
		state(t, m, orihon.Statement{Text: "Invoices over 900 need two signatures, says finance"})
		state(t, m, orihon.Statement{
			Title: "Invoices", Text: "The user asked: finance says invoices over 900 need two signatures. It was built into the form.",
			Kind: memory.Episodic, Source: memory.FromSystem, Session: "s1",
		})
		m.Close()
		if got := p.prompt(t, "s3", "p1", "what was built into the form for invoices with two signatures?").Text; !strings.Contains(got, "built into the form") {
			t.Errorf("told %q", got)
		}
	})
}
