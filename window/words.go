package window

// words are the labels of a folded index in one language.
type words struct {
	task, status, underWay, answered, lastSaid string
	asked, items, done, inProgress             string
	errors, notSettled, fixed, okLater         string
	notRetried, times                          string
	commits, changed, read, more, decided      string
	found, names, elsewhere, open              string
}

func wordsFor(language string) words {
	switch language {
	case "zh-Hant":
		return words{
			task: "任務：", status: "現況：", underWay: "現況：第 %d 項要求正在進行，尚未答覆", answered: "現況：最後的第 %d 項要求已答覆", lastSaid: "；最後說：",
			asked: "使用者的要求（原話，[回合]）：", items: "待辦：", done: "已完成：", inProgress: "（進行中）",
			errors: "錯誤與後續：", notSettled: "未解決", fixed: "修改 %s 後成功", okLater: "之後成功", notRetried: "未再嘗試", times: "，共 %d 次",
			commits: "提交：", changed: "改過的檔案（次數）：", read: "讀過的檔案（次數）：", more: "，另有 %d 個", decided: "決定：",
			found: "助手的發現與所做的事（原話，[回合]）：", names: "用到的名稱（依檔案）：", elsewhere: "- 其他：",
			open: "只是摺起，並未遺失：`orihon context show --iterations A-B` 顯示任一段全文，`orihon context retrieve --keyword WORD` 搜尋。",
		}
	case "zh-Hans":
		return words{
			task: "任务：", status: "现况：", underWay: "现况：第 %d 项要求正在进行，尚未答复", answered: "现况：最后的第 %d 项要求已答复", lastSaid: "；最后说：",
			asked: "用户的要求（原话，[回合]）：", items: "待办：", done: "已完成：", inProgress: "（进行中）",
			errors: "错误与后续：", notSettled: "未解决", fixed: "修改 %s 后成功", okLater: "之后成功", notRetried: "未再尝试", times: "，共 %d 次",
			commits: "提交：", changed: "改过的文件（次数）：", read: "读过的文件（次数）：", more: "，另有 %d 个", decided: "决定：",
			found: "助手的发现与所做的事（原话，[回合]）：", names: "用到的名称（按文件）：", elsewhere: "- 其他：",
			open: "只是折起，并未丢失：`orihon context show --iterations A-B` 显示任一段全文，`orihon context retrieve --keyword WORD` 搜索。",
		}
	}
	return english()
}

func english() words {
	return words{
		task: "Task: ", status: "Status: ", underWay: "Status: request %d is under way, not answered yet", answered: "Status: request %d, the last, was answered", lastSaid: "; last said: ",
		asked: "What the user asked, in their words, [iterations]:", items: "Open items:", done: "Items done: ", inProgress: " (in progress)",
		errors: "Errors, and what became of them:", notSettled: "not settled", fixed: "ok after a change of %s", okLater: "ok later", notRetried: "not tried again", times: ", %d times",
		commits: "Commits made:", changed: "Files changed (times): ", read: "Files read (times): ", more: ", and %d more", decided: "Decisions:",
		found: "What was found and done, in the assistant's words, [iteration]:", names: "Names in use, by file:", elsewhere: "- elsewhere: ",
		open: "Folded, not lost: `orihon context show --iterations A-B` prints any part in full, `orihon context retrieve --keyword WORD` finds it.",
	}
}
