package capture

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// notice reports whether the words that lead up to a sentence in lower case
// call for attention: "note: ", 注意：. A prohibition behind them is meant to
// last.
func notice(lead string) bool {
	return containsAny(lead, "note:", "important:", "important!", "注意", "重要", "提醒")
}

// englishStanding matches what is to be kept to in every session and says so
// otherwise than by always, never and from now on: a taste, a habit to break,
// a rule. The sentence is no question.
func englishStanding(s, low string) (text, rule string, ok bool) {
	if n := prefix(low, "rule:", "new rule:", "house rule:", "team rule:", "convention:", "our convention:", "policy:", "standing instruction:"); n > 0 {
		text = strings.TrimLeft(s[n:], " ")
		return text, "rule", !strings.Contains(firstWord(asciiLower(text)), "-") // of a linter
	}
	body := strings.TrimRight(low, " .!")
	if endsWithAny(body, " from now on", " going forward", ", ever") {
		return s, "from now on", forbids(low) || !strings.Contains(firstWord(low), "'") && imperative(" "+low)
	}
	if momentary(low) {
		return "", "", false
	}
	switch {
	case tasteOf(low):
		return s, "prefer", true
	case startsWithAny(low, "don't ever ", "don’t ever ", "do not ever "):
		return s, "never", true
	case startsWithAny(low, "don't ", "don’t ", "dont ", "do not "):
		_, rest, _ := strings.Cut(strings.TrimPrefix(low, "do "), " ")
		verb := firstWord(rest)
		object := firstWord(strings.TrimLeft(rest[len(verb):], " "))
		ends := endsWithAny(body, " anymore", " any more", " ever again")
		return s, "stop", ends && object != "it" && object != "that" && object != "the" && object != "any" && object != "anymore"
	case strings.HasPrefix(low, "no more "):
		return s, "stop", endsWithAny(body, " please", ",please")
	case strings.HasPrefix(low, "stop "):
		if verb := firstWord(low[len("stop "):]); lists.Words("stopped")[verb] {
			rest := low[len("stop ")+len(verb):]
			return s, "stop", !startsWithAny(rest, " the ", " it", " that", ",")
		}
	case startsWithAny(low, "before ", "after ", "whenever ", "every time "):
		often := startsWithAny(low, "before every ", "before each ", "after every ", "after each ", "every time you ", "whenever you ")
		occasion := startsWithAny(low, lists.Phrases("occasion")...)
		_, rest, told := strings.Cut(low, ", ")
		strict := containsAny(low, "don't ", "don’t ", "do not ", " never ", "must not ")
		return s, "rule", told && (often && imperative(" "+rest) || occasion && strict)
	}
	return "", "", false
}

// tasteOf reports whether a sentence in lower case tells what its writer likes
// in general, and not which of several offers.
func tasteOf(low string) bool {
	n := prefix(low, lists.Phrases("prefers")...)
	if n == 0 {
		return false
	}
	rest := low[n:]
	if containsAny(low[:n], "like", "hate", "stand") && !aboutWork(rest) {
		return false
	}
	if strings.HasPrefix(rest, "the ") && containsAny(low[:n], "like", "hate") || strings.HasPrefix(rest, "to do ") {
		return false
	}
	if startsWithAny(rest, "the first", "the second", "the third", "the last", "the latter", "the former", "the other", "the old", "the new", "a) ", "b) ", "#") {
		return false
	}
	switch word := firstWord(rest); word {
	case "using", "writing", "keeping", "putting", "returning", "naming", "passing", "wrapping", "nothing", "string", "logging", "testing", "mocking":
	default:
		if lists.Words("no-taste")[word] {
			return false
		}
		if strings.HasSuffix(word, "ing") {
			return aboutWork(rest)
		}
	}
	return strings.ContainsAny(rest, " -") || len(rest) > 3
}

// aboutWork reports whether a taste in lower case is one in code or in answers:
// other tastes are no instructions.
func aboutWork(low string) bool {
	return containsAny(low, lists.Phrases("about-work")...) ||
		containsAny(low, lists.Phrases("about-work-zh")...) ||
		strings.ContainsFunc(low, func(r rune) bool { return r >= 0x2e80 }) && strings.ContainsFunc(low, func(r rune) bool { return 'a' <= r && r <= 'z' })
}

