package asks_test

import (
	"testing"

	"orihon/internal/asks"
)

func TestAnExceptionForOneOccasionIsKnown(t *testing.T) {
	for text, want := range map[string]bool{
		"just this once print the labels without a frame": true, "for this batch leave the customs form out": true,
		"use the big oven this time": true, "ship it without the insert, just today": true, "ok. skip the tests this time": true,
		"這次標籤先不要印框": true, "这回不用走质检，直接发": true, "今次唔使過磅, 直接入倉": true, "就今日用大焗爐": true, "呢次唔使入倉": true,
		"can we skip the weighing? for once print it blank": true,

		"只這次，標籤用英文印，客人要看": true, "盘点提前到周二 9 点,就这一次": true, "过磅可以省,下不为例": true, "淨係今次，單據用英文": true,
		"just this once, labels are printed in English, the fair wants it so":            true,
		"just for this shipment, the labels carry two languages, afterwards one as ever": true, "use French for this one mail only": true,
		"every label is bilingual, but only for this warehouse": false,
		"the labels are in English, not just this once":         false, "标签都用英文,不就这一次": false,

		"print the labels without a frame": false, "from this time on the labels have no frame": false,
		"the next fair is on 12 May": false, "labels are always printed without a frame, not just this time": false,
		"從這次起標籤都不印框": false, "今次個展覽係 5 月 12 號": false, "每次出貨先過磅": false, "以後唔使過磅": false,
		"這次出貨的負責人是阿凱": false, "今次由小美負責驗貨": false, "for this fair Okoye is the contact": false,
		"skip the weighing this time, the scale is broken":               true,
		"skip the weighing this time. the scale in Malmö is off by 3 kg": false, "is it this time?": false, "": false,
	} {
		if got := asks.Once(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
