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

func TestFactsSaidByTheWayAreNoticedWhenASessionEnds(t *testing.T) {
	p := newPlace(t)
	p.prompt(t, "one", "p1", "We switched to pnpm for the frontend. Our staging Postgres database listens on port 5433 behind the proxy. For the workers let's use one lock per worktree.")
	p.do(t, "one", func(ctx context.Context, s *follow.Session) error {
		if err := s.End(ctx, "exit"); err != nil {
			return err
		}
		return s.Work(ctx)
	})
	m := p.open(t)
	kept := noticedItems(t, m)
	slices.Sort(kept)
	if want := []string{"Our staging Postgres database listens on port 5433 behind the proxy", "We switched to pnpm for the frontend"}; !slices.Equal(kept, want) {
		t.Errorf("kept %q, want %q", kept, want)
	}
	waiting, _, err := m.Review().List(t.Context())
	if err != nil || len(waiting) != 1 || waiting[0].Item.Content != "For the workers let's use one lock per worktree" {
		t.Errorf("waiting: %+v, %v; want the proposal", waiting, err)
	}
	// The same messages are not looked through again.
	p.do(t, "one", func(ctx context.Context, s *follow.Session) error { return s.Work(ctx) })
	if again := noticedItems(t, m); len(again) != 2 {
		t.Errorf("kept %q after the second look", again)
	}
}

