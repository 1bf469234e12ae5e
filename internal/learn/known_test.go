package learn_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/learn"
	"orihon/memory"
)

func TestTheSameStatementInOtherDressIsConfirmed(t *testing.T) {
	for _, tt := range []struct{ name, first, again string }{
		{"word for word", "Use pnpm, never npm.", "Use pnpm, never npm."},
		{"case", "Use PNPM, never npm", "use pnpm, Never NPM"},
		{"closing punctuation", "Use pnpm, never npm.", "Use pnpm, never npm!"},
		{"spaces", "Use pnpm,\n  never npm", " Use pnpm, never\tnpm "},
		{"script", "部署前必須先執行資料遷移", "部署前必须先执行资料迁移"},
		{"Chinese punctuation", "用 pnpm，不要用 npm。", "用 pnpm，不要用 npm！"},
		{"width", "用 ｐｎｐｍ，不要用 npm", "用 pnpm,不要用 npm"},
		{"spaces beside Chinese", "用 pnpm，不要用 npm", "用pnpm, 不要用npm。"},
		{"all at once", "部署用 Make Ship。", "  部署用 make ship!"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.learn(learn.Statement{Text: tt.first, Session: "s1"})
			out := d.learn(learn.Statement{Text: tt.again, Session: "s2"})
			if out.Action != learn.Confirmed || out.Item.ID != "id1" {
				t.Errorf("%s %s, want id1 confirmed", out.Action, out.Item.ID)
			}
			if diff := cmp.Diff([]string{tt.first}, d.contents()); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
		})
	}
}

