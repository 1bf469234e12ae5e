package capture

import (
	"strings"
	"unicode/utf8"
)

// request reports what a sentence asks to have remembered and by which rule, and whether
// beside that it says that it holds in all projects. The text is empty when the sentence
// only announces what follows.
func request(sentence string) (text, rule string, wide, ok bool) {
	low := asciiLower(sentence)
	start := leadIn(low)
	if text, rule, ok = phrase(sentence[start:], low[start:], true); ok {
		return text, rule, false, true
	}
	if isQuestion(low[start:]) {
		return "", "", false, false
	}
	if told, all := everywhere(sentence[start:]); all && told != sentence[start:] {
		if text, rule, ok = phrase(told, asciiLower(told), true); ok {
			return text, rule, true, true
		}
	}
	if notice(low[:start]) && forbids(low[start:]) && !momentary(low[start:]) {
		if rule = "caution"; low[start] >= utf8.RuneSelf {
			rule = "注意"
		}
		return sentence[start:], rule, false, meaningful(sentence[start:])
	}
	for _, at := range clauses(low, start) {
		if reported(low[:at]) {
			break
		}
		at += leadIn(low[at:])
		if text, rule, ok = phrase(sentence[at:], low[at:], false); ok && text != "" && meaningful(text) {
			if reminds(low[at:]) {
				return sentence[start:], reminder, false, true // what of is said before
			}
			return text, rule, false, true
		}
	}
	return afterwards(sentence[start:], low[start:])
}

// reminds reports whether a clause in lower case tells what not to forget to do, and not
// what to remember.
func reminds(low string) bool {
	return prefix(low, lists.Phrases("reminds")...) > 0
}

// clauses lists where the clauses behind the first begin.
func clauses(low string, from int) []int {
	if !containsAny(low, lists.Phrases("asks-to-keep")...) {
		return nil
	}
	var out []int
	for i := from; i < len(low); i++ {
		n := 0
		switch low[i] {
		case ' ':
			n = prefix(low[i:], " and ", " but ", " - ", " – ")
		case ',', ';', ':':
			n = prefix(low[i:], ", ", "; ", ": ")
		case "，"[0], "—"[0]:
			n = prefix(low[i:], "，", "；", "：", "—")
		}
		if n > 0 {
			out = append(out, i+n)
		}
	}
	return out
}

// phrase matches the asking words at the start of a clause. Standing rules
// (always, never) count only at the start of a sentence.
func phrase(s, low string, first bool) (text, rule string, ok bool) {
	if s == "" {
		return "", "", false
	}
	if low[0] < 0x80 {
		if text, rule, ok = english(s, low, first); ok || !strings.ContainsFunc(s, han) {
			return text, rule, ok
		}
	}
	return chinese(s, first) // which may begin with a name: commit 訊息一律用英文
}

func english(s, low string, first bool) (text, rule string, ok bool) {
	if n := prefix(low, "remember"); n > 0 {
		return remembered(s[n:], low[n:])
	}
	if n := prefix(low, "don't forget", "don’t forget", "dont forget", "do not forget", "never forget"); n > 0 {
		text, ok = object(s[n:], low[n:])
		return text, "don't forget", ok && !errand(strings.TrimSpace(low[n:]))
	}
	if n := prefix(low, "keep in mind", "bear in mind", "keep this in mind", "keep it in mind"); n > 0 {
		text, ok = object(s[n:], low[n:])
		return text, "keep in mind", ok
	}
	if n := prefix(low, "note for later", "note for the future", "note for future", "note to self", "for future reference", "for the future"); n > 0 {
		text, ok = behindSign(s[n:])
		return text, "note", ok
	}
	if text, ok = savedEnglish(s, low); ok {
		return text, "remember", true
	}
	if n := prefix(low, "memorize", "memorise"); n > 0 && (startsWithAny(low[n:], " that ", ":") || strings.Contains(low[n:], ":")) {
		text, ok = object(s[n:], low[n:])
		return text, "remember", ok
	}
	if n := prefix(low, "make a note", "take note", "write down", "take a note"); n > 0 {
		text, ok = object(s[n:], low[n:])
		return text, "note", ok && (strings.HasPrefix(low[n:], " that ") || strings.HasPrefix(low[n:], ":"))
	}
	if isQuestion(low) {
		return "", "", false
	}
	if n := prefix(low, "from now on", "from here on out", "from here on", "from this point on", "from this point forward", "going forward", "henceforth", "from today on"); n > 0 {
		text = strings.TrimLeft(s[n:], " ,:，：")
		return text, "from now on", true
	}
	if n := prefix(low, "in the future", "in future"); n > 0 {
		text = strings.TrimLeft(s[n:], " ,:，：")
		rest := asciiLower(text)
		rest = rest[leadIn(rest):]
		return text, "in future", startsWithAny(rest, "always ", "never ", "don't ", "don’t ", "do not ", "use ", "prefer ", "avoid ", "make sure ", "only ", "stop ", "ask ", "keep ", "run ", "write ")
	}
	if text, ok = nextTime(s, low); ok {
		return text, "next time", true
	}
	if !first {
		return "", "", false
	}
	for _, word := range [...]string{"always", "never"} {
		if n := prefix(low, word); n > 0 && imperative(low[n:]) {
			return s, word, true
		}
	}
	return englishStanding(s, low)
}

