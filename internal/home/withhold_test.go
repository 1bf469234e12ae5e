package home_test

import (
	"encoding/json"
	"strings"
	"testing"

	"orihon/internal/home"
	"orihon/journal"
)

func TestWithholds(t *testing.T) {
	log := strings.Repeat("2026-03-02T10:00:00Z WARN do not retry: keep alive is not set\n", 300)
	for text, want := range map[string]bool{
		"Don't remember this: my manager leaves in May.":                true,
		"the client is Novartis, don’t write this down anywhere":        true,
		"This stays between us, we are being bought. Draft the notice.": true,
		"這段不要記，薪水調整下個月才公布":                                              true,
		"以下内容别记：客户准备解约":                                                 true,
		log + "do not store this\n":                                     true,
		"do not log this error twice, count it":                         false,
		"don't save this file with CRLF":                                false,
		"remember: the port is 5433":                                    false,
		"不要記錄檔，改用標準輸出":                                                  false,
		"不要忘记跑测试":                                                       false,
		log:                                                             false,
		"":                                                              false,
	} {
		if got := home.Withholds(text); got != want {
			t.Errorf("%.60q: %t, want %t", text, got, want)
		}
	}
}

func TestWithholdTakesTheUsersTextAlone(t *testing.T) {
	const wish = "don't remember this: the launch is on Friday"
	var events []journal.Event
	for _, kind := range []journal.Type{journal.UserMessage, journal.AssistantMessage} {
		e, err := journal.New(kind, "1", journal.Message{Text: wish})
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	for i, want := range []string{home.Withheld, wish} {
		var m journal.Message
		if err := json.Unmarshal(home.Withhold(events)[i].Payload, &m); err != nil || m.Text != want {
			t.Errorf("event %d says %q (%v), want %q", i, m.Text, err, want)
		}
	}
}

func BenchmarkWithholds(b *testing.B) {
	log := strings.Repeat("2026-03-02T10:00:00Z WARN cart: item 4711 has no price, taken as 0\n", 300)
	for b.Loop() {
		home.Withholds(log)
	}
}
