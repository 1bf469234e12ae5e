package orihon_test

import (
	"strings"
	"testing"

	"orihon/follow"
	"orihon/memory"
)

// A hand-over gives no instruction that memory has forgotten, replaced or changed since.
func TestAHandOverGivesOnlyWhatStillHolds(t *testing.T) {
	p, _ := holds(t)
	p.told(t, "s1", "remember: the next freezer audit is on 6 March")
	p.told(t, "s1", "remember: the toner is ordered on Tuesdays")
	p.told(t, "s1", "remember: never restart the label printer before noon")
	p.told(t, "s1", "forget what I said about ordering the toner")
	if told := p.told(t, "s1", "no wait, the freezer audit is on 13 March"); !strings.Contains(told, "memory_update") {
		t.Fatalf("told %q", told)
	}
	m := p.open(t)
	defer m.Close()
	for _, it := range list(t, m, memory.Filter{}) {
		if strings.Contains(it.Item.Content, "6 March") {
			if waits, err := p.reword(t, it.Item.ID, "The next freezer audit is on 13 March"); waits != "" || err != nil {
				t.Fatalf("waits %q, %v", waits, err)
			}
		}
	}
	out, err := m.Sessions().Handoff(t.Context(), follow.HandoffOptions{Session: "s1", Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	rules := out.Text[max(0, strings.Index(out.Text, "instructions")):]
	if strings.Contains(rules, "toner") || strings.Contains(rules, "6 March") || !strings.Contains(rules, "ever restart the label printer") {
		t.Errorf("%s", out.Text)
	}
}
