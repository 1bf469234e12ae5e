package capture

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// bounded reports whether a statement holds only for the place or the minute it
// was said at: it points at something that is not in it, it tells of a part of
// the code at hand, or of what was measured once. A decision for this project
// or this house is one all the same.
func bounded(rule, text string) bool {
	words := lowWords(text)
	firm := rule == "decided" || rule == "preferred"
	if slices.Contains(words, "here") || pointsAtCode(words) || pointsInChinese(text) {
		return true
	}
	if !firm && pointsAtOne(words) {
		return true
	}
	return (rule == "stated" || rule == "done") && (codePart(words) || codePartInChinese(text) || momentaryCount(words) || momentaryCountInChinese(text))
}

// lowWords are the words of a text in small letters, without signs around them.
func lowWords(text string) []string {
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(text, "’", "'")))
	for i, w := range words {
		words[i] = strings.Trim(w, ".,:;!?()\"`")
	}
	return words
}

// wordAt is word i, empty beyond the last.
func wordAt(words []string, i int) string {
	if i < 0 || i >= len(words) {
		return ""
	}
	return words[i]
}

// pointsAtOne reports "this <noun>"; this week and this year are known by the
// date of the statement.
func pointsAtOne(words []string) bool {
	for i, w := range words {
		if w != "this" {
			continue
		}
		switch wordAt(words, i+1) {
		case "", "is", "was", "has", "means", "one", "way", "point",
			"year", "month", "week", "weekend", "morning", "afternoon", "evening", "quarter", "semester", "term", "season", "spring", "summer", "autumn", "fall", "winter",
			"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
			"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december":
		default:
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
			if codeNoun()[wordAt(words, i+1)] || !determines()[wordAt(words, i+1)] && codeNoun()[wordAt(words, i+2)] {
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

var codeNoun = lists.Words("code-noun")

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
	switch wordAt(words, i) {
	case "first", "second", "third", "fourth", "last", "next", "previous", "other", "inner", "outer":
		i++
		switch wordAt(words, i) {
		case "line", "byte", "field", "item", "entry", "row", "column", "call", "case", "test":
			return true
		}
	}
	switch wordAt(words, i) {
	case "argument", "arguments", "parameter", "parameters", "variable", "loop", "iteration", "element", "array", "index", "pointer":
		return true
	}
	return false
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
			if numeral(wordAt(words, i-1)) && !rate(wordAt(words, i+1)) && slices.ContainsFunc(words, repeats) {
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

func numeral(w string) bool { return w != "" && unicode.IsDigit(rune(w[0])) }

func rate(w string) bool {
	switch w {
	case "a", "an", "per", "each", "every", "daily", "weekly", "monthly":
		return true
	}
	return false
}

var repeatsWords = lists.Words("repeats")

func repeats(w string) bool { return repeatsWords()[w] }

// trial reports words for what is run to see how it goes.
func trial(w string) bool {
	switch w {
	case "test", "tests", "run", "build", "benchmark":
		return true
	}
	return false
}

func duration(w string) bool {
	switch strings.TrimLeft(w, "0123456789.") {
	case "ms", "s", "sec", "secs", "second", "seconds", "milliseconds", "min", "mins", "minute", "minutes":
		return true
	}
	return false
}

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

// documentary are words for what says something without being a person.
var documentary = lists.Words("documentary")

var assertsWords = lists.Words("asserts")

func asserts(w string) bool { return assertsWords()[w] }

// assertsOfMany reports verbs that are nouns, too, but behind a plural.
func assertsOfMany(w string) bool {
	return w == "claim" || w == "report" || w == "show" || w == "state" || asserts(w)
}

// reported reports whether the clause gives the words of a document, a response
// or a program.
func (c *clause) reported() bool {
	words := lowWords(c.text)
	for i, w := range words {
		if !documentary()[w] {
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
	for _, source := range sourceChinesePhrases() {
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

var sourceChinesePhrases = lists.Phrases("source-chinese")

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
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

// tags reports whether a clause only asks whether what stands before it is so.
func tags(text string) bool {
	switch strings.Trim(strings.ToLower(strings.ReplaceAll(text, "’", "'")), " .?!？。！") {
	case "right", "correct", "isn't it", "isn't that", "isn't that so", "isn't that right", "aren't they", "aren't we", "isn't there", "wasn't it", "weren't they", "doesn't it", "don't they", "don't we", "didn't we", "didn't it", "hasn't it", "haven't we", "won't it", "is it", "is it not", "is that right", "is that correct", "is that so", "am i right", "or not", "yes", "no", "eh", "yeah", "ok", "okay", "remember":
		return true
	case "對吧", "对吧", "是吧", "對嗎", "对吗", "是嗎", "是吗", "對不對", "对不对", "是不是", "對不", "对不", "對", "对", "沒錯吧", "没错吧", "不是嗎", "不是吗", "對吧對吧", "嗎", "吗", "好像是吧":
		return true
	}
	return false
}

// asksBack reports whether the last clause of a sentence turns all of it into a
// question: "…, right?", …，對吧.
func asksBack(parts []clause, question bool) bool {
	if len(parts) == 0 {
		return false
	}
	last := strings.TrimRight(parts[len(parts)-1].text, " .?!？。！")
	if strings.HasSuffix(last, "對吧") || strings.HasSuffix(last, "对吧") || strings.HasSuffix(last, "是吧") || strings.HasSuffix(last, "對不對") || strings.HasSuffix(last, "对不对") {
		return true
	}
	low := strings.ToLower(strings.ReplaceAll(last, "’", "'"))
	if question && (strings.HasSuffix(low, "isn't it") || strings.HasSuffix(low, " right")) {
		return true
	}
	return tags(last) && (question || isHanText(last) || strings.Contains(low, "n't "))
}

// why reports whether the clause asks for a cause. What stands beside it tells
// what somebody sees, not what is to be kept.
func (c *clause) why() bool {
	return startsWithAny(c.low, " why ", " and why ", " so why ", " but why ") || containsAny(c.low, "為什麼", "为什么", "為何", "为何")
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
	for len(words) > 0 && (leadsOrder(words[0]) || slices.Contains([]string{"can", "could", "would", "you", "i", "we", "but", "let's", "want", "need", "to", "help", "me"}, words[0])) {
		words = words[1:]
	}
	if len(words) < 3 || words[0] != "make" && !commandVerb()[words[0]] {
		return "", false
	}
	value := slices.IndexFunc(words, numeral)
	if value < 2 {
		return "", false
	}
	switch to := slices.Index(words, "to"); {
	case words[1] == "it" || words[1] == "that":
		return "", true
	case to > 2 && to < value && determines()[words[1]]:
		return words[to-1], true
	case words[0] == "make" && determines()[words[1]] && value > 2:
		return words[value-1], true
	}
	return "", false
}

func resetsInChinese(low string) (subject string, ok bool) {
	for cut := true; cut; {
		cut = false
		for _, lead := range politeChinesePhrases() {
			if rest, found := strings.CutPrefix(low, lead); found {
				low, cut = strings.TrimLeft(rest, " "), true
			}
		}
	}
	low, done := strings.TrimSuffix(low, "了"), strings.Contains(low, "了")
	if done || !strings.ContainsFunc(low, unicode.IsDigit) && !countedZh(low) && !strings.ContainsAny(low, "一二三四五六七八九十百千") {
		return "", false
	}
	at, verb := -1, ""
	for _, v := range resetChinesePhrases() {
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

var politeChinesePhrases = lists.Phrases("polite-chinese")

var resetChinesePhrases = lists.Phrases("reset-chinese")

// takesBack reports whether the clause undoes what was said last: "revert that".
func (c *clause) takesBack() bool {
	low := strings.Trim(strings.ReplaceAll(c.low, "’", "'"), " .!。！")
	for _, lead := range [...]string{"wait ", "no ", "please ", "and ", "then ", "ok ", "actually ", "sorry "} {
		low = strings.TrimPrefix(low, lead)
	}
	return slices.Contains(takesBackPhrases(), low)
}

var takesBackPhrases = lists.Phrases("takes-back")

// restored reports whether the clause gives the value that holds again.
func (c *clause) restored() bool {
	if isHanText(c.low) {
		return c.factual() && !c.coded()
	}
	return startsWithAny(c.low, " the ", " our ", " my ") && c.factual() && !c.coded()
}

// withoutRequest drops the words before or behind a sentence that only ask to
// keep it: "…, remember that", 記住，….
func withoutRequest(sentence string) string {
	sentence = strings.TrimSpace(sentence)
	for {
		end := strings.TrimRight(sentence, " .!。！")
		low := asciiLower(end)
		cut := sentence
		for _, tail := range requestTailPhrases() {
			if !strings.HasSuffix(low, tail) {
				continue
			}
			before := strings.TrimRight(end[:len(end)-len(tail)], " ")
			trimmed := strings.TrimRight(before, ",;:，；：—-– ")
			if trimmed != "" && (trimmed != before || strings.HasSuffix(asciiLower(before), " please")) {
				cut = strings.TrimSpace(trimmed)
			}
		}
		if cut == sentence {
			break
		}
		sentence = cut
	}
	low := asciiLower(sentence)
	for _, lead := range requestLeadPhrases() {
		if strings.HasPrefix(low, lead) {
			return strings.TrimSpace(sentence[len(lead):])
		}
	}
	return sentence
}

var requestTailPhrases = lists.Phrases("request-tail")

var requestLeadPhrases = lists.Phrases("request-lead")

// NotAskedFor leaves out of what was noticed in a message what [Explicit] keeps
// of it.
func NotAskedFor(noticed []Noticed, message string) []Noticed {
	if len(noticed) == 0 {
		return nil
	}
	asked := Explicit(message)
	return slices.DeleteFunc(noticed, func(n Noticed) bool { return keptAlready(asked, n.Text) })
}

// keptAlready reports whether an explicit request keeps a statement.
func keptAlready(asked []Statement, text string) bool {
	key := letters(text)
	for i := range asked {
		kept := letters(asked[i].Text)
		if strings.Contains(kept, key) || 2*len(kept) >= len(key) && strings.Contains(key, kept) {
			return true
		}
	}
	return false
}

// letters are the letters and digits of a text, small ones.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
