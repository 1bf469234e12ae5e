package capture_test

import (
	"strings"
	"testing"
	"time"

	"orihon/internal/capture"
	"orihon/memory"
)

func TestStatementsAreNotCutAtAbbreviations(t *testing.T) {
	for _, said := range []string{
		"Releases of the scale firmware are signed off by Ing. Novak, nobody else may do it",
		"Fr. Berg in the warehouse decides about the labels, never print one without her",
	} {
		if got := capture.State(said, time.Time{}); len(got) != 1 || got[0].Text != said {
			t.Errorf("%q: %+v, want the whole", said, got)
		}
	}
	if said := "remember: labels go out only after Fr. Berg said ok"; len(capture.State(said, time.Time{})) > 0 {
		t.Errorf("%q: what is kept is asked about, too", said)
	}
}

// A day that is named by the present is dated. A year or a month is not written as if the
// statement held from its first day to its last.
func TestStatementsNameTheDaysTheyMean(t *testing.T) {
	at := time.Date(2026, 5, 12, 9, 0, 0, 0, time.UTC)
	for said, want := range map[string]string{
		"careful, the label printer eats the first page after a reboot, it cost us a week last year": "careful, the label printer eats the first page after a reboot, it cost us a week last year (2025)",
		"過磅單上個月開始改用電子單，倉庫的人只看電子單":                                                                    "過磅單上個月 (2026-04)開始改用電子單，倉庫的人只看電子單",
		"the stocktaking starts tomorrow at nine in hall 4":                                          "The stocktaking starts tomorrow (2026-05-13) at nine in hall 4",
		"the scale is calibrated next week by the people from Malmö":                                 "The scale is calibrated next week (2026-05-18 – 2026-05-24) by the people from Malmö",
		"取消手續費談定了：入住七天前免費、三天前收 30%、再晚全收":                                                             "取消手續費談定了：入住七天前免費、三天前收 30%、再晚全收",
		"新机器的导出是 UTF-16，几年前的老导出是 GBK":                                                                "新机器的导出是 UTF-16，几年前的老导出是 GBK",
		"生產庫三天前搬到台中機房了，舊的那台別再連":                                                                      "生產庫三天前 (2026-05-09)搬到台中機房了，舊的那台別再連",
	} {
		if got := capture.State(said, at); len(got) != 1 || got[0].Text != want {
			t.Errorf("%q: %+v, want %q", said, got, want)
		}
	}
}

// Where a message goes on behind what it states, no sign of that is kept.
func TestAStatementEndsWithNoSignThatMoreFollows(t *testing.T) {
	for part, want := range map[string]string{
		"use pnpm 9 in ci now,":         "Use pnpm 9 in ci now",
		"the parcel limit is\n31 kg ; ": "The parcel limit is 31 kg",
		"標籤機改放四樓了，":                     "標籤機改放四樓了",
		"the printer stands in room 4.": "The printer stands in room 4.",
	} {
		if got, _ := capture.Part(part, time.Time{}); got.Text != want {
			t.Errorf("%q: %q, want %q", part, got.Text, want)
		}
	}
}

// What held before is not what is worth keeping of a message.
func TestWhatIsSoNowIsStatedAndNotWhatWas(t *testing.T) {
	for _, tt := range []struct{ message, now, was string }{
		{"回報改成每 8 小時一次，資料太多。原本是 4", "8 小時", "原本是 4"},
		{"開門改做 8 點，客人太多。之前係 9 點", "8 點", "之前係 9"},
		{"配額改為 40 席。以前是 20 席", "40 席", "以前是 20"},
		{"the beacon blinks every 45 s now, the battery was weak. it was 20 before", "45 s", ""},
		{"the pager rings after 12 min, that is enough. was 30", "12 min", ""},
	} {
		all := ""
		for _, s := range capture.State(tt.message, time.Time{}) {
			all += s.Text + "\n"
		}
		if !strings.Contains(all, tt.now) || tt.was != "" && strings.Contains(all, tt.was) {
			t.Errorf("%q: %q", tt.message, all)
		}
	}
}

// What holds for some days is no standing rule; what begins with them may be one.
func TestWhatHoldsForSomeDaysIsNoPreference(t *testing.T) {
	at := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	for message, want := range map[string]memory.Topic{
		"wanda is out next week, ask Piotr for the press codes meanwhile": memory.Fact,
		"from next week on always ask Piotr before you touch the press":   memory.Preference,
		"on fridays always ask Piotr before you touch the press":          memory.Preference,
	} {
		found := false
		for _, s := range capture.State(message, at) {
			if found = true; s.Topic != want {
				t.Errorf("%q: %q is a %s, want %s", message, s.Text, s.Topic, want)
			}
		}
		if !found {
			t.Errorf("%q: nothing found", message)
		}
	}
}

// What only leads to a secret that was taken out is no statement.
func TestWhatLeadsToASecretIsOneThatWasTakenOut(t *testing.T) {
	for _, prompt := range []string{
		"the nightly export runs at 02:10 and takes 40 minutes, never restart the db before three, its token is [redacted:github-token]",
		"look at the relay driver first. the pump in hall 3 takes the token [redacted:github-token] btw, nobody ever wrote that down",
		"測試庫的密碼是「[redacted:password]」，每週一換",
	} {
		for _, s := range capture.State(prompt, time.Time{}) {
			if strings.Contains(prompt, s.Text+" [") || strings.Contains(prompt, s.Text+"「[") {
				t.Errorf("%q: %q leads to a secret", prompt, s.Text)
			}
		}
	}
}
