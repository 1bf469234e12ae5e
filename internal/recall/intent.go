package recall

import (
	"strings"

	"orihon/memory"
)

// Intent is what a prompt is after. It moves the threshold and prefers kinds.
type Intent string

// The intents.
const (
	Debugging Intent = "debugging"
	Coding    Intent = "coding"
	Design    Intent = "design"
	QA        Intent = "qa"
	Recalling Intent = "recall" // asks about the past itself
	Other     Intent = "other"
)

// cues are words that speak for an intent, in order of precedence: a prompt
// that asks about the past is about the past even when it names an error.
// Phrases match anywhere in the lower-cased prompt; English words that could
// be part of others carry their borders.
func cues() []cue {
	return []cue{
		{Recalling, []string{
			"did we ", "what did i ", "have we ", "last time", "last session", "previously", "do you remember", "remember when", "what was the decision", "we decided", "earlier we", "yesterday",
			"上次", "之前", "以前", "還記得", "还记得", "記得嗎", "记得吗", "我們決定", "我们决定", "昨天", "當時", "当时",
		}},
		{Debugging, []string{
			"error", "exception", "stack trace", "traceback", "panic", "crash", "segfault", "fails", "failing", "failed", "failure", "broken", " bug", "debug", "why does", "why is", "doesn't work", "not working", "hangs", "leak", "flaky", "regression",
			"錯誤", "错误", "報錯", "报错", "異常", "异常", "崩潰", "崩溃", "失敗", "失败", "為什麼", "为什么", "調試", "调试", "除錯", "修復", "修复", "卡住", "洩漏", "泄漏", "不工作", "壞了", "坏了",
		}},
		{Design, []string{
			"architecture", "design", "trade-off", "tradeoff", "approach", "should we use", "structure", "schema", "diagram", "data model", "refactor", " rfc", "migrate",
			"架構", "架构", "設計", "设计", "方案", "選型", "选型", "重構", "重构", "遷移", "迁移", "結構", "结构",
		}},
		{Coding, []string{
			"implement", "write a ", "write the ", "add a ", "add the ", "create ", "function", "method", "endpoint", "unit test", "compile", "rename", "change the ", "update the ", "generate", "format the", "commit",
			"實現", "实现", "實作", "編寫", "编写", "寫一個", "写一个", "添加", "新增", "加一個", "加一个", "函數", "函数", "接口", "單元測試", "单元测试", "提交", "修改", "改成",
		}},
		{QA, []string{
			"how do ", "how to ", "how can ", "what is ", "what are ", "what's ", "which ", "where is ", "where are ", "who ", "when ", "explain", "?",
			"怎麼", "怎么", "如何", "什麼", "什么", "哪個", "哪个", "哪裡", "哪里", "是不是", "嗎", "吗", "？",
		}},
	}
}

type cue struct {
	intent Intent
	words  []string
}

// Classify names the intent of a prompt by its first cue; about a microsecond
// for every hundred characters.
func Classify(prompt string) Intent {
	const most = 4000
	if len(prompt) > most {
		prompt = prompt[:most/2] + prompt[len(prompt)-most/2:]
	}
	text := " " + strings.ToLower(prompt) + " "
	for _, c := range cues() {
		for _, w := range c.words {
			if strings.Contains(text, w) {
				return c.intent
			}
		}
	}
	return Other
}

// threshold is the base for the intent: debugging may be loose, since a hint
// is worth its tokens; code and answers must not be misled.
func (i Intent) threshold(base float64) float64 {
	switch i {
	case Debugging:
		return base - 0.1
	case Coding:
		return base + 0.05
	case QA:
		return base + 0.1
	}
	return base
}

// prefers gives a small bonus to what the intent is usually after.
func (i Intent) prefers(p *memory.Passage) float64 {
	const bonus = 0.05
	it := &p.Item
	switch {
	case i == Debugging && (it.Topic == memory.Pitfall || it.Kind == memory.Episodic),
		i == Coding && (it.Kind == memory.Procedural || it.Topic == memory.Procedure || it.Topic == memory.Preference),
		i == Design && (it.Topic == memory.Architecture || it.Topic == memory.Decision),
		i == Recalling && (it.Kind == memory.Episodic || it.Topic == memory.Decision):
		return bonus
	}
	return 0
}

// addressed reports whether a prompt asks what the agent itself said, alone or
// with the user ("what did we say about …"): only then is an answer of its as
// good a source as what people said.
func addressed(prompt string) bool {
	text := strings.ToLower(prompt)
	for _, cue := range [...]string{"did you ", "did we ", "we said", "we talked", "we discussed", "we decided", "you said", "you told", "your answer", "your suggestion", "your recommendation", "your advice", "your reply"} {
		if strings.Contains(text, cue) {
			return true
		}
	}
	for _, subject := range [...]string{"you ", "你", "您", "我們", "我们"} {
		for _, rest := range strings.Split(text, subject)[1:] {
			if said(rest) {
				return true
			}
		}
	}
	return false
}

// said reports whether what follows "you" is that something was said.
func said(rest string) bool {
	for _, between := range [...]string{"have ", "had ", "previously ", "already ", "earlier ", "上次", "之前", "先前", "刚才", "剛才", "曾经", "曾經", "以前", "当时", "當時"} {
		rest = strings.TrimPrefix(rest, between)
	}
	for _, verb := range [...]string{
		"suggested", "recommended", "mentioned", "advised", "gave", "listed", "provided", "explained", "wrote", "proposed", "answered", "replied", "described", "showed",
		"说过", "說過", "建议", "建議", "推荐", "推薦", "提到", "提过", "提過", "告诉", "告訴", "给我的", "給我的", "给的", "給的", "列出", "回答", "解释", "解釋",
	} {
		if strings.HasPrefix(rest, verb) {
			return true
		}
	}
	return false
}

// asksWhen reports whether a prompt asks for a time.
func asksWhen(prompt string) bool {
	text := " " + strings.ToLower(prompt)
	for _, cue := range [...]string{
		" when ", " what date", " what time", " what year", " what month", " what day", " which year", " which month", " which day", " how long",
		"什么时候", "什麼時候", "何时", "何時", "哪天", "哪一天", "哪年", "哪一年", "几月", "幾月", "几号", "幾號", "多久",
	} {
		if strings.Contains(text, cue) {
			return true
		}
	}
	return false
}
