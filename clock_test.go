package orihon_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orihon"
	"orihon/follow"
	"orihon/memory"
)

func TestAClockThatGoesBackwardsLosesNothing(t *testing.T) {
	p := newPlace(t)
	m := p.open(t, at(start))
	remember(t, m, "The staging host is called marmot")
	p.do(t, "s", func(ctx context.Context, s *follow.Session) error {
		_, err := s.Prompt(ctx, "a", "first prompt of all")
		return err
	}, at(start))

	back := at(start.AddDate(-1, 0, 0))
	m = p.open(t, back)
	if _, err := m.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	out, err := m.Remember(t.Context(), orihon.Statement{Text: "The staging host is called marmot"})
	if err != nil || out.Item.Metadata.Confirmations != 1 {
		t.Errorf("what was remembered later than now is not known: %+v, %v", out, err)
	}
	if !finds(t, m, "what is the staging host called?", "marmot") {
		t.Error("what was remembered before the clock went back is not recalled")
	}
	remember(t, m, "The queue is called beaver 河狸")
	if !finds(t, m, "what is the queue called?", "beaver") {
		t.Error("what is remembered after the clock went back is not recalled")
	}
	p.do(t, "s", func(ctx context.Context, s *follow.Session) error {
		_, err := s.Prompt(ctx, "b", "second prompt of all")
		return err
	}, back)
	p.do(t, "s", func(ctx context.Context, s *follow.Session) error { return s.End(ctx, "other") }, back)
	if err := m.Sessions().Work(t.Context()); err != nil {
		t.Error(err)
	}
	seq := int64(0)
	for _, e := range p.events(t, "s") {
		if seq++; e.Seq != seq {
			t.Errorf("event %d stands where %d belongs", e.Seq, seq)
		}
	}
	it := list(t, m, memory.Filter{})
	for _, s := range it {
		if _, err := m.Items().Forget(t.Context(), s.Item.ID, ""); err != nil {
			t.Error(err)
		}
		if _, err := m.Items().Restore(t.Context(), s.Item.ID); err != nil {
			t.Error(err)
		}
	}
	m = p.open(t, at(start.Add(time.Hour)))
	if got := contents(list(t, m, memory.Filter{Kinds: []memory.Kind{memory.Semantic}})); len(got) != 2 {
		t.Errorf("the items are %q", got)
	}
	for prompt, text := range map[string]string{"what is the staging host called?": "marmot", "河狸是什麼？": "河狸"} {
		if !finds(t, m, prompt, text) {
			t.Errorf("%s is not recalled once the clock is right", text)
		}
	}
	if found, err := m.Health().Examine(t.Context()); err != nil || found.Index != "" {
		t.Errorf("examined: %+v, %v", found, err)
	}
}

func TestTheDailyLogFollowsTheDayWhereTheUserIs(t *testing.T) {
	// Half an hour after midnight in Taipei it is the day before in Greenwich.
	taipei := time.FixedZone("CST", 8*3600)
	night := time.Date(2026, 8, 2, 0, 30, 0, 0, taipei)
	p := newPlace(t)
	say := func(session, id, text string, now time.Time) {
		t.Helper()
		p.do(t, session, func(ctx context.Context, s *follow.Session) error { _, err := s.Prompt(ctx, id, text); return err }, at(now))
		p.do(t, session, func(ctx context.Context, s *follow.Session) error { return s.End(ctx, "other") }, at(now))
		m := p.open(t, at(now))
		if err := m.Sessions().Work(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	say("s1", "a", "燈塔的看守人住在北岸", night)
	// The user flies to Los Angeles, where it is still the day before.
	say("s2", "b", "the lighthouse keeper moved to the south shore", night.Add(time.Hour).In(time.FixedZone("PDT", -7*3600)))
	m := p.open(t, at(night.Add(2*time.Hour)))
	logs, err := filepath.Glob(filepath.Join(m.Project().Personal, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range logs {
		names = append(names, filepath.Base(path))
	}
	if want := []string{"2026-08-01.md", "2026-08-02.md"}; !slices.Equal(names, want) {
		t.Fatalf("the logs are %q, want %q", names, want)
	}
	for i, want := range []string{"south shore", "北岸"} {
		if text := read(t, logs[i]); !strings.Contains(text, want) {
			t.Errorf("%s does not hold %q:\n%s", names[i], want, text)
		}
	}
	if !strings.Contains(read(t, logs[1]), "2026-08-02T00:30:00+08:00") {
		t.Errorf("the heading has not the time where the user was:\n%s", read(t, logs[1]))
	}
}
