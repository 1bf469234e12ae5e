package orihon_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"orihon"
	"orihon/follow"
	"orihon/memory"
)

const (
	sureText   = "the nightly export runs at 02:10 and takes 40 minutes, never restart the db before three"
	likelyText = "We always use podman here, never docker"
)

func TestWhatIsSaidByTheWayIsKeptWithThePrompt(t *testing.T) {
	p := newPlace(t)
	in := p.prompt(t, "one", "p1", sureText)
	m := p.open(t)
	if kept := noticedItems(t, m); len(kept) != 1 || !strings.Contains(kept[0], "nightly export") || !strings.Contains(in.Notice, kept[0]) {
		t.Errorf("kept %q, said %q", kept, in.Notice)
	}
	p.prompt(t, "one", "p2", likelyText)
	waiting, _, err := m.Review().List(t.Context())
	if err != nil || len(waiting) != 1 || waiting[0].Item.Content != likelyText {
		t.Errorf("waiting: %+v, %v; want what is only likely", waiting, err)
	}
	// The work behind the session finds nothing new in the same messages.
	p.do(t, "one", func(ctx context.Context, s *follow.Session) error {
		if err := s.End(ctx, "exit"); err != nil {
			return err
		}
		return s.Work(ctx)
	})
	if again := noticedItems(t, m); len(again) != 1 {
		t.Errorf("kept %q after the second look", again)
	}
}

func TestHowMuchOfWhatIsSaidByTheWayIsKept(t *testing.T) {
	heard := []follow.UserMessage{{Session: "s", Seq: 1, At: start, Text: sureText}, {Session: "s", Seq: 2, At: start, Text: likelyText}}
	for mode, want := range map[string][]follow.Decision{
		follow.NoticeAsk:  {follow.Ask, follow.Ask},
		follow.NoticeSure: {follow.Keep, follow.Ask},
		follow.NoticeAll:  {follow.Keep, follow.Keep},
	} {
		got, err := newPlace(t).open(t).Sessions().Notice(t.Context(), heard, &follow.NoticeOptions{Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		var verdicts []follow.Decision
		for i := range got {
			verdicts = append(verdicts, got[i].Verdict)
		}
		if !slices.Equal(verdicts, want) {
			t.Errorf("%s: %v, want %v", mode, verdicts, want)
		}
	}
}

func TestWhatIsAskedForIsNotNoticedToo(t *testing.T) {
	p := newPlace(t)
	p.prompt(t, "one", "p1", "Remember: "+sureText)
	items, err := p.open(t).Items().List(t.Context(), memory.Filter{})
	if err != nil || len(items) != 1 || slices.Contains(items[0].Item.Metadata.Tags, "noticed") {
		t.Errorf("%+v, %v; want one, asked for", items, err)
	}
}

func TestWhatHoldsOnOneOccasionIsNotNoticed(t *testing.T) {
	m := newPlace(t).open(t)
	for _, text := range []string{
		"只這次，過磅單要用英文印出來，客人會檢查",
		"just for this shipment, the labels carry two languages and the frame is left out",
		"盘点提前到周二 9 点,就这一次",
	} {
		got, err := m.Sessions().Notice(t.Context(), []follow.UserMessage{{Session: "s", Seq: 1, At: start, Text: text}}, &follow.NoticeOptions{Mode: follow.NoticeAll})
		if err != nil || len(got) != 0 {
			t.Errorf("%q: %+v, %v; want nothing", text, got, err)
		}
	}
}

func TestNothingIsNoticedWhenItIsOff(t *testing.T) {
	p := newPlace(t)
	m := p.open(t, func(o *orihon.Options) { o.Settings = map[string]string{"capture.notice": "off"} })
	got, err := m.Sessions().Notice(t.Context(), []follow.UserMessage{{Session: "s", Seq: 1, Text: "We switched to pnpm."}}, nil)
	if err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestADryRunOfNoticingWritesNothing(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	heard := []follow.UserMessage{
		{Session: "s", Seq: 1, At: start, Text: "The staging database listens on port 5433 and only from the VPN."},
		{Session: "s", Seq: 9, At: start.Add(time.Hour), Text: "The staging database listens on port 6544 now and only from the VPN."},
	}
	got, err := m.Sessions().Notice(t.Context(), heard, &follow.NoticeOptions{DryRun: true, Mode: follow.NoticeAll})
	if err != nil || len(got) != 2 || got[1].Replaced == nil || got[1].Evidence != "s/9" {
		t.Fatalf("%+v, %v; want two, the second in the place of the first", got, err)
	}
	if items := noticedItems(t, m); len(items) != 0 {
		t.Errorf("a dry run kept %q", items)
	}
	if _, err := m.Sessions().Notice(t.Context(), heard, &follow.NoticeOptions{Mode: follow.NoticeAll}); err != nil {
		t.Fatal(err)
	}
	if items := noticedItems(t, m); len(items) != 1 || !strings.Contains(items[0], "6544") {
		t.Errorf("holding: %q, want the later value alone", items)
	}
}

func TestSecretsAreNotNoticed(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	token := "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
	got, err := m.Sessions().Notice(t.Context(), []follow.UserMessage{{Session: "s", Seq: 1, At: start, Text: sureText + ", its token is " + token}}, &follow.NoticeOptions{Mode: follow.NoticeAll})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range got {
		if strings.Contains(n.Text, token) || n.Item != nil && strings.Contains(n.Item.Content, token) || strings.Contains(n.Text, "token") && n.Verdict != follow.Drop {
			t.Errorf("%+v, want nothing of the token", n)
		}
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
