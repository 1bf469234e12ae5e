package capture

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isQuestion reports whether a sentence in lower case is a question, by its end or
// by its first word.
func isQuestion(low string) bool {
	body := strings.TrimRight(low, " \"'」』”）)!！")
	if endsWithAny(body, "?", "？") {
		return true
	}
	body = strings.TrimRight(body, ".。")
	if endsWithAny(body, "嗎", "吗", "呢", "沒有", "没有", "是不是", "對不對", "对不对") {
		return true
	}
	word, rest, _ := strings.Cut(body, " ")
	switch word {
	case "what", "why", "how", "who", "whose", "which", "where", "what's", "how's", "who's", "where's":
		return rest != ""
	case "do", "does", "did", "is", "are", "was", "were", "has", "have", "can", "could", "should", "would", "will", "am":
		subject, _, _ := strings.Cut(rest, " ")
		switch subject {
		case "you", "i", "we", "they", "he", "she", "it", "there", "this", "that", "the":
			return true
		}
	}
	return startsWithAny(body, "為什麼", "为什么", "怎麼", "怎么", "如何", "什麼", "什么", "誰", "谁", "哪", "是否", "你還記得", "你还记得", "還記得", "还记得")
}

// leadIn is how much of a sentence in lower case only leads up to what it
// asks: greetings, conjunctions, politeness.
func leadIn(low string) int {
	at := 0
	for {
		rest := low[at:]
		n := 0
		for _, w := range lists.Phrases("lead-in") {
			if strings.HasPrefix(rest, w) && len(w) > n {
				n = len(w)
			}
		}
		if n == 0 {
			return at
		}
		// "you should never", "you must always": the rule itself begins here.
		at += n
	}
}

// imperative reports whether what follows always or never tells somebody to do
// something: its first word can be a verb in its plain form.
func imperative(low string) bool {
	rest := strings.TrimLeft(low, ", ")
	if len(rest) == len(low) {
		return false
	}
	rest = strings.TrimPrefix(rest, "ever ")
	word := firstWord(rest)
	if len(word) < 2 || len(rest) <= len(word)+1 || lists.Words("no-verb")[word] {
		return false
	}
	switch {
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss"):
		return word == "canvas" || word == "bias" || word == "focus"
	case strings.HasSuffix(word, "ed"):
		return word == "embed" || word == "need" || word == "feed" || word == "seed" || word == "speed" || word == "shed"
	case strings.HasSuffix(word, "ing"):
		return word == "bring" || word == "ping" || word == "string"
	}
	return true
}

// meaningful reports whether a text has something to say by itself: more than a
// pronoun or a word or two of Chinese.
func meaningful(text string) bool {
	if slices.Contains(lists.Phrases("empty"), strings.ToLower(strings.TrimRight(text, " .!,:;。！，："))) {
		return false
	}
	weight := 0
	for _, c := range text {
		switch {
		case unicode.Is(unicode.Han, c):
			weight += 2
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			weight++
		}
	}
	return weight >= 4
}

// announces reports whether what was asked for is still to come: nothing but a
// colon, or "the following:".
func announces(asked string) bool {
	if asked == "" {
		return true
	}
	if !strings.HasSuffix(asked, ":") && !strings.HasSuffix(asked, "：") {
		return false
	}
	rest := strings.ToLower(strings.TrimSpace(strings.TrimRight(asked, ":：")))
	return rest == "" || utf8.RuneCountInString(rest) <= 40 && startsWithAny(rest, "the following", "these", "this", "a few", "some", "以下", "下面", "這", "这", "下列", "幾", "几")
}

// behindSign is what stands behind a colon, comma or dash.
func behindSign(s string) (string, bool) {
	rest := strings.TrimLeft(s, " ")
	trimmed := strings.TrimLeft(rest, ",:-–—，：")
	if trimmed == rest {
		return "", false
	}
	return strings.TrimSpace(trimmed), true
}

// reported reports whether what comes next is somebody else's or a program's
// words.
func reported(before string) bool {
	return containsAny(before, lists.Phrases("reports")...) &&
		!strings.HasSuffix(strings.TrimSpace(before), "`,")
}

// forbids reports whether a sentence in lower case begins with what must not or
// must only be done.
func forbids(low string) bool {
	return startsWithAny(low, lists.Phrases("forbids")...)
}

// momentary reports whether an instruction in lower case is about the work at
// hand: it points at something, or at the present.
func momentary(low string) bool {
	for _, word := range [...]string{"here", "today", "tonight", "afterwards", "above", "below", "yet", "now", "just", "that one", "the failing", "the first", "the second", "once more"} {
		if hasWord(low, word) {
			return true
		}
	}
	for _, word := range [...]string{"this", "these", "those"} {
		for rest := low; hasWord(rest, word); {
			i := strings.Index(rest, word)
			rest = rest[i+len(word):]
			if !lists.Words("lasting-thing")[firstWord(strings.TrimLeft(rest, " "))] {
				return true
			}
		}
	}
	for _, word := range [...]string{"這", "这"} {
		for rest := low; ; {
			_, after, ok := strings.Cut(rest, word)
			if !ok {
				break
			}
			thing := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(after, "個"), "个"), " ")
			if !startsWithAny(thing, "專案", "专案", "項目", "项目", "repo", "倉庫", "仓库", "團隊", "团队", "公司", "種", "种", "類", "类") {
				return true
			}
			rest = after
		}
	}
	return containsAny(low, lists.Phrases("of-the-moment-zh")...)
}

// errand reports whether what must not be forgotten is to be done at once: "to
// commit", "to close the file in this function".
func errand(low string) bool {
	rest, ok := strings.CutPrefix(low, "to ")
	return ok && (momentary(rest) || !strings.Contains(strings.TrimSpace(rest), " "))
}
