package recall_test

import (
	"strings"
	"testing"
	"time"

	"orihon/memory"
	"orihon/memory/memorytest"
)

// knownSince is a statement that was put into these words some days ago.
func knownSince(id, text string, days int) memory.Passage {
	return with(memorytest.Passage(id, text), func(p *memory.Passage) {
		p.Item.Metadata.CreatedAt = now.Add(-time.Duration(days) * 24 * time.Hour)
	})
}

func TestWhatWasSaidOfAMatterIsNotToldOnceMemoryKnowsOtherwise(t *testing.T) {
	const (
		turn     = "The turnstile in Uppsala takes the braided cable, 3 metres of it."
		now      = "The turnstile in Uppsala takes 6 metres of the plain cable."
		question = "which cable for the turnstile in Uppsala, 3 metres?"
	)
	for _, tt := range []struct {
		name     string
		told     []memory.Passage
		seen     bool // what memory knows stands in the window
		turn, it bool // what is told
	}{
		{name: "another time since", told: []memory.Passage{saidOn("a", turn, 9), knownSince("b", now, 2)}, it: true},
		{name: "and the window holds it", told: []memory.Passage{saidOn("a", turn, 9), knownSince("b", now, 2)}, seen: true},
		{name: "known before", told: []memory.Passage{saidOn("a", turn, 2), knownSince("b", now, 9)}, turn: true, it: true},
		{name: "known of another matter", told: []memory.Passage{saidOn("a", turn, 9), knownSince("b", "The gate keeper in Malmö has 6 dogs.", 2)}, turn: true},
		{name: "an episode", told: []memory.Passage{with(knownSince("a", "Asked for the order script. "+turn+" It was written.", 9), func(p *memory.Passage) { p.Item.Kind = memory.Episodic }), knownSince("b", now, 2)}, it: true},
	} {
		q := memory.Query{Text: question, Turns: true, Told: true, Seen: func(id, _ string) bool { return tt.seen && id == "b" }}
		r := ask(t, engine(t, append(fillers(), tt.told...)...), q)
		if strings.Contains(r.Text, "braided") != tt.turn || strings.Contains(r.Text, now) != tt.it {
			t.Errorf("%s: want what was said %t, what is known %t:\n%s", tt.name, tt.turn, tt.it, r.Text)
		}
	}
}

// What an agent put into words of its own is gone from what was said as well.
func TestWhatIsForgottenIsNotToldInOtherWords(t *testing.T) {
	gone := with(knownSince("g", "Ulla at the bakery has extension 2217.", 5), func(p *memory.Passage) { p.Retired = true })
	said := "the bakery, that is Ulla, her extension is 2217, tell her about the loaves"
	for _, tt := range []struct {
		name string
		p    memory.Passage
	}{
		{"a turn", saidOn("a", said, 9)},
		{"an episode", with(knownSince("a", "The user asked: “"+said+"”. A message was sent.", 9), func(p *memory.Passage) { p.Item.Kind = memory.Episodic })},
	} {
		q := memory.Query{Text: "what is Ulla's extension at the bakery?", Turns: true, Told: true}
		if r := ask(t, engine(t, append(fillers(), tt.p)...), q); !strings.Contains(r.Text, "2217") {
			t.Fatalf("%s is not found at all:\n%s", tt.name, r.Text)
		}
		if r := ask(t, engine(t, append(fillers(), tt.p, gone)...), q); strings.Contains(r.Text, "2217") {
			t.Errorf("%s tells it again:\n%s", tt.name, r.Text)
		}
	}
}
