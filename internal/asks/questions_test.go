package asks_test

import (
	"testing"

	"orihon/internal/asks"
)

func TestAQuestionIsKnownWithoutItsSign(t *testing.T) {
	for _, text := range []string{
		"who signs the customs forms", "is the quota still 40", "whats in the july batch", "which printer is for labels",
		"so when does the fair begin exactly", "do 6 month olds fly free", "how many seats do we sell", "since when do we round up",
		"any idea why the till hangs", "could we ship on sundays", "did Rosa approve the layout", "where's the key of the shed",
		"边个负责出粮", "條 query 喺邊度", "個 report 幾時要交", "今次要用幾多個 node", "可唔可以直接改 prod 個 table",
		"個 key 有冇 expire", "張單係咪要重開", "咁樣做得唔得", "點樣先至可以重跑", "點解會慢咗", "做咗未", "用緊乜嘢 cache",
		"合同到底哪天签", "小李调走了么", "这个阈值合不合理", "谁管发票", "報表要交給誰", "機房的鑰匙在哪裡呢", "收银台挂了 咋办",
		"What is the quota? And who set it?",
	} {
		if !asks.Only(text) {
			t.Errorf("%q is said to state something", text)
		}
	}
}

func TestWhatStatesSomethingIsNoQuestion(t *testing.T) {
	for _, text := range []string{
		"do not print on Sundays", "do the labels before the boxes", "have the labels checked twice", "which means we stop at 40",
		"when the till hangs restart the printer", "what we agreed on is 40 a day", "how we ship: two pallets, then the rest",
		"can be restarted with make till", "is now on port 9443", "is at 10.4.0.9:5672", "where possible use the small box",
		"the dashboard is at https://board.test/x?id=4417", "the boxes leave at 4, who cares about the rest?",
		"谁都不能直接改生产库", "不管什么情况先备份", "乜都唔好改", "紙箱每日四點出貨", "今個月由小美值班", "印表機換咗去三樓，邊個都得用", "", "   ",
	} {
		if asks.Only(text) {
			t.Errorf("%q is said to ask and nothing else", text)
		}
	}
}

func TestAFewWordsThatSayNothing(t *testing.T) {
	for text, want := range map[string]bool{
		"carry on": true, "restart redis": true, "install left-pad": true, "再跑一次": true, "check the till pods on prod": true,
		"redis is at 10.4.0.9:5672": false, "we ship the boxes on Tuesdays and never later": false, "Priya signs off every contract before it is printed": false,
	} {
		if got := asks.Brief(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
