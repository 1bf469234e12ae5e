package capture

import (
	"slices"
	"strings"
	"unicode/utf8"

	"orihon/internal/terms"
)

// pointing is where the text stands that a sentence asks about.
type pointing int

const (
	nowhere pointing = iota
	near             // "this", which can be behind and above
	behind
	above
)

// asksAboutText finds the sentence of a line that asks something about a text,
// and where that text stands. What is behind the first head bytes of the line
// belongs to the text.
func asksAboutText(line string) (head int, points pointing) {
	at := 0
	for s := range terms.Sentences(line) {
		at += strings.Index(line[at:], s)
		if n := colon(s); n > 0 && n < len(s) {
			if p := aboutText(s[:n], false); p != nowhere {
				return at + n, behind
			}
		}
		if p := aboutText(s, at+len(s) == len(line)); p != nowhere {
			return len(line), p
		}
		at += len(s)
	}
	return len(line), nowhere
}

// colon is where what stands behind the first colon of a sentence begins, 0
// without one. 12:30 and https:// have none.
func colon(s string) int {
	for i, c := range s {
		if c == '：' {
			return i + len("：")
		}
		if c == ':' && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] >= utf8.RuneSelf) {
			return i + 1
		}
	}
	return 0
}

// aboutText reports where the text stands that a sentence asks about. last says
// that a line ends with it, so that a colon there opens a text whatever the
// sentence calls it.
func aboutText(s string, last bool) pointing {
	low := asciiLower(s)
	low = strings.ReplaceAll(low[leadIn(low):], "’", "'")
	body := strings.TrimRight(low, " .!?:。！？：*")
	opens := last && strings.HasSuffix(strings.TrimRight(low, " *"), ":") || last && strings.HasSuffix(low, "：")
	p := aboutEnglish(body, opens)
	if p == nowhere {
		p = aboutChinese(body, opens)
	}
	if p == nowhere && opens && presents(body) {
		p = behind
	}
	if p == nowhere {
		return nowhere
	}
	if _, _, _, ok := request(s); ok {
		return nowhere // "remember the following:"
	}
	if opens && p == near {
		return behind
	}
	return p
}

// presents reports whether what stands before a line's last colon, in lower case,
// presents somebody's text: "turn this into bullet points", "Ann wrote", 這是合約.
// Rules are presented too, but these are the writer's own.
func presents(low string) bool {
	if ownRules(low) || startsWithAny(low, "do this", "do it like this", "like this") {
		return false
	}
	return endsWithAny(low, " wrote", " writes", " says", " said", " sent me", "寫的", "写的", "寫道", "写道", "說", "说", "寫了", "写了") ||
		(hasWord(low, "this") || containsAny(low, "這", "这")) && momentary(low)
}

// ownRules reports whether a heading in lower case is one of rules.
func ownRules(low string) bool {
	return containsAny(low, lists.Phrases("own-rules")...)
}

// aboutEnglish is aboutText for a sentence in lower case without the signs that
// end it.
func aboutEnglish(body string, opens bool) pointing {
	if opens && startsWithAny(body, "here is ", "here's ", "here are ", "this is ", "below is ", "i got ", "i received ", "we got ", "we received ", "from ", "look what ", "see ") && hasTextNoun(body) {
		return behind
	}
	if startsWithAny(body, "what ", "what's ", "is ", "are ", "does ", "do ", "how ", "any ", "who ", "tell me what ", "tell me if ", "tell me whether ") {
		return asksWhatItSays(body)
	}
	if hasWord(body, "below") && hasTextNoun(body) {
		return behind
	}
	if pointsAt(body, letterNoun) && !startsWithAny(body, "why ", "when ", "where ") {
		return near
	}
	for clause := body; ; {
		if p := ordersReading(clause, opens); p != nowhere {
			return p
		}
		at := -1
		for _, joint := range [...]string{", ", " and ", " - "} {
			if i := strings.Index(clause, joint); i >= 0 && (at < 0 || i+len(joint) < at) {
				at = i + len(joint)
			}
		}
		if at < 0 {
			return nowhere
		}
		clause = clause[at:]
		clause = clause[leadIn(clause):]
	}
}

// ordersReading is aboutEnglish for a clause that tells what to do with a text.
func ordersReading(clause string, opens bool) pointing {
	n := prefix(clause, lists.Phrases("works-on-a-text")...)
	strong := n > 0
	if n == 0 {
		n = prefix(clause, lists.Phrases("may-work-on-a-text")...)
	}
	if n == 0 {
		return nowhere
	}
	rest := strings.TrimLeft(clause[n:], " ")
	switch {
	case hasWord(rest, "above"):
		return above
	case hasWord(rest, "following"), hasWord(rest, "below"), containsAny(rest, "what follows", "pasted"):
		return behind
	case opens && !ownRules(rest):
		return behind
	case strong && (rest == "" || rest == "please" || startsWithAny(rest, "to ", "into ") && strings.HasPrefix(clause, "translate")):
		return near
	}
	if pointsAt(rest, textNoun) {
		return near
	}
	for at := rest; hasWord(at, "this"); {
		_, at, _ = strings.Cut(at, "this")
		switch firstWord(strings.TrimLeft(at, " ")) {
		case "":
			return near
		case "to", "into", "in", "for", "as", "from", "please", "and", "briefly", "so", "with", "by":
			if strong {
				return near
			}
		}
	}
	return nowhere
}

