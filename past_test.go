package orihon_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"orihon/follow"
	"orihon/memory"
)

// didOn is a session of its own that was asked for something, changed a file
// and ended.
func didOn(t *testing.T, p *place, id, prompt, file string) {
	t.Helper()
	p.begin(t, id, "startup")
	p.prompt(t, id, prompt, prompt)
	edit(t, p, id, prompt, file)
	p.do(t, id, func(ctx context.Context, s *follow.Session) error { return s.Answer(ctx, prompt, "Done.") })
	p.end(t, id)
}

func TestANewSessionCanBeAskedWhatWasDoneBefore(t *testing.T) {
	const day = 24 * time.Hour
	p := newPlace(t)
	didOn(t, p, "s1", "Set up the carrier integration", "carrier.go")
	p.work(t)
	p.later(5 * day)
	didOn(t, p, "s2", "Round the VAT per line", "vat.go")
	p.later(day) // nobody came to sum it up before
	p.work(t)
	didOn(t, p, "s3", "把登入頁的逾時改成 12 小時", "login.go")
	p.work(t)

	const first, second, third = "carrier.go", "vat.go", "login.go"
	for i, tt := range []struct {
		prompt    string
		has, lack []string
	}{
		{"what did we do last time?", []string{third, "💡"}, []string{first}},
		{"where did we leave off?", []string{third}, []string{first}},
		{"continue where we stopped", []string{third}, []string{first}},
		{"what were we working on?", []string{third}, []string{first}},
		{"上次我們做了什麼?", []string{third, "💡"}, []string{first}},
		{"我们上次做到哪了", []string{third}, []string{first}},
		{"繼續上次的工作", []string{third}, []string{first}},
		{"what did I ask you about yesterday?", []string{second}, []string{first, third}},
		{"昨天做了什麼?", []string{second}, []string{first, third}},
		{"8月1號我們做了什麼?", []string{first}, []string{second, third}},
		{"what did we do last week?", []string{first}, []string{second, third}}, // 1 August is a Saturday
	} {
		in := p.prompt(t, "ask"+string(rune('a'+i)), "p1", tt.prompt)
		for _, want := range tt.has {
			if !strings.Contains(in.Text, want) {
				t.Errorf("%q: %s is missing:\n%s", tt.prompt, want, in.Text)
			}
		}
		for _, other := range tt.lack {
			if strings.Contains(in.Text, other) {
				t.Errorf("%q: %s is not of that time:\n%s", tt.prompt, other, in.Text)
			}
		}
	}

	// Later in a session, where it stands is a question about itself.
	p.prompt(t, "under way", "p1", "hello there, good morning")
	if in := p.prompt(t, "under way", "p2", "where were we?"); in.Text != "" {
		t.Errorf("a session under way is told of others: %q", in.Text)
	}
	if in := p.prompt(t, "under way", "p3", "what did we do last time?"); !strings.Contains(in.Text, third) {
		t.Errorf("asked for the last time: %q", in.Text)
	}
}

func TestAnEpisodeIsOfTheDayItsRequestWasWorkedOn(t *testing.T) {
	p := newPlace(t)
	didOn(t, p, "s1", "Round the VAT per line", "vat.go")
	p.later(48 * time.Hour)
	p.work(t)
	days := func(want ...int) {
		t.Helper()
		all := list(t, p.open(t), memory.Filter{Kinds: []memory.Kind{memory.Episodic}})
		var got []int
		for i := range all {
			got = append(got, int(all[i].Item.Metadata.CreatedAt.Sub(start).Hours()/24))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("the episodes are of days %v, want %v", got, want)
		}
	}
	days(0)
	didOn(t, p, "s1", "And per invoice", "vat.go")
	p.work(t)
	days(0, 2)
}
