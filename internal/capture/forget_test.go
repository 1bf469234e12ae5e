package capture_test

import (
	"testing"
	"time"

	"orihon/internal/capture"
	"orihon/internal/reader"
)

// What holds instead of what is to be forgotten is heard, for others to decide on.
func TestARequestToForgetLeavesWhatIsSaidBehindIt(t *testing.T) {
	for prompt, want := range map[string]string{
		"forget the old price, a pallet is 40 euro now":                        "A pallet is 40 euro now",
		"forget what I said about the scale, the new one listens on port 4001": "The new one listens on port 4001",
		"忘掉過磅單那條，我們改用電子單了":                                                     "我們改用電子單了",
		"盘点用 Excel 的事不用记了,我们换 Airtable 了":                                      "我们换 Airtable 了",

		"forget the rule about tabs, it is no longer true":   "",
		"forget everything about the fair, it was cancelled": "",
		"磅秤那個忘掉，已經報廢了":                                       "",
		"Forget the note about Ann. Please.":                 "",
	} {
		got, forgets := "", false
		for _, s := range capture.State(prompt, time.Time{}) {
			if s.Kind == reader.Forget {
				forgets = true
			} else if got = s.Text; s.Sure() {
				t.Errorf("%q: %q is sure", prompt, got)
			}
		}
		if got != want || !forgets {
			t.Errorf("%q: %q, forgets %v, want %q", prompt, got, forgets, want)
		}
	}
}

func TestARequestToForgetAndARuleAreBothHeard(t *testing.T) {
	for prompt, want := range map[string]string{
		"忘掉空格那條，以後都用 tab":                                           "都用 tab",
		"forget the rule about tabs and from now on use two blanks": "Use two blanks",
	} {
		if got := capture.Explicit(prompt); len(got) != 1 || got[0].Text != want {
			t.Errorf("%q: %+v, want %q", prompt, got, want)
		}
	}
}
