package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"orihon/memory"
)

// spoken is a turn at a line of its session's journal.
func spoken(line int, text string, population memory.Population) memory.Passage {
	return with(said(fmt.Sprintf("old/%d", line), "old", "", text, population), func(p *memory.Passage) {
		p.Source, p.Line = "old", line
	})
}

func TestTurnsThatStateNothingAreLeftOut(t *testing.T) {
	const prompt = "which cable does the turnstile in Uppsala need?"
	for _, tt := range []struct {
		text  string
		found bool
	}{
		{prompt, false},
		{"turnstile cable Uppsala", false},
		{"the turnstile in Uppsala needs a cable", false}, // says nothing beyond the prompt
		{"what sort of cable goes into the Uppsala turnstile, the braided one?", false},
		{"the turnstile in Uppsala needs the braided cable, 3 metres", true},
	} {
		e := engine(t, append(fillers(), spoken(1, tt.text, memory.UserTurns))...)
		got := ids(ask(t, e, memory.Query{Text: prompt, Turns: true, Told: true}).Hits)
		if slices.Contains(got, "old/1") != tt.found {
			t.Errorf("%q: got %v", tt.text, got)
		}
	}
}

func TestAnAnswerIsFoundByItsQuestion(t *testing.T) {
	for _, tt := range []struct{ question, answer string }{
		{"which cable does the turnstile in Uppsala need?", "The braided one, 3 metres."},
		{"展位的钥匙放在哪里？", "锁在左边的铁柜，密码在小雨那里。"},
	} {
		question, answer := spoken(3, tt.question, memory.UserTurns), spoken(9, tt.answer, memory.AgentTurns)
		answer.Near = []memory.Neighbour{{Text: tt.question, Distance: 1}}
		far := spoken(90, "The weather stays fine all week.", memory.AgentTurns)
		e := engine(t, append(fillers(), question, answer, far)...)
		got := ids(ask(t, e, memory.Query{Text: tt.question, Turns: true, Told: true}).Hits)
		if !slices.Equal(got, []string{"old/9"}) {
			t.Errorf("%q: got %v, want the answer alone", tt.question, got)
		}
	}
}

// What an agent once said of its own work, or did not know, answers nothing later.
func TestAnAnswerThatAnswersNothingIsLeftOut(t *testing.T) {
	for _, tt := range []struct {
		question, answer string
		found            bool
	}{
		{"which cable does the turnstile in Uppsala need?", "Updated TURNSTILE.", false},
		{"which cable does the turnstile in Uppsala need?", "Shared cable drum of the depot.", true},
		{"which cable does the turnstile in Uppsala need?", "Ok, sorted and shortened the cable page. I've also checked the tests.", false},
		{"which cable does the turnstile in Uppsala need?", "I don't know; found nothing about the turnstile.", false},
		{"which cable does the turnstile in Uppsala need?", "Noted, will do.", false},
		{"which cable does the turnstile in Uppsala need?", "Renamed the braided cable to plain cable, it needs the shielded one.", true},
		{"which cable does the turnstile in Uppsala need?", "The cable was set to 3 metres.", true},
		{"which cable does the turnstile in Uppsala need?", "Set the turnstile cable to 3 metres.", true},
		{"which cable does the turnstile in Uppsala need?", "The braided one, from Haddad in Malmö.", true},
		{"展位的钥匙放在哪里？", "已更新钥匙清单。", false},
		{"展位的钥匙放在哪里？", "改好了，测试也跑完了。", false},
		{"展位的鑰匙放在哪裡？", "不知道，記憶裡沒有記錄。", false},
		{"展位的钥匙放在哪里？", "锁在左边的铁柜，密码在小雨那里。", true},
	} {
		question, answer := spoken(3, tt.question, memory.UserTurns), spoken(9, tt.answer, memory.AgentTurns)
		answer.Near = []memory.Neighbour{{Text: tt.question, Distance: 1}}
		got := ids(ask(t, engine(t, append(fillers(), question, answer)...), memory.Query{Text: tt.question, Turns: true, Told: true}).Hits)
		if slices.Contains(got, "old/9") != tt.found {
			t.Errorf("%q: got %v", tt.answer, got)
		}
	}
}

func TestATurnSilencesNoStatement(t *testing.T) {
	const prompt = "the turnstile in Uppsala needs a braided cable for the coloured badge reader, where from?"
	statement := with(fillers()[0], func(p *memory.Passage) {
		p.ID, p.Item.ID, p.Item.Content = "fact", "fact", "a coloured badge is printed by Brandt"
	})
	turn := spoken(1, "we buy braided cable for coloured badge readers at Haddad in Uppsala, 12 metres", memory.UserTurns)
	q := memory.Query{Text: prompt, Turns: true, Told: true}
	alone := ids(ask(t, engine(t, append(fillers(), statement)...), q).Hits)
	both := ids(ask(t, engine(t, append(fillers(), statement, turn)...), q).Hits)
	if !slices.Equal(alone, []string{"fact"}) || !slices.Contains(both, "fact") || !slices.Contains(both, "old/1") {
		t.Errorf("alone %v, with the turn %v", alone, both)
	}
}

// An old question is no answer, whatever is said around it; a greeting is no matter, and
// thanks ask for nothing.
func TestOldQuestionsAndGreetingsBringNothing(t *testing.T) {
	for name, tt := range map[string]struct{ said, query string }{
		"a question with a sigh":    {"How do I build the label package these days? I never know the command.", "How do I build the label package?"},
		"greeted and asked":         {"Good afternoon. Where is the key of the label printer kept, at the desk?", "where is the key of the label printer?"},
		"greeted, Chinese":          {"早安。標籤機的鑰匙放在哪個櫃子？", "標籤機的鑰匙放哪裡"},
		"the same greeting":         {"Good morning. Please write the fair into the calendar of the kiosk.", "Good morning. Which turnstiles do we have in Malmö?"},
		"thanks for today":          {"The label printer writes late orders to late.csv.", "Thank you, that will be all for today."},
		"thanks for today, Chinese": {"標籤機把晚到的訂單寫到 late.csv。", "今天先到這裡，謝謝"},
	} {
		t.Run(name, func(t *testing.T) {
			p := saidOn("a", tt.said, 0)
			r := ask(t, engine(t, append(fillers(), p)...), memory.Query{Text: tt.query, Turns: true, Told: true, Threshold: -1})
			if strings.Contains(r.Text, tt.said) {
				t.Errorf("got:\n%s", r.Text)
			}
		})
	}
}
