package capture

import (
	"slices"
	"strings"
	"unicode"
)

// takesBack reports whether the clause undoes what was said last: "revert that".
func (c *clause) takesBack() bool {
	low := strings.Trim(strings.ReplaceAll(c.low, "’", "'"), " .!。！")
	for _, lead := range [...]string{"wait ", "no ", "please ", "and ", "then ", "ok ", "actually ", "sorry "} {
		low = strings.TrimPrefix(low, lead)
	}
	return slices.Contains(lists.Phrases("takes-back"), low)
}

// resets reports whether the clause orders another value for what was said last,
// or for what it names: "make it 20", 改成 20. The subject is empty for the
// former.
func (c *clause) resets() (subject string, ok bool) {
	low := strings.TrimSpace(strings.TrimRight(strings.TrimSpace(c.low), ".!?。！？"))
	if isHanText(low) {
		return resetsInChinese(low)
	}
	words := lowWords(low)
	for len(words) > 0 && (lists.Words("order-opening")[words[0]] || lists.Words("reset-opening")[words[0]]) {
		words = words[1:]
	}
	if len(words) < 3 || words[0] != "make" && !lists.Words("command-verb")[words[0]] {
		return "", false
	}
	value := slices.IndexFunc(words, numeral)
	if value < 2 {
		return "", false
	}
	switch to := slices.Index(words, "to"); {
	case words[1] == "it" || words[1] == "that":
		return "", true
	case to > 2 && to < value && lists.Words("determines")[words[1]]:
		return words[to-1], true
	case words[0] == "make" && lists.Words("determines")[words[1]] && value > 2:
		return words[value-1], true
	}
	return "", false
}

func resetsInChinese(low string) (subject string, ok bool) {
	low = withoutLeads(low, lists.Phrases("polite-chinese"), " ")
	low, done := strings.TrimSuffix(low, "了"), strings.Contains(low, "了")
	if done || !strings.ContainsFunc(low, unicode.IsDigit) && !countedZh(low) && !strings.ContainsAny(low, "一二三四五六七八九十百千") {
		return "", false
	}
	at, verb := -1, ""
	for _, v := range lists.Phrases("reset-chinese") {
		if i := strings.Index(low, v); i >= 0 && (at < 0 || i < at) {
			at, verb = i, v
		}
	}
	if verb == "" {
		return "", false
	}
	if at == 0 {
		return "", true
	}
	for _, mark := range [...]string{"把", "將", "将"} {
		if object, found := strings.CutPrefix(low[:at], mark); found {
			if object = strings.TrimSpace(object); object == "它" || object == "他" || object == "這個" || object == "这个" {
				object = ""
			}
			return object, true
		}
	}
	return "", false
}

// tags reports whether a clause only asks whether what stands before it is so.
func tags(text string) bool {
	return slices.Contains(lists.Phrases("tag"), strings.Trim(strings.ToLower(strings.ReplaceAll(text, "’", "'")), " .?!？。！"))
}

// asksBack reports whether the last clause of a sentence turns all of it into a
// question: "…, right?", …，對吧.
func asksBack(parts []clause, question bool) bool {
	if len(parts) == 0 {
		return false
	}
	last := strings.TrimRight(parts[len(parts)-1].text, " .?!？。！")
	if endsWithAny(last, "對吧", "对吧", "是吧", "對不對", "对不对") {
		return true
	}
	low := strings.ToLower(strings.ReplaceAll(last, "’", "'"))
	if question && endsWithAny(low, "isn't it", " right") {
		return true
	}
	return tags(last) && (question || isHanText(last) || strings.Contains(low, "n't "))
}

// why reports whether the clause asks for a cause. What stands beside it tells
// what somebody sees, not what is to be kept.
func (c *clause) why() bool {
	return startsWithAny(c.low, " why ", " and why ", " so why ", " but why ") || containsAny(c.low, "為什麼", "为什么", "為何", "为何")
}
