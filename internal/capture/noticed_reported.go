package capture

import (
	"slices"
	"strings"
)

func asserts(w string) bool { return lists.Words("asserts")[w] }

// assertsOfMany reports verbs that are nouns, too, but behind a plural.
func assertsOfMany(w string) bool {
	return w == "claim" || w == "report" || w == "show" || w == "state" || asserts(w)
}

// reported reports whether the clause gives the words of a document, a response
// or a program.
func (c *clause) reported() bool {
	words := lowWords(c.text)
	for i, w := range words {
		if !lists.Words("documentary")[w] {
			continue
		}
		verb := asserts
		if strings.HasSuffix(w, "s") {
			verb = assertsOfMany
		}
		if slices.ContainsFunc(words[i+1:min(len(words), i+4)], verb) {
			return true
		}
		if slices.Contains(words[:i], "according") {
			return true
		}
	}
	for _, source := range lists.Phrases("source-chinese") {
		i := strings.Index(c.low, source)
		if i < 0 {
			continue
		}
		// The verb stands within a few characters.
		if near := firstRunes(c.low[i+len(source):], 5); containsAny(near, "說", "说", "顯示", "显示", "聲稱", "声称", "宣稱", "宣称", "指出", "提到", "表示", "回報", "寫著", "写着", "寫道", "写道", "寫說", "写说", "上寫", "上写", "裡寫", "里写") {
			return true
		}
		if containsAny(c.low[:i], "根據", "根据", "依照", "按照") {
			return true
		}
	}
	return false
}

// markReported marks what the clauses of a sentence tell in other words than
// their own: what follows "the docs say" up to a but, and what stands before it
// when it comes last.
func markReported(parts []clause) {
	for i := range parts {
		c := &parts[i]
		switch {
		case c.reported():
			c.quoted = true
			if !c.concrete() && i == len(parts)-1 {
				for j := range parts[:i] {
					parts[j].quoted = true
				}
			}
		case i > 0 && parts[i-1].quoted:
			low := strings.TrimSpace(c.low)
			c.quoted = !startsWithAny(low, "but ", "so ", "however", "while ", "though ", "但", "不過", "不过", "所以", "然而", "可是", "我") && !containsAny(c.low, " we ", " our ", " i ", " my ")
		}
	}
}
