package capture

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// bounded reports whether a statement holds only for the place or the minute it
// was said at: it points at something that is not in it, it tells of a part of
// the code at hand, or of what was measured once. A decision for this project
// or this house is one all the same.
func bounded(rule, text string) bool {
	words := lowWords(text)
	firm := rule == "decided" || rule == "preferred"
	if slices.Contains(words, "here") || pointsAtCode(words) || pointsInChinese(text) || !firm && pointsAtOne(words) {
		return true
	}
	return (rule == "stated" || rule == "done") && (codePart(words) || codePartInChinese(text) || momentaryCount(words) || momentaryCountInChinese(text))
}

// pointsAtOne reports "this <noun>"; this week and this year are known by the
// date of the statement.
func pointsAtOne(words []string) bool {
	for i, w := range words {
		if next := wordAt(words, i+1); w == "this" && next != "" && !lists.Words("this-time")[next] {
			return true
		}
	}
	return false
}

// pointsAtCode reports a piece of work that is pointed at: "this mock", "in the
// old branch".
func pointsAtCode(words []string) bool {
	for i, w := range words {
		switch w {
		case "that", "this":
			// "The tool that tests", "decided that the build": no pointing.
			if w == "that" && !slices.Contains([]string{"in", "on", "of", "for"}, wordAt(words, i-1)) {
				continue
			}
			if lists.Words("code-noun")[wordAt(words, i+1)] || !lists.Words("determines")[wordAt(words, i+1)] && lists.Words("code-noun")[wordAt(words, i+2)] {
				return true
			}
		case "in", "on":
			if wordAt(words, i+1) != "the" {
				continue
			}
			for j := i + 2; j <= i+3 && j < len(words); j++ {
				switch words[j] {
				case "main", "master", "production", "default":
					j = len(words)
				case "mock", "branch", "fixture", "stub", "snippet", "example", "test":
					// The test database is another matter than the test.
					switch wordAt(words, j+1) {
					case "", "is", "are", "was", "were", "has", "and":
						return true
					}
				}
			}
		}
	}
	return false
}

// pointsInChinese reports 這裡, 這個 and their like; 這個月 is a date.
func pointsInChinese(text string) bool {
	if containsAny(text, "此處", "此处") {
		return true
	}
	for rest := text; ; {
		i := strings.IndexAny(rest, "這这")
		if i < 0 {
			return false
		}
		rest = rest[i+len("這"):]
		measure, n := utf8.DecodeRuneInString(rest)
		if strings.ContainsRune("裡里裏邊边個个支段條条份張张台臺檔档行", measure) && !startsWithAny(rest[n:], "月", "星期", "禮拜", "礼拜", "週", "周", "季", "學期", "学期", "年") {
			return true
		}
	}
}

// codePart reports whether a text is about a part of the code at hand: "the first
// argument", "the loop".
func codePart(words []string) bool {
	if wordAt(words, 0) != "the" {
		return false
	}
	i := 1
	if lists.Words("part-order")[wordAt(words, i)] {
		if i++; lists.Words("ordered-part")[wordAt(words, i)] {
			return true
		}
	}
	return lists.Words("code-part")[wordAt(words, i)]
}

func codePartInChinese(text string) bool {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "第"); ok {
		if i := strings.IndexAny(rest, "個个行"); i >= 0 && i <= 8 {
			_, n := utf8.DecodeRuneInString(rest[i:])
			rest = rest[i+n:]
		}
		text = strings.TrimSpace(rest)
	}
	return startsWithAny(text, "參數", "参数", "引數", "迴圈", "循环", "變數", "变量", "陣列", "数组")
}

// momentaryCount reports what somebody saw once: failures, how often something
// ran, how long a test took.
func momentaryCount(words []string) bool {
	for i, w := range words {
		switch w {
		case "failure", "failures", "error", "errors", "warning", "warnings", "exception", "exceptions", "crashes":
			if numeral(wordAt(words, i-1)) || numeral(wordAt(words, i-2)) {
				return true
			}
		case "times":
			if numeral(wordAt(words, i-1)) && !lists.Words("rate")[wordAt(words, i+1)] && slices.ContainsFunc(words, repeats) {
				return true
			}
		case "machine", "laptop":
			if wordAt(words, i-1) == "my" && wordAt(words, i-2) == "on" {
				return true
			}
		case "takes", "took", "take", "taking", "lasts", "runs", "ran", "finishes", "finished":
			if slices.ContainsFunc(words[:i], trial) && slices.ContainsFunc(words[i:], duration) {
				return true
			}
		}
	}
	return false
}

func repeats(w string) bool { return lists.Words("repeats")[w] }

func trial(w string) bool { return lists.Words("trial")[w] }

func duration(w string) bool { return lists.Words("duration")[strings.TrimLeft(w, "0123456789.")] }

func momentaryCountInChinese(text string) bool {
	if containsAny(text, "我的電腦上", "我的电脑上", "我電腦上", "我电脑上", "我機器上", "我机器上", "我的機器上", "我的机器上") {
		return true
	}
	if containsAny(text, "次") && containsAny(text, "跑了", "執行", "执行", "迴圈", "循环", "重試了", "重试了") && !strings.Contains(text, "每") {
		return true
	}
	i := indexAny(text, "測試", "测试", "建置", "构建", "編譯", "编译")
	if i < 0 {
		return false
	}
	j := indexAny(text[i:], "花", "要", "耗時", "耗时", "需", "跑了")
	return j >= 0 && containsAny(text[i+j:], "秒", "分鐘", "分钟")
}
