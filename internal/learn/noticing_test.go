package learn_test

import (
	"strings"
	"testing"
	"time"

	"orihon/internal/learn"
	"orihon/memory"
)

func (d *desk) notice(t *testing.T, text, session string, how learn.Manner) learn.Outcome {
	t.Helper()
	d.now = d.now.Add(time.Hour)
	g := d.learner.Noticing()
	out, err := g.Learn(t.Context(), learn.Statement{Text: text, Scope: memory.Personal("ann"), Source: memory.FromAgent, Session: session, Evidence: []string{session + "/1"}}, how)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestALaterNoticedValueReplacesTheEarlierOne(t *testing.T) {
	d := newDesk(t)
	sure := learn.Manner{Sure: true}
	first := d.notice(t, "My parser module: I've reached 65% test coverage after my first run", "s1", sure)
	second := d.notice(t, "The test coverage of my parser module has improved to 78%", "s2", sure)
	if first.Action != learn.Added || second.Action != learn.Superseded || second.Item.Relations.Supersedes != first.Item.ID {
		t.Fatalf("%s, then %s of %q, want add and supersede", first.Action, second.Action, second.Item.Relations.Supersedes)
	}
	old, err := d.Get(t.Context(), first.Item.ID)
	if err != nil || old.ValidTo.IsZero() {
		t.Errorf("the earlier one still holds: %v, %v", old.ValidTo, err)
	}
}

func TestWhatAPersonAskedToKeepIsNotReplacedByTheWay(t *testing.T) {
	d := newDesk(t)
	kept, err := d.learner.Learn(t.Context(), learn.Statement{Text: "The upload limit of the shop is 40 MB", Scope: memory.Personal("ann")})
	if err != nil {
		t.Fatal(err)
	}
	out := d.notice(t, "The upload limit of the shop is now 60 MB", "s1", learn.Manner{Sure: true})
	if out.Action != learn.Pending || len(d.proposals) != 1 {
		t.Errorf("%s with %d questions, want pending with one", out.Action, len(d.proposals))
	}
	if it, err := d.Get(t.Context(), kept.Item.ID); err != nil || !it.ValidTo.IsZero() || it.Metadata.Confidence != kept.Item.Metadata.Confidence {
		t.Errorf("what was asked for has changed: %+v, %v", it, err)
	}
}

func TestAnEarlierMessageReadLaterReplacesNothing(t *testing.T) {
	d := newDesk(t)
	sure := learn.Manner{Sure: true}
	d.now = d.now.AddDate(0, 1, 0)
	now := d.notice(t, "The upload limit of the shop is now 60 MB", "s2", sure)
	d.now = d.now.AddDate(0, -1, 0)
	out := d.notice(t, "The upload limit of the shop is now 40 MB", "s1", sure)
	if out.Action != learn.Skipped || !strings.Contains(out.Why, "before") {
		t.Errorf("%s: %s, want it skipped", out.Action, out.Why)
	}
	if it, err := d.Get(t.Context(), now.Item.ID); err != nil || !it.ValidTo.IsZero() {
		t.Errorf("the later one holds no longer: %v", err)
	}
}

func TestWhatIsNotSureIsAtMostAskedAbout(t *testing.T) {
	d := newDesk(t)
	out := d.notice(t, "Our staging Postgres database listens on port 5433 behind the proxy", "s1", learn.Manner{})
	if out.Action != learn.Asked || len(d.proposals) != 1 {
		t.Errorf("%s with %d questions, want ask with one", out.Action, len(d.proposals))
	}
}

func TestSaidAgainInTheSameSessionIsEvidenceOnly(t *testing.T) {
	d := newDesk(t)
	sure := learn.Manner{Sure: true}
	first := d.notice(t, "We switched from npm to pnpm for the frontend build", "s1", sure)
	d.notice(t, "We switched from npm to pnpm for the frontend build", "s1", sure)
	it, err := d.Get(t.Context(), first.Item.ID)
	if err != nil || it.Metadata.Confirmations != 0 {
		t.Errorf("%d confirmations, want none: %v", it.Metadata.Confirmations, err)
	}
	d.notice(t, "We switched from npm to pnpm for the frontend build", "s2", sure)
	if it, _ := d.Get(t.Context(), first.Item.ID); it.Metadata.Confirmations != 1 || len(it.Metadata.Evidence) < 2 {
		t.Errorf("%d confirmations by %q, want one by both sessions", it.Metadata.Confirmations, it.Metadata.Evidence)
	}
}