// remembered reads what follows "remember".
func remembered(s, low string) (text, rule string, ok bool) {
	rest := strings.TrimLeft(low, " ")
	word := firstWord(rest)
	if lists.Words("no-remember")[word] || startsWithAny(rest, "the time ", "the last ", "the day ", "the old days", "the bug ") {
		return "", "", false
	}
	if isQuestion(low) && !startsWithAny(rest, "that ", "to ", ":") {
		return "", "", false
	}
	text, ok = object(s, low)
	return text, "remember", ok && !errand(rest)
}

// afterJoint is what follows the signs between asking words and what they ask for; a
// dash before a letter belongs to what follows: -flto.
func afterJoint(s string) string {
	for {
		rest := strings.TrimLeft(s, " ,:*_，：")
		for _, dash := range [...]string{"- ", "– ", "— ", "-- "} {
			rest = strings.TrimPrefix(rest, dash)
		}
		if rest == s {
			return s
		}
		s = rest
	}
}

// object takes the joint off what follows asking words: that, to, a colon, a
// comma.
func object(s, low string) (string, bool) {
	if low != "" && isWordByte(low[0]) {
		return "", false
	}
	rest := strings.TrimLeft(s, " ")
	if strings.HasPrefix(rest, "?") || strings.HasPrefix(rest, "？") {
		return "", false
	}
	if n := prefix(asciiLower(strings.TrimLeft(rest, ",: ")), lists.Phrases("for-now")...); n > 0 {
		return "", false // it ends with the session
	}
	if n := prefix(asciiLower(rest), lists.Phrases("for-later")...); n > 0 {
		rest = rest[n:]
	}
	rest = afterJoint(rest)
	low = asciiLower(rest)
	for _, joint := range [...]string{"that ", "to always ", "to never ", "to "} {
		if strings.HasPrefix(low, joint) {
			if strings.HasPrefix(joint, "to ") && len(joint) > 3 {
				joint = "to "
			}
			rest = strings.TrimLeft(rest[len(joint):], " ,:")
			break
		}
	}
	if onlyReach(rest) {
		return "", false
	}
	if strings.Trim(rest, ".!…。！ ") == "" && !strings.Contains(s, ":") && !strings.Contains(s, "：") {
		return "", false
	}
	return rest, true
}

func chinese(s string, first bool) (text, rule string, ok bool) {
	if isQuestion(s) {
		return "", "", false
	}
	if n := prefix(s, lists.Phrases("remember-zh")...); n > 0 {
		rest := s[n:]
		for _, joint := range [...]string{"了", "這點", "这点", "這一點", "这一点", "一下", "一件事"} {
			rest = strings.TrimPrefix(rest, joint)
		}
		if startsWithAny(rest, "上次", "當時", "当时", "那時", "那时", "那次", "以前", "之前我", "不清", "不住", "的", "過", "过", "我嗎") ||
			containsAny(rest, "功能", "按鈕", "按钮", "選項", "选项", "勾選", "勾选", "複選框", "复选框") && startsWithAny(rest, "密碼", "密码", "我", "登入", "登录", "帳號", "账号") {
			return "", "", false
		}
		// 記得 and 別忘了 also ask for a thing to be done at once.
		if startsWithAny(s, "記得", "记得", "別忘", "别忘", "不要忘") && momentary(asciiLower(rest)) {
			return "", "", false
		}
		if startsWithAny(rest, "這", "这", "那") && containsAny(rest, "等下", "等一下", "等會", "等会", "待會", "待会", "稍後", "稍后", "等等") ||
			startsWithAny(strings.TrimLeft(rest, " 在,，:："), "這次對話", "这次对话", "本次對話", "本次对话", "這個對話", "这个对话", "本次會話", "本次会话", "這次會話", "这次会话") {
			return "", "", false // it ends with the session
		}
		trimmed := strings.TrimLeft(rest, " ,:，：、")
		if strings.Trim(trimmed, ".。!！ ") == "" {
			return "", "記住", strings.ContainsAny(rest, ":：")
		}
		return trimmed, "記住", true
	}
	if text, ok = savedChinese(s); ok {
		return text, "記住", true
	}
	if n := prefix(s, "從現在起", "从现在起", "從現在開始", "从现在开始", "從今以後", "从今以后", "從今天起", "从今天起", "從今往後", "从今往后"); n > 0 {
		return strings.TrimLeft(s[n:], " ,:，："), "以後", true
	}
	if n := prefix(s, "以後", "以后", "今後", "今后", "往後", "往后"); n > 0 {
		rest := strings.TrimLeft(s[n:], " ,:，：")
		told, _ := everywhere(rest)
		if startsWithAny(told, lists.Phrases("from-now-on-zh")...) || lasting(rest) {
			return rest, "以後", true
		}
	}
	if text, ok = nextTimeInChinese(s); ok && !momentary(asciiLower(text)) {
		return text, "下次", true
	}
	if !first {
		return "", "", false
	}
	if text, rule = leaning(s); rule != "" {
		return text, rule, true
	}
	if startsWithAny(s, "每次都要等", "每次都要很", "每次都要花") {
		return "", "", false
	}
	if startsWithAny(s, lists.Phrases("forever-zh")...) {
		return s, "一律", true
	}
	if _, done, ok := strings.Cut(s, "一律"); ok && !startsWithAny(s, "他", "她", "它", "測試", "测试", "結果", "结果") && !startsWithAny(done, lists.Phrases("befalls-zh")...) {
		return s, "一律", true
	}
	return chineseStanding(s)
}