func TestHowMuchOfWhatIsSaidByTheWayIsKept(t *testing.T) {
	heard := []follow.UserMessage{{Session: "s", Seq: 1, At: start, Text: "We switched to pnpm for the frontend. Our staging Postgres database listens on port 5433 behind the proxy. For the workers let's use one lock per worktree."}}
	for mode, want := range map[string][]follow.Decision{
		follow.NoticeAsk:  {follow.Ask, follow.Ask, follow.Ask},
		follow.NoticeSure: {follow.Keep, follow.Ask, follow.Ask},
		follow.NoticeAll:  {follow.Keep, follow.Keep, follow.Ask},
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

func TestALaterFactReplacesTheEarlierOneItGivesAnotherValueOf(t *testing.T) {
	m := newPlace(t).open(t)
	for _, tt := range []struct {
		first, later string
		want         bool
	}{
		{"My wedding guest list has 85 people and I need help with seating.", "We had to extend the guest list to 110 people, can you redo the seating plan?", true},
		{"The rent for our apartment is $1,450 a month, how much should I save?", "Our landlord raised the rent to $1,600 a month starting in June, help me rework the budget.", true},
		{"My credit score is 640. How do I improve it?", "After paying off a card my credit score went up to 702, what's next?", true},
		{"The client meeting is scheduled for Tuesday at 10 AM.", "Can you prepare an agenda? The client meeting got rescheduled to Thursday at 2 PM.", true},
		{"My monthly grocery budget is $400 and I want healthy meals.", "I've bumped my grocery budget up to $450 a month, so suggest some better meals.", true},
		{"The nightly ETL job takes 95 minutes to finish and I want to speed it up.", "I parallelised the loads, and the nightly ETL job finishes in 40 minutes now. What else?", true},
		{"Our landing page converts at 2.1%.", "The landing page conversion rate has climbed to 3.4% since the redesign, so how do I push it further?", true},
		{"We store backups for 14 days in S3.", "We decided to keep the backups for 30 days instead, please update the lifecycle rule.", true},
		{"The API rate limit of our plan is 60 requests per minute.", "We upgraded our plan, and the API rate limit is 300 requests per minute now.", true},
		{"I changed the API timeout to 60 seconds.", "wait, revert that, the API timeout is 30 seconds again", true},
		{"我把 API 的逾時改成 60 秒了。", "等等，還原，API 的逾時又是 30 秒了。", true},
		{"我把 API 的超时改成 60 秒了。", "等等，撤回，API 的超时还是 30 秒。", true},
		{"My thesis defense is on June 3.", "The committee moved my thesis defense to June 17, how should I prepare?", true},
		{"我們的專案期限是4月30日，請幫我排時程。", "客戶同意把專案期限延到5月15日，請重新排時程。", true},
		{"我目前每週跑步15公里，想準備半馬。", "我現在每週跑步已經增加到22公里了，接下來要怎麼練？", true},
		{"首頁載入時間是 3.5 秒，太慢了。", "加了快取之後，首頁載入時間降到 1.2 秒，還能怎麼優化？", true},
		{"我们部门的团队预算是 3 万元。", "我们部门的团队预算调整为 4.5 万元，怎么分配？", true},

		{"The rent for our apartment is $1,450 a month.", "My gym raised its fee to $60 a month.", false},
		{"The client meeting is scheduled for Tuesday at 10 AM.", "The dentist moved my appointment to Thursday at 2 PM.", false},
		{"Our API has 4 replicas in production.", "Our worker pool now has 6 replicas in production.", false},
		{"I'm using the Geocoding API v1 to fetch the cities.", "I'm using the weather API v2.5.", false},
		{"My exam score is 640.", "My credit score went up to 702.", false},
		{"我們的專案期限是4月30日。", "報稅期限延到5月15日。", false},
	} {
		got, err := m.Sessions().Notice(t.Context(), []follow.UserMessage{
			{Session: "one", Seq: 1, At: start, Text: tt.first}, {Session: "two", Seq: 1, At: start.AddDate(0, 1, 0), Text: tt.later},
		}, &follow.NoticeOptions{DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		replaced := slices.ContainsFunc(got, func(n follow.Noticed) bool { return n.Replaced != nil })
		if replaced != tt.want {
			t.Errorf("%q, then %q: replaced %v, want %v", tt.first, tt.later, replaced, tt.want)
		}
	}
}

func TestWhatIsAskedForIsNotNoticedToo(t *testing.T) {
	p := newPlace(t)
	p.prompt(t, "one", "p1", "The release is every second Thursday, remember that. Our staging Postgres database listens on port 5433 behind the proxy.")
	p.do(t, "one", func(ctx context.Context, s *follow.Session) error {
		if err := s.End(ctx, "exit"); err != nil {
			return err
		}
		return s.Work(ctx)
	})
	items, err := p.open(t).Items().List(t.Context(), memory.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var held []string
	for i := range items {
		held = append(held, items[i].Item.Content)
	}
	slices.Sort(held)
	if want := []string{"Our staging Postgres database listens on port 5433 behind the proxy", "The release is every second Thursday"}; !slices.Equal(held, want) {
		t.Errorf("kept %q, want %q", held, want)
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
		{Session: "s", Seq: 1, At: start, Text: "The test coverage of our billing module has reached 65%."},
		{Session: "s", Seq: 9, At: start.Add(time.Hour), Text: "The test coverage of our billing module has improved to 78%."},
	}
	got, err := m.Sessions().Notice(t.Context(), heard, &follow.NoticeOptions{DryRun: true})
	if err != nil || len(got) != 2 || got[1].Replaced == nil || got[1].Evidence != "s/9" {
		t.Fatalf("%+v, %v; want two, the second in the place of the first", got, err)
	}
	if items := noticedItems(t, m); len(items) != 0 {
		t.Errorf("a dry run kept %q", items)
	}
	if _, err := m.Sessions().Notice(t.Context(), heard, nil); err != nil {
		t.Fatal(err)
	}
	if items := noticedItems(t, m); !slices.Equal(items, []string{"The test coverage of our billing module has improved to 78%"}) {
		t.Errorf("holding: %q, want the later value alone", items)
	}
}

func TestSecretsAreNotNoticed(t *testing.T) {
	p := newPlace(t)
	m := p.open(t)
	got, err := m.Sessions().Notice(t.Context(), []follow.UserMessage{{Session: "s", Seq: 1, At: start, Text: "We switched to the token ghp_0123456789abcdefghijABCDEFGHIJ012345 for the deploys."}}, nil)
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
