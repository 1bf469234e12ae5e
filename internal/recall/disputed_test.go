package recall_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"orihon/embed"
	"orihon/internal/recall"
	"orihon/internal/recall/recalltest"
	"orihon/memory"
	"orihon/memory/memorytest"
)

// What waits for a person as at odds is not told as if nothing spoke against it.
func TestOfAPairAtOddsTheOlderIsNotToldAlone(t *testing.T) {
	const (
		old   = "The ferry kiosk has permit number 417, on the north quay."
		later = "The permit changed, it is 592 by now."
		mark  = "older than the above, which may replace it"
	)
	made := func(id, text string, days int) memory.Passage {
		return with(memorytest.Passage(id, text), func(p *memory.Passage) {
			p.Item.Metadata.CreatedAt = now.Add(-time.Duration(days) * 24 * time.Hour)
		})
	}
	always := func(is bool) func(string, string) bool { return func(string, string) bool { return is } }
	since := now.Add(-24 * time.Hour)
	for name, tt := range map[string]struct {
		pairs  []recall.Pair
		edited bool // the older one since
		seen   string
		order  []string
		marked bool
	}{
		"nobody has asked":           {order: []string{old}},
		"at odds":                    {pairs: []recall.Pair{{One: "new", Other: "old", Since: since}}, order: []string{later, old}, marked: true},
		"the other way round":        {pairs: []recall.Pair{{One: "old", Other: "new", Since: since}}, order: []string{later, old}, marked: true},
		"alike, and it ends it":      {pairs: []recall.Pair{{One: "new", Other: "old", Since: since, Ends: always(true)}}, order: []string{later, old}, marked: true},
		"alike, and both hold":       {pairs: []recall.Pair{{One: "new", Other: "old", Since: since, Ends: always(false)}}, order: []string{old}},
		"put right meanwhile":        {pairs: []recall.Pair{{One: "new", Other: "old", Since: since}}, edited: true, order: []string{old}},
		"the later was never kept":   {pairs: []recall.Pair{{One: "nowhere", Other: "old", Since: since}}, order: []string{old}},
		"the later is in the window": {pairs: []recall.Pair{{One: "new", Other: "old", Since: since}}, seen: "new", order: []string{old}, marked: true},
	} {
		t.Run(name, func(t *testing.T) {
			older := made("old", old, 9)
			if tt.edited {
				older.Item.Metadata.RewordedAt = now
			}
			x := index(t, append(fillers(), older, made("new", later, 2))...)
			e := recall.New(&recall.Options{Now: clock, AtOdds: func(context.Context) []recall.Pair { return tt.pairs }}, recall.Source{Name: "project", Index: recalltest.Asking{Index: x, Embedder: embed.NewHash(0)}})
			r := ask(t, e, memory.Query{Text: "Which permit number has the kiosk at the ferry on the north quay?", Seen: func(id, _ string) bool { return id == tt.seen }})
			at := -1
			for _, text := range tt.order {
				next := strings.Index(r.Text, text)
				if next <= at {
					t.Errorf("want %q in this order:\n%s", tt.order, r.Text)
				}
				at = next
			}
			if len(tt.order) == 1 && strings.Contains(r.Text, later) || strings.Contains(r.Text, mark) != tt.marked {
				t.Errorf("got:\n%s", r.Text)
			}
		})
	}
}
