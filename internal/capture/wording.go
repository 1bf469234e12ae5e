package capture

// words are what episodes say themselves, in one language. All the
// rest is taken from the journal.
type words struct {
	asked, later, changed, ran, unresolved, ended string // labels of an episode

	colon, comma string

	more          string // %d further files
	edited        string // a file, %d times
	failedTimes   string // a command, %d times
	ok, failed    string
	failedThenOK  string // %d failures before
	onlyFailed    string // %d failures
	failedWithout string // an action that failed and said nothing
}

// wordsFor returns the wording of a language; English for any unknown one.
func wordsFor(language string) *words {
	switch language {
	case "zh-Hant":
		return &words{
			asked: "要求", later: "後續要求", changed: "改動", ran: "執行", unresolved: "未解決", ended: "結果",
			colon: "：", comma: "、",
			more: "另有 %d 個", edited: "%s 改了 %d 次", failedTimes: "%s 失敗了 %d 次",
			ok: "（成功）", failed: "（失敗）", failedThenOK: "（失敗 %d 次後成功）", onlyFailed: "（失敗 %d 次）",
			failedWithout: "失敗，沒有訊息",
		}
	case "zh-Hans":
		return &words{
			asked: "要求", later: "后续要求", changed: "改动", ran: "执行", unresolved: "未解决", ended: "结果",
			colon: "：", comma: "、",
			more: "另有 %d 个", edited: "%s 改了 %d 次", failedTimes: "%s 失败了 %d 次",
			ok: "（成功）", failed: "（失败）", failedThenOK: "（失败 %d 次后成功）", onlyFailed: "（失败 %d 次）",
			failedWithout: "失败，没有信息",
		}
	}
	return &words{
		asked: "Asked", later: "Later asked", changed: "Changed", ran: "Ran", unresolved: "Unresolved", ended: "Outcome",
		colon: ": ", comma: ", ",
		more: "+%d more", edited: "%s was edited %d times", failedTimes: "%s failed %d times",
		ok: " (ok)", failed: " (failed)", failedThenOK: " (failed %d×, then ok)", onlyFailed: " (failed %d×)",
		failedWithout: "failed without a message",
	}
}