// savedEnglish returns what stands behind "save this to memory:" and its like.
func savedEnglish(s, low string) (text string, ok bool) {
	n := prefix(low, "save", "store", "add", "put", "commit", "write", "keep", "record", "note")
	if n == 0 {
		return "", false
	}
	for at := n; ; {
		rest := strings.TrimLeft(low[at:], " ")
		at = len(low) - len(rest)
		word := firstWord(rest)
		at += len(word)
		if lists.Words("save-filler")[word] {
			continue
		}
		rest = low[at:]
		switch {
		case word != "memory" && word != "memories":
		case startsWithAny(rest, ":", "：", " :", ", ", "，", " -", " –", " —"):
			return strings.TrimLeft(s[at:], " ,:-–—，："), true
		case strings.HasPrefix(rest, " that "):
			return s[at+len(" that "):], true
		}
		return "", false
	}
}

// nextTime returns what stands behind "next time" when it tells what to do.
func nextTime(s, low string) (text string, ok bool) {
	n := prefix(low, "next time")
	if n == 0 {
		return "", false
	}
	text = strings.TrimLeft(s[n:], " ,:")
	low = asciiLower(text)
	at := leadIn(low)
	text, low = text[at:], low[at:]
	if m := prefix(low, "remember to ", "make sure to ", "be sure to ", "don't forget to "); m > 0 {
		text, low = text[m:], low[m:]
	}
	switch firstWord(low) {
	case "will", "would", "could", "should", "maybe", "perhaps", "nobody", "somebody", "someone", "people", "everything":
		return "", false
	}
	_, rest, _ := strings.Cut(low, " ")
	switch firstWord(rest) {
	case "is", "was", "will", "would", "has", "can", "should", "that", "are": // next time slot is …
		return "", false
	}
	return text, forbids(low) || imperative(" "+low) && !momentary(low)
}

// chineseStanding is englishStanding for Chinese.
func chineseStanding(s string) (text, rule string, ok bool) {
	if n := prefix(s, "規則", "规则", "規定", "规定", "約定", "约定", "慣例", "惯例", "團隊約定", "团队约定"); n > 0 {
		if text, ok = behindSign(s[n:]); ok && startsWithAny(s[n:], ":", "：") &&
			containsAny(text, "要", "不", "必須", "必须", "一律", "都", "用", "禁止", "務必", "务必", "只") {
			return text, "規則", true
		}
	}
	if momentary(asciiLower(s)) {
		return "", "", false
	}
	if n := prefix(s, "不要再", "別再", "别再", "不准再", "不許再", "不许再"); n > 0 {
		rest := s[n:]
		n = prefix(rest, "幫我", "帮我", "給我", "给我", "隨便", "随便", "直接", "手動", "手动", "自動", "自动")
		habit := n > 0 || startsWithAny(rest, lists.Phrases("habit-zh")...)
		return s, "不要再", habit && utf8.RuneCountInString(strings.TrimRight(rest, "了。！! ")) > 2 &&
			!containsAny(rest, "換成", "换成", "改成", "改為", "改为")
	}
	if tasteInChinese(s) {
		return s, "偏好", true
	}
	if prefix(s, lists.Phrases("each-time-zh")...) > 0 &&
		!containsAny(s, "分鐘", "分钟", "很久", "太慢", "半天") && containsAny(s, "都要", "都必須", "都必须", "都得", "都先", "都不要", "都不能", "都請", "都请") {
		return s, "一律", true
	}
	strict := containsAny(s, "不要", "不准", "不許", "不许", "不得", "不能", "不可", "禁止", "別", "别", "才能", "才可以", "才准")
	told := containsAny(strings.ReplaceAll(s, "不要", ""), "先", "要", "必須", "必须", "務必", "务必", "一定")
	return s, "規則", strict && told && occasion(s)
}

// occasion reports whether a Chinese sentence begins with work that comes again
// and again: 提交前.
func occasion(s string) bool {
	s = strings.TrimPrefix(s, "每次")
	n := prefix(s, "提交", "推送", "推", "合併", "合并", "部署", "發版", "发版", "發布", "发布", "上線", "上线", "commit", "push", "merge", "deploy", "改完", "寫完", "写完")
	if n == 0 {
		return false
	}
	clause := s[n:]
	if i := strings.IndexAny(clause, "，,。;； "); i > 0 {
		clause = clause[:i]
	}
	i := strings.IndexAny(clause, "前後后")
	const near = 8 // characters: 部署到正式站前
	return i >= 0 && utf8.RuneCountInString(clause[:i]) <= near
}

