package recall_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"orihon/memory"
	"orihon/memory/memorytest"
)

// saidOn is what the user said in a session of its own, some days ago.
func saidOn(session, text string, days int) memory.Passage {
	return with(said(session+"/1", session, "", text, memory.UserTurns), func(p *memory.Passage) {
		p.Source, p.Line = session, 1
		p.Item.Metadata.CreatedAt = now.Add(-time.Duration(days) * 24 * time.Hour)
	})
}

func TestWhatWasToldLaterOfTheSameMatterStandsFirst(t *testing.T) {
	const (
		old   = "The turnstile in Uppsala takes the braided cable, three metres of it."
		later = "The turnstile in Uppsala takes the plain cable now, six metres of it."
		other = "In Malmö the gate keeper has a dog."
		mark  = "older than the above, which may replace it"
	)
	q := memory.Query{Text: "which cable for the turnstile in Uppsala, three metres?", Turns: true, Told: true}
	for _, tt := range []struct {
		name  string
		told  []memory.Passage
		seen  string
		order []string
		mark  bool
	}{
		{name: "the later one", told: []memory.Passage{saidOn("a", old, 9), saidOn("b", later, 2)}, order: []string{later, old}, mark: true},
		{name: "told the other way round", told: []memory.Passage{saidOn("a", old, 2), saidOn("b", later, 9)}, order: []string{old, later}, mark: true},
		{name: "of another matter", told: []memory.Passage{saidOn("a", old, 9), saidOn("b", other, 2)}, order: []string{old}},
		{name: "in the window already", told: []memory.Passage{saidOn("a", old, 9), saidOn("b", later, 2)}, seen: "b/1", order: []string{old}},
	} {
		q := q
		q.Seen = func(id, _ string) bool { return id == tt.seen }
		r := ask(t, engine(t, append(fillers(), tt.told...)...), q)
		at := -1
		for _, text := range tt.order {
			next := strings.Index(r.Text, text)
			if next <= at {
				t.Errorf("%s: want %q in this order:\n%s", tt.name, tt.order, r.Text)
			}
			at = next
		}
		if strings.Contains(r.Text, mark) != tt.mark || tt.seen != "" && strings.Contains(r.Text, later) {
			t.Errorf("%s: marked as older: want %t\n%s", tt.name, tt.mark, r.Text)
		}
	}
}

// A question says nothing of what holds, whether it has a sign or not.
func TestAQuestionIsNotWhatWasToldLater(t *testing.T) {
	for _, tt := range []struct{ old, later, query string }{
		{"倉庫的閘門用編織電纜，三米長。", "倉庫的閘門而家用緊邊種電纜 要幾長", "倉庫的閘門用甚麼電纜，幾長？"},
		{"仓库的闸门用编织电缆，三米长。", "仓库的闸门用不用编织电缆 三米够不够", "仓库的闸门用什么电缆，几米？"},
		{"The turnstile in Uppsala takes the braided cable, three metres of it.", "wheres the braided cable of the turnstile in Uppsala", "which cable for the turnstile in Uppsala, three metres?"},
	} {
		q := memory.Query{Text: tt.query, Turns: true, Told: true}
		r := ask(t, engine(t, append(fillers(), saidOn("a", tt.old, 9), saidOn("b", tt.later, 2))...), q)
		if !strings.Contains(r.Text, tt.old) || strings.Contains(r.Text, tt.later) {
			t.Errorf("%q:\n%s", tt.query, r.Text)
		}
	}
}

func TestAnOlderSayingIsNoLongerMarkedWhenTheLaterOneDoesNotFit(t *testing.T) {
	const old = "The turnstile in Uppsala takes the braided cable, three metres of it."
	later := "Lindqvist swapped the turnstile in Uppsala, it hangs on plain fibre." + strings.Repeat(" He told a long story about trains.", 40)
	q := memory.Query{Text: "which cable for the turnstile in Uppsala, three metres?", Turns: true, Told: true, MaxTokens: 120}
	r := ask(t, engine(t, append(fillers(), saidOn("a", old, 9), saidOn("b", later, 2))...), q)
	if !strings.Contains(r.Text, old) || strings.Contains(r.Text, "older than the above") {
		t.Errorf("got:\n%s", r.Text)
	}
}

