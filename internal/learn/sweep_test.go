package learn_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"orihon/internal/learn"
	"orihon/memory"
)

const oneDay = 24 * time.Hour

func TestWhatLeavesForTheArchive(t *testing.T) {
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	ago := func(days int) time.Time { return now.Add(-time.Duration(days) * oneDay) }
	type item = memory.Item
	for _, c := range []struct {
		name     string
		change   func(*item)
		age      int // days
		accesses int
		last     int // days since the last access
		want     string
	}{
		{"29 days, never accessed", nil, 29, 0, 0, ""},
		{"30 days, never accessed", nil, 30, 0, 0, ""},
		{"31 days, never accessed", nil, 31, 0, 0, "never accessed in 31 days"},
		{"31 days, accessed once", nil, 31, 1, 5, ""},
		{"59 days, accessed twice", nil, 59, 2, 50, ""},
		{"60 days, accessed twice", nil, 60, 2, 50, ""},
		{"61 days, accessed twice", nil, 61, 2, 50, "accessed 2× in 61 days"},
		{"61 days, accessed 3 times", nil, 61, 3, 50, ""},
		{"years old, accessed 3 times", nil, 4000, 3, 3999, ""},
		{"a count in the text counts", func(it *item) { it.Metadata.AccessCount = 3 }, 400, 0, 0, ""},
		{"confidence 0.89", func(it *item) { it.Metadata.Confidence = 0.89 }, 31, 0, 0, "never"},
		{"confidence 0.9", func(it *item) { it.Metadata.Confidence = 0.9 }, 400, 0, 0, ""},
		{"observed", func(it *item) { it.Tier = memory.Observed }, 400, 0, 0, "never"},
		{"settled", func(it *item) { it.Tier = memory.Settled }, 400, 0, 0, ""},
		{"a procedure", func(it *item) { it.Kind = memory.Procedural }, 4000, 0, 0, ""},
		{"a note", func(it *item) { it.Kind = memory.Note }, 4000, 0, 0, ""},
		{"a preference that applies", func(it *item) { it.Topic, it.Metadata.Confidence = memory.Preference, 0.7 }, 400, 0, 0, ""},
		{"a doubtful preference", func(it *item) { it.Topic, it.Metadata.Confidence = memory.Preference, 0.6 }, 400, 0, 0, "never"},
		{"said again yesterday", func(it *item) { it.Metadata.UpdatedAt = ago(1) }, 400, 0, 0, ""},
		{"without a date", func(it *item) { it.Metadata.CreatedAt, it.Metadata.UpdatedAt = time.Time{}, time.Time{} }, 400, 0, 0, ""},
		{"of tomorrow", nil, -1, 0, 0, ""},
		{"an episode of 31 days", func(it *item) { it.Kind = memory.Episodic }, 31, 0, 0, ""},
		{"an episode of 90 days", func(it *item) { it.Kind = memory.Episodic }, 90, 0, 0, ""},
		{"an episode of 91 days", func(it *item) { it.Kind = memory.Episodic }, 91, 0, 0, "episode, not accessed for 91 days"},
		{"an episode accessed 90 days ago", func(it *item) { it.Kind = memory.Episodic }, 400, 1, 90, ""},
		{"an episode accessed 91 days ago", func(it *item) { it.Kind = memory.Episodic }, 400, 99, 91, "episode, not accessed for 91 days"},
		{"a settled episode", func(it *item) { it.Kind, it.Tier = memory.Episodic, memory.Settled }, 400, 0, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			it := item{ID: "x", Kind: memory.Semantic, Metadata: memory.Metadata{CreatedAt: ago(c.age), UpdatedAt: ago(c.age), Confidence: 0.6}}
			if c.change != nil {
				c.change(&it)
			}
			used := map[string]learn.Used{}
			if c.accesses > 0 {
				used["x"] = learn.Used{Accesses: c.accesses, Last: ago(c.last)}
			}
			got := learn.Sweep([]item{it}, used, now, learn.SweepLimits{})
			switch {
			case c.want == "" && len(got) > 0:
				t.Errorf("leaves: %+v", got)
			case c.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0].Why, c.want)):
				t.Errorf("leaves: %+v, want %q", got, c.want)
			}
			// The day on which somebody brings it back is a new beginning.
			used["x"] = learn.Used{Accesses: c.accesses, Last: used["x"].Last, Kept: ago(30)}
			if got := learn.Sweep([]item{it}, used, now, learn.SweepLimits{}); len(got) > 0 {
				t.Errorf("brought back 30 days ago, it leaves: %+v", got)
			}
		})
	}
}

func TestSweepKeepsWhatMustStay(t *testing.T) {
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		items := make([]memory.Item, rapid.IntRange(0, 30).Draw(t, "items"))
		used := make(map[string]learn.Used)
		moment := func() time.Time { return now.Add(-time.Duration(rapid.IntRange(0, 1000).Draw(t, "days")) * oneDay) }
		for i := range items {
			items[i] = memory.Item{
				ID:    fmt.Sprint(i),
				Kind:  rapid.SampledFrom([]memory.Kind{memory.Semantic, memory.Episodic, memory.Procedural, memory.Note}).Draw(t, "kind"),
				Topic: rapid.SampledFrom([]memory.Topic{memory.Fact, memory.Preference, memory.Pitfall}).Draw(t, "topic"),
				Tier:  rapid.SampledFrom([]memory.Tier{memory.Provisional, memory.Observed, memory.Settled}).Draw(t, "tier"),
				Metadata: memory.Metadata{
					CreatedAt: moment(), UpdatedAt: moment(), Confidence: rapid.Float64Range(0, 1).Draw(t, "confidence"),
				},
			}
			if rapid.Bool().Draw(t, "used") {
				used[items[i].ID] = learn.Used{Accesses: rapid.IntRange(0, 6).Draw(t, "accesses"), Last: moment()}
			}
		}
		at := -1
		for _, l := range learn.Sweep(items, used, now, learn.DefaultSweep()) {
			var i int
			if _, err := fmt.Sscan(l.ID, &i); err != nil || i <= at || l.Why == "" {
				t.Fatalf("%+v after item %d: %v", l, at, err)
			}
			at = i
			it, u := &items[i], used[l.ID]
			switch {
			case it.Metadata.Confidence >= 0.9, it.Tier == memory.Settled, it.Kind == memory.Procedural, it.Kind == memory.Note:
				t.Fatalf("%+v leaves: %s", it, l.Why)
			case it.Kind == memory.Semantic && u.Accesses >= 3:
				t.Fatalf("%+v leaves with %d accesses", it, u.Accesses)
			case it.Kind == memory.Episodic && u.Accesses > 0 && now.Sub(u.Last) <= 90*oneDay:
				t.Fatalf("%+v leaves, accessed %s", it, u.Last)
			}
		}
	})
}