// tasteInChinese is tasteOf for Chinese.
func tasteInChinese(s string) bool {
	n := prefix(s, "我們團隊", "我们团队", "我們", "我们", "我")
	if n == 0 {
		return false
	}
	rest := s[n:]
	for again := true; again; {
		again = false
		if m := prefix(rest, "都", "比較", "比较", "更", "一向", "通常", "一直", "平常", "還是", "还是", "真的", "很", "非常", "最"); m > 0 {
			rest, again = rest[m:], true
		}
	}
	n = prefix(rest, "偏好", "偏愛", "偏爱", "喜歡", "喜欢", "習慣", "习惯", "不喜歡", "不喜欢", "討厭", "讨厌")
	if n == 0 {
		return false
	}
	verb := rest[:n]
	rest = strings.TrimLeft(rest[n:], " ")
	if startsWithAny(rest, lists.Phrases("not-a-taste-zh")...) {
		return false
	}
	if !startsWithAny(verb, "偏好", "習慣", "习惯") && !aboutWork(asciiLower(rest)) {
		return false
	}
	return utf8.RuneCountInString(rest) >= 3 && !containsAny(rest, "什麼", "什么", "嗎", "吗", "哪")
}

// savedChinese returns what stands behind 存進記憶： and its like.
func savedChinese(s string) (text string, ok bool) {
	rest := s
	skip := func(words ...string) bool {
		n := prefix(rest, words...)
		rest = rest[n:]
		return n > 0
	}
	skip("把", "將", "将")
	skip("這些", "这些", "這個", "这个", "這點", "这点", "這件事", "这件事", "這條", "这条", "這", "这", "以下內容", "以下内容", "以下", "下面", "它")
	if skip("記一下", "记一下", "記下來", "记下来", "做個筆記", "做个笔记", "筆記", "笔记", "備忘", "备忘", "記個筆記", "记个笔记") {
		text, ok = behindSign(rest)
		return text, ok && !momentary(asciiLower(text))
	}
	if !skip("保存", "儲存", "储存", "存", "加", "寫", "写", "記", "记", "放", "加入", "錄", "录") {
		return "", false
	}
	skip("到", "進", "进", "入", "在")
	skip("你的", "我的", "專案", "专案", "項目", "项目", "長期", "长期")
	if !skip("記憶庫", "记忆库", "記憶", "记忆") {
		return "", false
	}
	skip("裡面", "里面", "裡", "里", "中", "內", "内")
	return behindSign(rest)
}

// lasting reports whether what stands behind 以後 is to be kept to, and no
// story about what may come.
func lasting(rest string) bool {
	return !story(rest) && (containsAny(rest, lists.Phrases("lasting-zh")...) ||
		startsWithAny(rest, "遇到", "碰到") && strings.Contains(rest, "先"))
}

// story reports whether what stands behind 以後 tells of what may come.
func story(rest string) bool {
	return containsAny(rest, lists.Phrases("not-lasting-zh")...) || startsWithAny(rest, "會", "会")
}

// Rules of words that ask to keep what follows, or are said of the work at hand: 之後, 記一下.
// The reader must hold it for a statement, too.
const (
	laterOn = "之後"
	noting  = "記一下"
)

// leaning is what stands behind such words of Chinese, and their rule; empty for none.
func leaning(s string) (text, rule string) {
	rule = laterOn
	n := prefix(s, lists.Phrases("later-zh")...)
	if n == 0 {
		rule, n = noting, prefix(s, lists.Phrases("noting-zh")...)
	}
	text = strings.TrimLeft(s[n:], " ,:，：")
	if n == 0 || momentary(asciiLower(text)) || rule == laterOn && (story(text) || strings.HasPrefix(text, "再")) {
		return "", ""
	}
	return text, rule
}

// nextTimeInChinese is nextTime for Chinese.
func nextTimeInChinese(s string) (text string, ok bool) {
	n := prefix(s, "下次", "下一次", "下回")
	if n == 0 {
		return "", false
	}
	rest := strings.TrimLeft(s[n:], " ,，:：")
	if n = prefix(rest, "請記得", "请记得", "要記得", "要记得", "記得", "记得", "請", "请", "別忘了", "别忘了"); n > 0 {
		return strings.TrimLeft(rest[n:], " ,，:："), true
	}
	if containsAny(rest, "會議", "会议", "開會", "开会", "再說", "再说", "見", "见") {
		return "", false
	}
	return rest, startsWithAny(rest, "要", "先", "不要", "別", "别", "務必", "务必", "一定", "必須", "必须", "不准", "直接用", "改用", "都") || containsAny(rest, "前先", "前要", "前記得", "前记得", "時記得", "时记得")
}

// standingRules are the rules by which an instruction is known to apply in every
// session, whatever its words are about.
var standingRules = [...]string{"prefer", "stop", "rule", "next time", "caution", "偏好", "不要再", "規則", "下次", "注意"}

func isStanding(rule string) bool { return slices.Contains(standingRules[:], rule) }
