package orihon_test

import (
	"strings"
	"testing"
	"time"

	"orihon/follow"
	"orihon/memory"
)

// TestADayIsToldAsItReadThen: what was changed, said or written after a day is not told
// of it, and a changed text is dated by its change.
func TestADayIsToldAsItReadThen(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	out := remember(t, m, "Webhook retries are limited to 5 attempts")
	remember(t, m, "The staging database is called shop_stage")
	day := p.now()
	p.later(48 * time.Hour)
	edited := func(text string) time.Time {
		t.Helper()
		if _, err := m.Items().Edit(t.Context(), out.ID, func(it *memory.Item) error { it.Content = text; return nil }); err != nil {
			t.Fatal(err)
		}
		return p.now()
	}
	second := edited("Webhook retries are limited to 9 attempts")
	p.later(48 * time.Hour)
	edited("Webhook deliveries give up behind the twelfth attempt")
	s, err := m.Session(t.Context(), "s1", follow.Client{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prompt(t.Context(), "p1", "the webhook retries should back off exponentially from now on"); err != nil {
		t.Fatal(err)
	}

	for _, synced := range []bool{false, true} {
		if synced {
			if _, err := m.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, tt := range []struct {
			ask  string
			asOf time.Time
			want string
		}{
			{"webhook retries", day, "5 attempts"},
			{"webhook retries", second, "9 attempts"},
			{"webhook attempt", time.Time{}, "twelfth"},
			{"are retries limited to 5 attempts?", day, "5 attempts"}, // in words that it has no more
		} {
			r, err := m.Recall(t.Context(), memory.Query{Text: tt.ask, AsOf: tt.asOf, Turns: !tt.asOf.IsZero()})
			if err != nil || len(r.Hits) != 1 || !strings.Contains(r.Hits[0].Passage.Item.Content, tt.want) {
				t.Errorf("%q as of %v: %s, %v; want %q alone", tt.ask, tt.asOf, r.Text, err, tt.want)
			}
		}
	}
	r, err := m.Recall(t.Context(), memory.Query{Text: "webhook attempt"})
	if err != nil || !strings.Contains(r.Text, "twelfth attempt ("+p.now().Format(time.DateOnly)) {
		t.Errorf("it is dated %s, %v", r.Text, err)
	}
	if _, err := m.Items().Edit(t.Context(), out.ID, func(it *memory.Item) error { it.NeededWhen = []string{"a hook is lost"}; return nil }); err != nil {
		t.Fatal(err)
	}
	if it, err := m.Items().Get(t.Context(), out.ID); err != nil || !it.Item.Metadata.RewordedAt.Before(it.Item.Metadata.UpdatedAt) {
		t.Errorf("a phrase dates the text anew: %+v, %v", it.Item.Metadata, err)
	}
}