// The same words in another order are no repetition.
func TestTheSameWordsInAnotherOrderAreBothTold(t *testing.T) {
	for _, pair := range [][2]string{
		{"Support tickets are answered by Maria first, then by Tom", "Support tickets are answered by Tom first, then by Maria"},
		{"Tickets go from Zendesk to Jira", "Tickets go from Jira to Zendesk"},
		{"客服先找小美，再找小王", "客服先找小王，再找小美"},
	} {
		e := engine(t, append(fillers(), memorytest.Passage("one", pair[0]), memorytest.Passage("other", pair[1]))...)
		r := ask(t, e, memory.Query{Text: pair[0]})
		if !slices.Contains(ids(r.Hits), "one") || !slices.Contains(ids(r.Hits), "other") {
			t.Errorf("%q: %v", pair[0], ids(r.Hits))
		}
	}
}

// An exception for one occasion stands neither above the rule nor beside it.
func TestAnExceptionForOneOccasionIsNotTold(t *testing.T) {
	for _, tt := range []struct{ rule, exception, query string }{
		{"The turnstile in Uppsala takes the braided cable, three metres of it.", "take the plain cable for the turnstile in Uppsala this time, six metres of it", "which cable for the turnstile in Uppsala, three metres?"},
		{"倉庫的閘門用編織電纜，三米長。", "今次倉庫的閘門用普通電纜 六米長", "倉庫的閘門用甚麼電纜，幾長？"},
		{"仓库的闸门用编织电缆，三米长。", "仓库的闸门这回先用普通电缆，六米长", "仓库的闸门用什么电缆，几米？"},
	} {
		told := []memory.Passage{saidOn("a", tt.rule, 9), saidOn("b", tt.exception, 2)}
		r := ask(t, engine(t, append(fillers(), told...)...), memory.Query{Text: tt.query, Turns: true, Told: true})
		if !strings.Contains(r.Text, tt.rule) || strings.Contains(r.Text, tt.exception) || strings.Contains(r.Text, "older than the above") {
			t.Errorf("%q:\n%s", tt.query, r.Text)
		}
		r = ask(t, engine(t, append(fillers(), told...)...), memory.Query{Text: tt.exception, Turns: true})
		if !slices.Contains(ids(r.Hits), "b/1") {
			t.Errorf("who asks for what was said does not find %q", tt.exception)
		}
	}
}

// What only orders something says nothing of what holds, and what is said of another board
// or hall replaces nothing.
func TestWhatTellsNothingOfTheMatterReplacesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		old, later, query string
		marked            bool
	}{
		"an order":           {"The turnstile in Uppsala takes the braided cable, three metres of it.", "give me the cable list of the turnstile in Uppsala, the braided ones", "which cable for the turnstile in Uppsala, three metres?", false},
		"an order, Chinese":  {"倉庫的閘門用編織電纜，三米長。", "幫我改一下倉庫閘門的編織電纜清單", "倉庫的閘門用甚麼電纜，幾長？", false},
		"a change in orders": {"The turnstile in Uppsala takes the braided cable, 3 metres of it.", "change the cable list of the turnstile in Uppsala, braided one, to 6 metres", "which cable for the turnstile in Uppsala, 3 metres?", true},
		"another hall":       {"The turnstile in hall B takes the braided cable, three metres of it.", "The turnstile in hall C takes the plain cable, six metres of it.", "which cable for the turnstile in hall B, three metres?", false},
		"another, Chinese":   {"B 區的閘門用編織電纜，三米長。", "C 區的閘門用普通電纜，六米長。", "B 區的閘門用甚麼電纜，幾長？", false},
	} {
		t.Run(name, func(t *testing.T) {
			q := memory.Query{Text: tt.query, Turns: true, Told: true}
			r := ask(t, engine(t, append(fillers(), saidOn("a", tt.old, 9), saidOn("b", tt.later, 2))...), q)
			marked := strings.Contains(r.Text, "older than the above") || strings.Contains(r.Text, "比上一條舊")
			if !strings.Contains(r.Text, tt.old) || marked != tt.marked {
				t.Errorf("marked as older: %t\n%s", marked, r.Text)
			}
		})
	}
}
