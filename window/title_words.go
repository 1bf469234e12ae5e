package window

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"orihon/internal/activity"
)

// titleWordings are the words of titles in one language.
type titleWordings struct {
	committed, changed, added, removed, swapped   string
	answered, asked, unanswered, nothing, refused string
	found, setOut, then, and, with, more          string
	vain, earlier                                 string
	requests                                      string
	read, searched, nowhere, ran, sent, used      string
	finished, began, plannedWork                  string
	pass, failed, open, close                     string
	comma, withNames, wish, wrote                 string
	room                                          int // words of a sentence
	checks, fails                                 map[activity.Check]string
	passes                                        map[string]string // by what of checks is the only one
}

func titleLabels(language string) titleWordings {
	switch language {
	case "zh-Hant":
		return titleWordings{
			committed: "提交了", changed: "修改了 ", added: "；新增 ", removed: "；移除 ", swapped: "`%s` 取代 `%s`", comma: "、", withNames: "，用上 ", wrote: "寫了 ", wish: "（使用者要求：「%s」）", room: titleWords,
			answered: "回答%s：%s", asked: "問：", unanswered: "（尚未答覆）", nothing: "什麼都沒做", refused: "使用者拒絕了 ",
			found: "發現：", setOut: "著手", vain: "未能", earlier: "（最後修改之前）", then: "之後", and: "；", with: "與", more: "，另有 %d 個", requests: "另有 %d 項要求",
			read: "讀了 ", searched: "搜尋了 ", nowhere: "（沒有找到）", ran: "執行了 ", sent: "交給子代理：", used: "用了 ",
			finished: "完成了", began: "開始", plannedWork: "計畫：",
			pass: "%s通過", failed: " 失敗", open: "「", close: "」",
			checks: map[activity.Check]string{activity.Test: "測試", activity.Build: "建置", activity.Lint: "程式碼檢查"},
			passes: map[string]string{"測試": "測試通過", "建置": "建置成功", "程式碼檢查": "程式碼檢查通過"},
			fails:  map[activity.Check]string{activity.Test: "測試失敗", activity.Lint: "程式碼檢查失敗"},
		}
	case "zh-Hans":
		return titleWordings{
			committed: "提交了", changed: "修改了 ", added: "；新增 ", removed: "；移除 ", swapped: "`%s` 取代 `%s`", comma: "、", withNames: "，用上 ", wrote: "写了 ", wish: "（用户要求：「%s」）", room: titleWords,
			answered: "回答%s：%s", asked: "问：", unanswered: "（尚未答复）", nothing: "什么都没做", refused: "用户拒绝了 ",
			found: "发现：", setOut: "着手", vain: "未能", earlier: "（最后修改之前）", then: "之后", and: "；", with: "与", more: "，另有 %d 个", requests: "另有 %d 项要求",
			read: "读了 ", searched: "搜索了 ", nowhere: "（没有找到）", ran: "执行了 ", sent: "交给子代理：", used: "用了 ",
			finished: "完成了", began: "开始", plannedWork: "计划：",
			pass: "%s通过", failed: " 失败", open: "「", close: "」",
			checks: map[activity.Check]string{activity.Test: "测试", activity.Build: "构建", activity.Lint: "代码检查"},
			passes: map[string]string{"测试": "测试通过", "构建": "构建成功", "代码检查": "代码检查通过"},
			fails:  map[activity.Check]string{activity.Test: "测试失败", activity.Lint: "代码检查失败"},
		}
	}
	return titleWordings{
		committed: "Committed ", changed: "Changed ", added: ": added ", removed: "; removed ", swapped: "`%s` instead of `%s`", comma: ", ", withNames: " to use ", wrote: "Wrote ", wish: " (asked: “%s”)", room: titleWords,
		answered: "Answered %s: %s", asked: "Asked: ", unanswered: ", not answered yet", nothing: "Nothing was done", refused: "The user refused ",
		found: "found: ", setOut: "Set out to ", vain: "Could not ", earlier: " (before the last change)", then: "then ", and: "; ", with: " and ", more: " and %d more", requests: "and %d more requests",
		read: "Read ", searched: "searched for ", nowhere: " (not found)", ran: "ran ", sent: "Sent a sub-agent: ", used: "Used ",
		finished: "Finished ", began: "began ", plannedWork: "Planned: ",
		pass: "%s pass", failed: " failed", open: "“", close: "”",
		checks: map[activity.Check]string{activity.Test: "tests", activity.Build: "the build", activity.Lint: "lint"},
		passes: map[string]string{"tests": "tests pass", "the build": "the build passes", "lint": "lint passes"},
		fails:  map[activity.Check]string{activity.Test: "tests fail", activity.Lint: "lint fails"},
	}
}

func (l *titleWordings) quoted(s string) string { return l.open + s + l.close }

// files names the first n files.
func (l *titleWordings) files(files []activity.File, n int) string {
	var names []string
	for _, f := range files {
		name := activity.Base(f.Name)
		alike := func(o activity.File) bool { return o.Name != f.Name && activity.Base(o.Name) == name }
		if slices.ContainsFunc(files, alike) {
			name = path.Join(activity.Base(path.Dir(f.Name)), name)
		}
		names = append(names, name)
	}
	return listed(names[:min(n, len(names))], n, l) + more(len(names)-n, l)
}

// subjects quotes the last two commits, and how many more there are.
func (l *titleWordings) subjects(commits []activity.Commit) string {
	var names []string
	for _, c := range commits {
		names = append(names, l.quoted(shortened(oneLine(c.Subject), titleWords*4/(3+min(2, len(commits))))))
	}
	return listed(names, 2, l)
}

// listed names the last n of a list, and how many more there are.
func listed(all []string, n int, l *titleWordings) string {
	return strings.Join(newest(all, n), ", ") + more(len(all)-n, l)
}

func more(n int, l *titleWordings) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(l.more, n)
}
