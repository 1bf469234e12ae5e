package recall_test

import (
	"strings"
	"testing"

	"orihon/memory"
	"orihon/memory/memorytest"
)

// What is asked in words that the text has not is found by its phrases, which are not
// shown; a prompt about another matter gets nothing by them.
func TestPhrasesFindWhatIsAskedInOtherWords(t *testing.T) {
	const text = "Bounce the edge nodes with make bounce, one region at a time"
	passages := func(phrases ...string) []memory.Passage {
		return []memory.Passage{
			with(memorytest.Passage("edge", text), func(p *memory.Passage) { p.Item.NeededWhen = phrases }),
			memorytest.Passage("invoices", "Invoices are rounded half up, per line"),
			memorytest.Passage("rota", "Marta is on call every second week"),
		}
	}
	phrases := []string{"bring the shop back after an outage", "customers cannot reach the site", "网站挂了怎么办"}
	for _, tt := range []struct {
		prompt     string
		with, bare bool
	}{
		{"the shop is down after an outage, how do I bring it back?", true, false},
		{"customers cannot reach the site at all", true, false},
		{"網站掛了怎麼辦", true, false},
		{"how do we bounce the edge nodes?", true, true},
		{"write a haiku about the sea", false, false},
		{"rename the variable in the cart test", false, false},
	} {
		for _, given := range []bool{true, false} {
			var p []memory.Passage
			want := tt.bare
			if p = passages(); given {
				p, want = passages(phrases...), tt.with
			}
			r := ask(t, engine(t, p...), memory.Query{Text: tt.prompt})
			if got := strings.Contains(r.Text, text); got != want {
				t.Errorf("%q, phrases %v: found %v, want %v", tt.prompt, given, got, want)
			}
			if strings.Contains(r.Text, phrases[0]) || strings.Contains(r.Text, phrases[2]) {
				t.Errorf("%q: phrases are shown: %s", tt.prompt, r.Text)
			}
		}
	}
}

// More than count tell nothing: what is found by everything would always be there.
func TestPhrasesBeyondTheBoundsFindNothing(t *testing.T) {
	p := memorytest.Passage("greedy", "Bounce the edge nodes with make bounce")
	for range memory.MaxNeededWhen {
		p.Item.NeededWhen = append(p.Item.NeededWhen, strings.Repeat("x", memory.MaxPhrase)+" how do I deploy to production")
	}
	p.Item.NeededWhen = append(p.Item.NeededWhen, "how do I deploy to production")
	if r := ask(t, engine(t, p), memory.Query{Text: "how do I deploy to production"}); r.Text != "" {
		t.Errorf("found by what is beyond the bounds: %s", r.Text)
	}
}
