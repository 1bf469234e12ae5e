package capture_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/capture"
)

// held is what is kept of a prompt at once, and what others are to decide on.
func held(prompt string) (kept, open []string) {
	for _, s := range capture.Explicit(prompt) {
		kept = append(kept, s.Text)
	}
	for _, s := range capture.State(prompt, time.Time{}) {
		if !s.Sure() {
			open = append(open, s.Text)
		}
	}
	return kept, open
}

func TestOrdersAreKeptByTheirWordsAndByWhatTheReaderHolds(t *testing.T) {
	for prompt, want := range map[string][2][]string{
		"Never push to main.":                        {{"Never push to main."}, nil},
		"never restart the import box during lunch":  {{"Never restart the import box during lunch"}, nil},
		"Fix the bug and from now on run gofmt too.": {{"Run gofmt too."}, nil},

		// Words of an order, in sentences that are built otherwise.
		"Let's run mypy in strict mode from now on": {nil, {"Let's run mypy in strict mode from now on"}},
		"we use biome from now on":                  {nil, {"We use biome from now on"}},
		"write replies in two sentences, always":    {nil, {"Write replies in two sentences, always"}},
		"由今日起用 bun":                                 {nil, {"由今日起用 bun"}},
		"從今天開始 branch 都開在 dev":                      {nil, {"從今天開始 branch 都開在 dev"}},
		"今后接口文档由后端自己写":                              {nil, {"今后接口文档由后端自己写"}},

		// Words that lean to an order or a note, where the reader holds the rest for one.
		"之後 release note 都要寫中英文": {{"release note 都要寫中英文"}, nil},
		"往后截图都放 assets 目录":       {{"截图都放 assets 目录"}, nil},
		"以后发布说明写在 wiki，标题用英文":    {{"发布说明写在 wiki，标题用英文"}, nil},
		"記一下 掃描機的 IP 是 10.4.0.9": {{"掃描機的 IP 是 10.4.0.9"}, nil},
		"之後把登入頁補上":               {nil, nil},
		"之后用户会看到空白页":             {nil, nil},
		"记一下每次请求的耗时":             {nil, {"记一下每次请求的耗时"}},

		// They stand behind what is said.
		"磅秤的 IP 是 10.2.0.8，記一下":                          {{"磅秤的 IP 是 10.2.0.8"}, nil},
		"仓库周三停电,下午两点恢复,这条记一下":                            {{"仓库周三停电,下午两点恢复"}, nil},
		"磅秤嘅 IP 係 10.2.0.8，唔該幫我記低呀":                      {{"磅秤嘅 IP 係 10.2.0.8"}, nil},
		"磅秤十二月底要校正 麻煩記著喔":                                {{"磅秤十二月底要校正"}, nil},
		"門禁卡在櫃台，記得":                                      {{"門禁卡在櫃台"}, nil},
		"The scale is at 10.2.0.8, make a note of that.": {{"The scale is at 10.2.0.8"}, nil},
		"每次請求的耗時，記一下":                                    {nil, {"每次請求的耗時，記一下"}},
		"這個錯先修掉，記得":                                      {nil, nil},
		"你要記住使用者的選擇":                                     {{"使用者的選擇"}, nil},

		// The reader holds it for a joke, or does not know.
		"不如以後一律用 Word 寫 code 啦 haha": {nil, {"不如以後一律用 Word 寫 code 啦 haha"}},

		// No orders.
		"it never works on my laptop": {nil, nil},
		"does this always happen?":    {nil, nil},
	} {
		kept, open := held(prompt)
		if diff := cmp.Diff(want, [2][]string{kept, open}); diff != "" {
			t.Errorf("%q: %s", prompt, diff)
		}
	}
}

func TestAReminderInASentenceIsReadWhole(t *testing.T) {
	for _, said := range []string{
		"orders 表每個月初會有重複的列因為上游重送，記得先用 order_id 去重",
		"events 表月底会多出测试数据，记得先过滤 env",
		"the exporter locks the file at noon, don't forget to copy it first",
	} {
		if kept := capture.Explicit(said); len(kept) > 0 {
			t.Errorf("Explicit(%q) = %+v, want nothing by its words alone", said, kept)
		}
		if got := capture.State(said, time.Time{}); len(got) != 1 || !strings.EqualFold(got[0].Text, said) {
			t.Errorf("State(%q) = %+v, want the whole", said, got)
		}
	}
}

func TestNamesKeepTheirLetters(t *testing.T) {
	for prompt, want := range map[string]string{
		"remember: cart.retry_limit must stay at 2 in prod": "cart.retry_limit must stay at 2 in prod",
		"remember: order_limit is read once":                "order_limit is read once",
		"remember: build/out.json is written by hand":       "build/out.json is written by hand",
		"remember: user@shop is the account of the printer": "user@shop is the account of the printer",
		"remember: open(path) locks the file":               "open(path) locks the file",
		"记住 cart.retry_limit 在生产千万别开":                       "cart.retry_limit 在生产千万别开",
		"記住：commit 訊息要附單號":                                  "commit 訊息要附單號",
		"remember: build boxes: two, both in hall 4":        "Build boxes: two, both in hall 4",
	} {
		kept, _ := held(prompt)
		if diff := cmp.Diff([]string{want}, kept); diff != "" {
			t.Errorf("%q: %s", prompt, diff)
		}
	}
}

func TestStatementsBeginWithWhatTheySay(t *testing.T) {
	for prompt, want := range map[string]string{
		"remember: oh btw the lift is in hall 2":               "The lift is in hall 2",
		"记住：对了，测试机在 2 号库":                                      "测试机在 2 号库",
		"記住：還有，提交要用英文":                                         "提交要用英文",
		"remember: so many tests are slow in CI":               "So many tests are slow in CI",
		"记住：还有三台机器在 B 栋":                                       "还有三台机器在 B 栋",
		"remember: Oh, and also: the lift is in hall 2":        "The lift is in hall 2",
		"remember: fyi - the lift is in hall 2":                "The lift is in hall 2",
		"remember: btw, one more thing: the lift is in hall 2": "The lift is in hall 2",
		"remember: well known ports are closed in hall 2":      "Well known ports are closed in hall 2",
		"remember: plus signs are escaped in hall names":       "plus signs are escaped in hall names",
		"记住：对了测试机在 2 号库":                                       "测试机在 2 号库",
		"记住：另外这台测试机在 2 号库":                                     "这台测试机在 2 号库",
		"记住：顺便说一下测试机在 2 号库":                                    "测试机在 2 号库",
		"記住：順帶一提，測試機在 2 號庫":                                    "測試機在 2 號庫",
		"記住：話時話，部測試機喺 2 號倉":                                    "部測試機喺 2 號倉",
		"記住：說過了啊，測試機在 2 號庫":                                    "測試機在 2 號庫",
		"記住：另外兩台測試機在 2 號庫":                                     "另外兩台測試機在 2 號庫",
		"記住：另外CI 在 2 號庫跑":                                      "CI 在 2 號庫跑",
		"记住：另外找人修 2 号库的测试机":                                    "另外找人修 2 号库的测试机",
		"remember: ps aux hides the lift in hall 2":            "ps aux hides the lift in hall 2",
		"记住：另外 2 台测试机在 2 号库":                                   "另外 2 台测试机在 2 号库",
		"記住：對了一半的題目也要記錄":                                       "對了一半的題目也要記錄",
	} {
		kept, _ := held(prompt)
		if diff := cmp.Diff([]string{want}, kept); diff != "" {
			t.Errorf("%q: %s", prompt, diff)
		}
	}
}
