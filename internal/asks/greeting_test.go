package asks_test

import (
	"testing"

	"orihon/internal/asks"
)

func TestAGreetingIsNoMatter(t *testing.T) {
	for text, want := range map[string]string{
		"Good morning. Which labels are left?": "Which labels are left?",
		"good evening can you run the import":  "can you run the import",
		"Hello there, where is the key?":       "where is the key?",
		"morning! the import is red":           "the import is red",
		"早，昨天那個匯入呢":                            "昨天那個匯入呢",
		"早安 標籤機的逾時是多少":                         "標籤機的逾時是多少",
		"晚上好，帮我看下导入":                           "帮我看下导入",
		"早晨！個掣喺邊":                              "個掣喺邊",
		"morning builds are red":               "morning builds are red",
		"早上的匯入掛了":                              "早上的匯入掛了",
		"晚上好多訂單":                               "晚上好多訂單",
		"Good morning":                         "Good morning",
	} {
		if got := asks.WithoutGreeting(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"Good afternoon. Where and when is the fair?", "晚安。標籤機放哪裡？"} {
		if !asks.Only(text) {
			t.Errorf("%q only asks", text)
		}
	}
}
