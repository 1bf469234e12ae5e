package orihon_test

import (
	"slices"
	"testing"

	"orihon"
	"orihon/follow"
	"orihon/memory"
	"orihon/review"
)

// What waits is no question any more when memory says it, or was changed as it would have
// it: by the agent that kept or changed something, or by what the user approved.
func TestWhatIsSettledWaitsNoMore(t *testing.T) {
	const known, now = "The refund limit is 700 euros, more than that needs the controller", "The refund limit is 450 euros, more than that needs the controller"
	for name, tt := range map[string]struct {
		prompt, was, now string
		settled          bool
	}{
		"the value of before is named": {"not 700, the new refund limit per order is 450, checked it with Ola", known, now, true},
		"in Chinese":                   {"不是 7000，剛跟阿雯確認單筆退款上限是 4500", "單筆退款上限 7000 元，超過要主管審", "單筆退款上限 4500 元，超過要主管審", true},
		"a day that was named":         {"老闆娘講公休挪到週五 週三照送", "花店週三公休，週三不要送貨", "花店週五公休，週五不要送貨", true},
		"said before the change":       {"by the way the refund limit is 700 euros these days", known, now, true},
		"kept in other words":          {"by the way the spare kiosk printer takes the 58 mm rolls", "", "The spare printer of the kiosk takes 58 mm paper rolls", true},
		"another value":                {"the refund limit is 450 now and 90 for vouchers", known, now, false},
		"another thing":                {"by the way the spare kiosk printer takes the 58 mm rolls", known, now, false},
		"the opposite":                 {"by the way the spare kiosk printer never takes the 58 mm rolls", "", "The spare kiosk printer takes the 58 mm rolls", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			m := p.open(t)
			defer m.Close()
			askedAbout(t, m, tt.prompt)
			it := memory.Item{Content: tt.now, Scope: memory.Personal("ann"), Metadata: memory.Metadata{Evidence: []string{"s1/1"}}}
			if err := m.Review().Followed(t.Context(), tt.was, &it); err != nil {
				t.Fatal(err)
			}
			if lines, _ := queue(t, m); (len(lines) == 0) != tt.settled {
				t.Errorf("waiting: %q", lines)
			}
		})
	}
}

// askedAbout has a person asked about the first prompt of session s1, and returns the ID of the
// first question.
func askedAbout(t *testing.T, m *orihon.Memory, prompt string) string {
	t.Helper()
	said := []follow.UserMessage{{Session: "s1", Seq: 1, Text: prompt}}
	if _, err := m.Sessions().Notice(t.Context(), said, &follow.NoticeOptions{Mode: follow.NoticeAsk}); err != nil {
		t.Fatal(err)
	}
	_, ids := queue(t, m)
	if len(ids) == 0 {
		t.Fatal("nothing is asked about")
	}
	return ids[0]
}

func TestApprovalsEndWhatTheyGiveAnotherNameOrValueOf(t *testing.T) {
	for name, tt := range map[string]struct {
		known, waits string
		ends         bool
	}{
		"a person":         {"The cold store is checked by Malin", "By the way, since the move the cold store is checked by Aksel, every morning before the market opens", true},
		"a long statement": {"The oldest supported Node is 18.4", "The oldest supported Node rises to 20.9 with the next release of the packer, since the fetch in it is needed by the mirror", true},
		"another's":        {"The nightly export is owned by Ruta.", "The weekly import is owned by Benno, who also looks after the mirror", false},
		"more of the same": {"The cold store is checked by Malin", "The cold store is checked by Malin every morning before the market opens", false},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := holds(t, tt.known)
			m := p.open(t)
			defer m.Close()
			id := askedAbout(t, m, tt.waits)
			if _, err := m.Review().Approve(t.Context(), id, review.Approval{}); err != nil {
				t.Fatal(err)
			}
			now := list(t, m, memory.Filter{AsOf: p.now(), Present: true})
			holds := slices.ContainsFunc(now, func(s memory.Stored) bool { return s.Item.Content == tt.known })
			if holds == tt.ends {
				t.Errorf("%q holds: %v", tt.known, holds)
			}
		})
	}
}

// What is said again of somebody else is no repetition, and is shown in the words it has
// by now.
func TestAnotherPersonIsNotAskedAboutAsTheSame(t *testing.T) {
	p, _ := holds(t, "The cold store in the harbour is checked by Malin before the market opens")
	m := p.open(t)
	defer m.Close()
	out := state(t, m, orihon.Statement{Text: "The cold store in the harbour is checked by Aksel before the market opens, since the move"})
	kind := func() memory.QuestionKind {
		t.Helper()
		all, _, err := m.Review().List(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatal(len(all), err)
		}
		return all[0].Kind
	}
	if got := kind(); got != memory.QuestionConflict {
		t.Errorf("asked as %s", got)
	}
	const by = "The cold store in the harbour is checked by Aksel before the market opens"
	if _, err := m.Items().Edit(t.Context(), out.ID, func(it *memory.Item) error { it.Content = by; return nil }); err != nil {
		t.Fatal(err)
	}
	if lines, _ := queue(t, m); len(lines) != 1 || lines[0] != "conflict: "+by {
		t.Errorf("waiting: %q", lines)
	}
}

func TestWhatHoldsEverywhereLeavesTheProjectItWasSaidIn(t *testing.T) {
	p := newPlace(t)
	const rule = "以后所有项目的表格都用逗号分隔"
	p.prompt(t, "s1", "p1", rule)
	p.end(t, "s1")
	p.work(t)
	other := p.open(t, func(o *orihon.Options) { o.Dir = t.TempDir() })
	defer other.Close()
	_, ids := queue(t, other)
	if len(ids) != 1 {
		t.Fatalf("%d questions", len(ids))
	}
	if _, err := other.Review().Approve(t.Context(), ids[0], review.Approval{}); err != nil {
		t.Fatal(err)
	}
	m := p.open(t)
	defer m.Close()
	if held := list(t, m, memory.Filter{AsOf: p.now(), Present: true, Kinds: []memory.Kind{memory.Semantic, memory.Procedural}}); len(held) != 1 || held[0].Item.Scope != memory.Global {
		t.Errorf("held: %q", contents(held))
	}
}