func TestADifferentStatementIsNeverTakenForTheSame(t *testing.T) {
	for _, tt := range []struct{ name, first, other string }{
		{"number", "The timeout is 30 seconds.", "The timeout is 60 seconds."},
		{"digits apart", "The ports are 80 80.", "The ports are 8080."},
		{"version", "We run Node 18.1.", "We run Node 18.10."},
		{"negative number", "The offset is 5", "The offset is -5"},
		{"negation", "Use tabs in Go files.", "Do not use tabs in Go files."},
		{"Chinese number", "逾時是 30 秒", "逾時是 60 秒"},
		{"Chinese negation", "提交前要跑測試", "提交前不要跑測試"},
		{"simplified negation", "提交前要跑測試", "提交前不要跑测试"},
		{"question", "Tests run in parallel.", "Tests run in parallel?"},
		{"operator", "Retry while n < 3", "Retry while n > 3"},
		{"flag", "Run it with -v", "Run it with --v"},
		{"word order", "A calls B", "B calls A"},
		{"words joined", "Call the back end", "Call the backend"},
		{"more said", "Use pnpm.", "Use pnpm in the web folder."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.learn(learn.Statement{Text: tt.first})
			if out := d.learn(learn.Statement{Text: tt.other}); out.Action != learn.Added && out.Action != learn.Superseded || out.Item.ID != "id2" {
				t.Errorf("%s %s, want a second item", out.Action, out.Item.ID)
			}
			if diff := cmp.Diff([]string{tt.first, tt.other}, d.contents()); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfirmingRaisesConfidenceByWhoConfirms(t *testing.T) {
	for _, tt := range []struct {
		from   float64
		source memory.Source
		want   float64
	}{
		{0.3, memory.FromUser, 0.5},
		{0.3, "", 0.5},
		{0.3, memory.FromAgent, 0.4},
		{0.3, memory.FromSystem, 0.4},
		{0.5, memory.Imported, 0.6},
		{0.9, memory.FromUser, 1},
		{0.95, memory.FromAgent, 1},
	} {
		d := newDesk(t)
		d.learn(learn.Statement{Text: "提交前要跑測試", Source: memory.FromAgent, Explicit: true, Confidence: tt.from})
		out := d.learn(learn.Statement{Text: "提交前要跑测试", Source: tt.source, Explicit: true})
		if got := out.Item.Metadata.Confidence; math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%g, confirmed by %q: %g, want %g", tt.from, tt.source, got, tt.want)
		}
		if got := out.Item.Metadata.Source; got != memory.FromAgent {
			t.Errorf("the source became %s", got)
		}
	}
}

func TestConfirmationsAreCountedBySession(t *testing.T) {
	d := newDesk(t)
	d.learn(learn.Statement{Text: "Use tabs.", Session: "s1"})
	for _, tt := range []struct {
		session string
		want    int
	}{{"s1", 0}, {"s2", 1}, {"s1", 1}, {"s3", 2}, {"", 3}} {
		if got := d.learn(learn.Statement{Text: "use tabs", Session: tt.session}).Item.Metadata.Confirmations; got != tt.want {
			t.Errorf("after session %q: %d confirmations, want %d", tt.session, got, tt.want)
		}
	}
}

func TestConfirmingAddsWordsAndKeepsTheRest(t *testing.T) {
	d := newDesk(t)
	first := d.learn(learn.Statement{
		Text: "Use pnpm, never npm.", Title: "Packages", Topic: memory.Preference, Session: "s1",
		Tags: []string{"web"}, Triggers: []string{"install"}, Aliases: []string{"package manager"},
	}).Item
	d.now = start.Add(time.Hour)
	got := d.learn(learn.Statement{
		Text: "use pnpm, never npm", Title: "Other", Topic: memory.Decision, Session: "s2",
		Tags: []string{"web", "node"}, Triggers: []string{"安裝", "install"}, Aliases: []string{"套件"},
	}).Item

	want := first
	want.Metadata.Tags, want.Triggers, want.Aliases = []string{"web", "node"}, []string{"install", "安裝"}, []string{"package manager", "套件"}
	want.Metadata.Confidence, want.Metadata.Confirmations, want.Metadata.UpdatedAt = 1, 1, d.now.UTC()
	want.Metadata.Evidence = []string{"s2"} // where it was said again
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestOnlyALiveStatementOfTheSameScopeIsConfirmed(t *testing.T) {
	const text = "Use tabs."
	for name, change := range map[string]func(*memory.Passage){
		"another scope":       func(p *memory.Passage) { p.Item.Scope = memory.Global },
		"a turn":              func(p *memory.Passage) { p.Population = memory.UserTurns },
		"forgotten":           func(p *memory.Passage) { p.Retired = true },
		"replaced":            func(p *memory.Passage) { p.SupersededBy = "other" },
		"a note":              func(p *memory.Passage) { p.Item.Kind = memory.Note },
		"an episode":          func(p *memory.Passage) { p.Item.Kind = memory.Episodic },
		"no longer in effect": func(p *memory.Passage) { p.Item.ValidTo = start.Add(-time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			it := memory.Item{ID: "old", Kind: memory.Semantic, Content: text, Scope: ann, Metadata: memory.Metadata{Confidence: 0.5}}
			p := memory.Passage{ID: it.ID, Item: it}
			change(&p)
			if err := d.Store.Put(t.Context(), p.Item); err != nil {
				t.Fatal(err)
			}
			d.indexed = []memory.Passage{p}
			if out := d.learn(learn.Statement{Text: text}); out.Action != learn.Added || out.Item.ID != "id1" {
				t.Errorf("%s %s, want a new item", out.Action, out.Item.ID)
			}
		})
	}
}

func TestAnIndexThatFailsLosesNoStatement(t *testing.T) {
	d := newDesk(t)
	d.learn(learn.Statement{Text: "Use tabs."})
	d.findErr = errors.New("database disk image is malformed")
	if out := d.learn(learn.Statement{Text: "部署用 make ship"}); out.Action != learn.Added {
		t.Errorf("%s, want add", out.Action)
	}
	if diff := cmp.Diff([]string{"Use tabs.", "部署用 make ship"}, d.contents()); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func TestTheStoreIsBelievedWhereTheIndexLags(t *testing.T) {
	item := func(text string) memory.Item {
		return memory.Item{ID: "old", Kind: memory.Semantic, Content: text, Scope: ann, Metadata: memory.Metadata{Confidence: 0.5}}
	}
	stale := []memory.Passage{{ID: "old", Item: item("Use tabs.")}}

	t.Run("the item says something else by now", func(t *testing.T) {
		d := newDesk(t)
		d.indexed = stale
		if err := d.Store.Put(t.Context(), item("Use spaces.")); err != nil {
			t.Fatal(err)
		}
		d.learn(learn.Statement{Text: "Use tabs."})
		if diff := cmp.Diff([]string{"Use spaces.", "Use tabs."}, d.contents()); diff != "" {
			t.Errorf("stored (-want +got):\n%s", diff)
		}
	})
	t.Run("the item was forgotten", func(t *testing.T) {
		d := newDesk(t)
		d.indexed = stale
		if err := d.Store.Put(t.Context(), item("Use tabs.")); err != nil {
			t.Fatal(err)
		}
		if err := d.Remove(t.Context(), "old", "wrong", start); err != nil {
			t.Fatal(err)
		}
		if out := d.learn(learn.Statement{Text: "Use tabs."}); out.Action != learn.Added || out.Item.ID != "id1" {
			t.Errorf("%s %s, want a new item", out.Action, out.Item.ID)
		}
	})
	t.Run("the item was never written", func(t *testing.T) {
		d := newDesk(t)
		d.indexed = stale
		if out := d.learn(learn.Statement{Text: "Use tabs."}); out.Action != learn.Added {
			t.Errorf("%s, want add", out.Action)
		}
	})
	t.Run("the item gained confidence since", func(t *testing.T) {
		d := newDesk(t)
		d.indexed = stale
		it := item("Use tabs.")
		it.Metadata.Confidence, it.Metadata.Tags = 0.7, []string{"go"}
		if err := d.Store.Put(t.Context(), it); err != nil {
			t.Fatal(err)
		}
		out := d.learn(learn.Statement{Text: "Use tabs."})
		if out.Action != learn.Confirmed || math.Abs(out.Item.Metadata.Confidence-0.9) > 1e-9 || len(out.Item.Metadata.Tags) != 1 {
			t.Errorf("%s at %g with tags %q, want confirmed at 0.9", out.Action, out.Item.Metadata.Confidence, out.Item.Metadata.Tags)
		}
	})
}