// asksWhatItSays is aboutEnglish for a question: most of those with "this" are
// about something else than the words of a text.
func asksWhatItSays(body string) pointing {
	if !slices.ContainsFunc(lists.Phrases("text-question"), func(word string) bool { return hasWord(body, word) }) {
		if pointsAt(body, letterNoun) {
			return near
		}
		return nowhere
	}
	switch {
	case hasWord(body, "above"):
		return above
	case hasWord(body, "below"), containsAny(body, "the following text", "what follows"):
		return behind
	case pointsAt(body, textNoun), body == "what does it mean", body == "what does it say", strings.HasPrefix(body, "any ") && strings.HasSuffix(body, " this"):
		return near
	}
	_, rest, ok := strings.Cut(body, " this ")
	if !ok {
		if endsWithAny(body, " think of this", " think about this", " make of this", " language is this") || startsWithAny(body, "how ") && strings.HasSuffix(body, " to this") {
			return near
		}
		return nowhere
	}
	if slices.Contains(lists.Phrases("asks-of-text"), rest) {
		return near
	}
	return nowhere
}

// pointsAt reports whether words in lower case point at a text of a kind: "this
// long email", "my letter".
func pointsAt(low string, noun func(word string) bool) bool {
	for _, word := range [...]string{"this", "these", "my"} {
		for rest := low; hasWord(rest, word); {
			_, rest, _ = strings.Cut(rest, word)
			after := strings.TrimLeft(rest, " ")
			first := firstWord(after)
			if noun(first) || noun(firstWord(strings.TrimLeft(after[len(first):], " "))) {
				return true
			}
		}
	}
	return false
}

// letterNoun reports whether a word names a text that is no part of a program.
func letterNoun(word string) bool {
	return lists.Words("letter-noun")[strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "s")]
}

// textNoun reports whether a word can name a text.
func textNoun(word string) bool {
	return lists.Words("text-noun")[strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "s")]
}

func hasTextNoun(low string) bool {
	return slices.ContainsFunc(strings.Fields(low), func(word string) bool { return textNoun(strings.Trim(word, ",.()")) })
}

// aboutChinese is aboutText for Chinese.
func aboutChinese(s string, opens bool) pointing {
	asked := containsAny(s, lists.Phrases("works-on-a-text-zh")...) ||
		means(s)
	if containsAny(s, "這篇", "这篇", "這份合", "这份合", "這封信", "这封信", "這封郵件", "这封邮件", "这封电邮", "這段話", "这段话", "這段文字", "这段文字") {
		return near
	}
	if !asked {
		if opens && containsAny(s, "郵件", "邮件", "這篇", "这篇", "這份合", "这份合", "這封信", "这封信", "原文", "全文", "文章", "內容如下", "内容如下", "訊息如下", "消息如下") {
			return behind
		}
		return nowhere
	}
	switch {
	case containsAny(s, "以上", "上面", "上述", "上文", "前面這", "前面这"):
		return above
	case containsAny(s, "以下", "下面", "下列", "下文", "如下"):
		return behind
	case opens && s != "說明" && s != "说明" && !ownRules(s):
		return behind
	}
	for _, word := range [...]string{"這", "这"} {
		for rest := s; ; {
			_, after, ok := strings.Cut(rest, word)
			if !ok {
				break
			}
			rest = after
			if code := strings.TrimLeft(after, "段個个些 "); startsWithAny(code, lists.Phrases("names-code-zh")...) {
				continue
			}
			if after == "" || startsWithAny(after, "段", "封", "篇", "份", "則", "则", "句", "首", "是什", "什", "對嗎", "对吗", "，", ",", "翻", "改寫", "改写") {
				return near
			}
			thing := strings.TrimLeft(after, "個个些 ")
			if thing == "" || thing != after && (means(thing) || startsWithAny(thing, lists.Phrases("names-a-text-zh")...)) {
				return near
			}
		}
	}
	if startsWithAny(s, "翻譯成", "翻译成", "翻成", "譯成", "译成") || means(s) && utf8.RuneCountInString(s) <= 6 ||
		lists.Words("text-order")[strings.TrimSuffix(s, "一下")] {
		return near
	}
	return nowhere
}

// means reports whether a Chinese sentence asks what something says, or whether
// it is right.
func means(s string) bool {
	return containsAny(s, lists.Phrases("asks-what-it-says-zh")...)
}
