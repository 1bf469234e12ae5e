package capture

// words are what episodes and briefs say themselves, in one language. All the
// rest is taken from the journal.
type words struct {
	asked, later, changed, ran, unresolved, ended string // labels of an episode

	task, latest, pending, answer, instructions string // labels of a brief
	errors, next, decided, files, read          string

	colon, comma string

	more          string // %d further files
	edited        string // a file, %d times
	failedTimes   string // a command, %d times
	times         string // %d
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
			task: "任務", latest: "最近的要求", pending: "最近的要求（尚未答覆）", answer: "最近的答覆", instructions: "使用者的指示（原文）",
			errors: "尚未解決的錯誤", next: "待辦", decided: "已決定", files: "改過的檔案（次數）", read: "讀得最多的檔案（次數）",
			colon: "：", comma: "、",
			more: "另有 %d 個", edited: "%s 改了 %d 次", failedTimes: "%s 失敗了 %d 次", times: "（%d）",
			ok: "（成功）", failed: "（失敗）", failedThenOK: "（失敗 %d 次後成功）", onlyFailed: "（失敗 %d 次）",
			failedWithout: "失敗，沒有訊息",
		}
	case "zh-Hans":
		return &words{
			asked: "要求", later: "后续要求", changed: "改动", ran: "执行", unresolved: "未解决", ended: "结果",
			task: "任务", latest: "最近的要求", pending: "最近的要求（尚未答复）", answer: "最近的答复", instructions: "用户的指示（原文）",
			errors: "尚未解决的错误", next: "待办", decided: "已决定", files: "改过的文件（次数）", read: "读得最多的文件（次数）",
			colon: "：", comma: "、",
			more: "另有 %d 个", edited: "%s 改了 %d 次", failedTimes: "%s 失败了 %d 次", times: "（%d）",
			ok: "（成功）", failed: "（失败）", failedThenOK: "（失败 %d 次后成功）", onlyFailed: "（失败 %d 次）",
			failedWithout: "失败，没有信息",
		}
	}
	return &words{
		asked: "Asked", later: "Later asked", changed: "Changed", ran: "Ran", unresolved: "Unresolved", ended: "Outcome",
		task: "Task", latest: "Latest request", pending: "Latest request (not answered yet)", answer: "Latest answer", instructions: "The user's instructions, verbatim",
		errors: "Errors not resolved yet", next: "Open items", decided: "Decided", files: "Files changed (times)", read: "Files read most (times)",
		colon: ": ", comma: ", ",
		more: "+%d more", edited: "%s was edited %d times", failedTimes: "%s failed %d times", times: " (%d)",
		ok: " (ok)", failed: " (failed)", failedThenOK: " (failed %d×, then ok)", onlyFailed: " (failed %d×)",
		failedWithout: "failed without a message",
	}
}
