package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"orihon/memory"
	"orihon/memory/memorytest"
)

func TestAnAtomThatMatchesAlmostWholeIsSummedUp(t *testing.T) {
	const lead = "Webhooks are signed, retried for a day and never carry a customer's name."
	atom := func(n, whole int, summary string) []memory.Passage {
		var out []memory.Passage
		for i := range n {
			out = append(out, with(memorytest.Passage(fmt.Sprint("atom#", 'a'+i), fmt.Sprintf("webhook rule %c: %s", 'a'+i, strings.Repeat(fmt.Sprint("word", i, " "), 20))), func(p *memory.Passage) {
				p.Parent, p.Item.Title, p.Whole, p.Summary = "atom", "Webhooks", whole, summary
			}))
		}
		return out
	}
	for name, tc := range map[string]struct {
		bullets, whole int
		summary        string
		want           bool
	}{
		"almost all of it":       {8, 300, lead, true},
		"less than seven tenths": {8, 600, lead, false},
		"without a summary":      {8, 300, "", false},
		"a small one":            {2, 70, lead, false},
	} {
		e := engine(t, atom(tc.bullets, tc.whole, tc.summary)...)
		r := ask(t, e, memory.Query{Text: "webhook rule", Threshold: -1, MaxTokens: 5000})
		if got := strings.Contains(r.Text, lead); got != tc.want || got == strings.Contains(r.Text, "webhook rule") {
			t.Errorf("%s: the summary is told: %v, want %v\n%s", name, got, tc.want, r.Text)
		}
		if !tc.want {
			continue
		}
		if len(r.Hits) != 1 || r.Hits[0].Passage.ID != "atom#1" || r.Tokens > 300 {
			t.Errorf("%s: %v, %d tokens", name, ids(r.Hits), r.Tokens)
		}
		seen := []string{}
		again := ask(t, e, memory.Query{Text: "webhook rule", Threshold: -1, MaxTokens: 5000, Seen: func(id, hash string) bool {
			seen = append(seen, id)
			return id == r.Hits[0].Passage.ID && hash == r.Hits[0].Hash
		}})
		if again.Text != "" || !slices.Contains(seen, "atom#1") {
			t.Errorf("%s: what is in the window is told again:\n%s", name, again.Text)
		}
	}
}
