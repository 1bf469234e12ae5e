package orihon_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"orihon"
	"orihon/memory"
)

func TestFactsSaidByTheWayAreNoticedWhenASessionEnds(t *testing.T) {
	p := newPlace(t)
	p.prompt(t, "one", "p1", "We switched to pnpm for the frontend. Our staging Postgres database listens on port 5433 behind the proxy.")
	p.do(t, "one", func(ctx context.Context, s *orihon.Session) error {
		if err := s.End(ctx, "exit"); err != nil {
			return err
		}
		return s.Work(ctx)
	})
	m := p.open(t)
	kept := noticedItems(t, m)
	if !slices.Equal(kept, []string{"We switched to pnpm for the frontend"}) {
		t.Errorf("kept %q, want the decision alone", kept)
	}
	waiting, _, err := m.Review().List(t.Context())
	if err != nil || len(waiting) != 1 || waiting[0].Item.Content != "Our staging Postgres database listens on port 5433 behind the proxy" {
		t.Errorf("waiting: %+v, %v; want the port", waiting, err)
	}
	// The same messages are not looked through again.
	p.do(t, "one", func(ctx context.Context, s *orihon.Session) error { return s.Work(ctx) })
	if again := noticedItems(t, m); len(again) != 1 {
		t.Errorf("kept %q after the second look", again)
	}
}

func TestNothingIsNoticedWhenItIsOff(t *testing.T) {
	p := newPlace(t)
	m := p.open(t, func(o *orihon.Options) { o.Settings = map[string]string{"capture.notice": "off"} })
	got, err := m.Notice(t.Context(), []orihon.Heard{{Session: "s", Seq: 1, Text: "We switched to pnpm."}}, nil)
	if err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestADryRunOfNoticingWritesNothing(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	heard := []orihon.Heard{
		{Session: "s", Seq: 1, At: start, Text: "The test coverage of our billing module has reached 65%."},
		{Session: "s", Seq: 9, At: start.Add(time.Hour), Text: "The test coverage of our billing module has improved to 78%."},
	}
	got, err := m.Notice(t.Context(), heard, &orihon.NoticeOptions{DryRun: true})
	if err != nil || len(got) != 2 || got[1].Replaced == nil || got[1].Evidence != "s/9" {
		t.Fatalf("%+v, %v; want two, the second in the place of the first", got, err)
	}
	if items := noticedItems(t, m); len(items) != 0 {
		t.Errorf("a dry run kept %q", items)
	}
	if _, err := m.Notice(t.Context(), heard, nil); err != nil {
		t.Fatal(err)
	}
	if items := noticedItems(t, m); !slices.Equal(items, []string{"The test coverage of our billing module has improved to 78%"}) {
		t.Errorf("holding: %q, want the later value alone", items)
	}
}

func TestSecretsAreNotNoticed(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	got, err := m.Notice(t.Context(), []orihon.Heard{{Session: "s", Seq: 1, At: start, Text: "We switched to the token ghp_0123456789abcdefghijABCDEFGHIJ012345 for the deploys."}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || strings.Contains(got[0].Text, "ghp_") || got[0].Item != nil && strings.Contains(got[0].Item.Content, "ghp_") {
		t.Errorf("%+v, want one without the token", got)
	}
}

// noticedItems are the facts that were noticed and hold now.
func noticedItems(t *testing.T, m *orihon.Memory) (out []string) {
	t.Helper()
	items, err := m.Items().List(t.Context(), memory.Filter{Tags: []string{"noticed"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range items {
		if items[i].Item.ValidTo.IsZero() {
			out = append(out, items[i].Item.Content)
		}
	}
	return out
}
