package capture

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/terms"
)

// clause is a part of a sentence between its commas.
type clause struct {
	text  string
	low   string // in small letters, a space at either end
	asked bool   // it is a question, or asks for something

	quoted bool // it gives the words of a document or a program
	sought bool // the sentence asks why
	undone bool // something was taken back before it
}

// splitClauses cuts a sentence at commas, semicolons, dashes and the words that begin
// a request, so that a fact is found beside a question. Commas within numbers
// and brackets do not cut.
func splitClauses(sentence string) []clause {
	question := strings.ContainsAny(lastRune(sentence), "?？")
	var parts []string
	depth, from := 0, 0
	for i, r := range sentence {
		switch r {
		case '(', '（', '[', '「', '『':
			depth++
		case ')', '）', ']', '」', '』':
			depth = max(0, depth-1)
		case ',', ';':
			if depth == 0 && strings.HasPrefix(sentence[i+1:], " ") {
				parts, from = append(parts, sentence[from:i]), i+1
			}
		case '，', '；', '—':
			if depth == 0 {
				parts, from = append(parts, sentence[from:i]), i+utf8.RuneLen(r)
			}
		case '-', '–':
			if n := utf8.RuneLen(r); depth == 0 && i > 0 && sentence[i-1] == ' ' && strings.HasPrefix(sentence[i+n:], " ") {
				parts, from = append(parts, sentence[from:i]), i+n
			}
		}
	}
	parts = append(parts, sentence[from:])
	var out []clause
	for _, p := range parts {
		for _, p := range atConjunctions(p) {
			if p = strings.TrimSpace(p); p != "" {
				c := clause{text: p, low: " " + strings.ToLower(p) + " "}
				c.asked = c.asks()
				out = append(out, c)
			}
		}
	}
	// The sign of a question belongs to its last clause, and to those that lead
	// to it.
	if question && len(out) > 0 {
		out[len(out)-1].asked = true
	}
	if asksBack(out, question) {
		for i := range out {
			out[i].asked = true
		}
	}
	markReported(out)
	why, undone := slices.ContainsFunc(out, func(c clause) bool { return c.why() }), false
	for i := range out {
		out[i].sought, out[i].undone = why, undone
		undone = undone || out[i].takesBack()
	}
	return out
}

// atConjunctions cuts before a conjunction with a subject of its own: "… and I
// want …", "… but we have …".
func atConjunctions(s string) []string {
	var out []string
	from := 0
	for i := 0; i < len(s); i++ {
		if s[i] != ' ' {
			continue
		}
		rest := s[i+1:]
		for _, conj := range [...]string{"and ", "but ", "so ", "because ", "while "} {
			if len(rest) > len(conj) && strings.EqualFold(rest[:len(conj)], conj) && ownSubject(rest[len(conj):]) {
				out, from = append(out, s[from:i]), i+1
				break
			}
		}
	}
	return append(out, s[from:])
}

// ownSubject reports whether a text begins with a subject and is not told by
// what stands before it alone.
func ownSubject(s string) bool {
	low := strings.ToLower(s)
	return startsWithAny(low, "i ", "i'", "i’", "we ", "we'", "we’", "my ", "our ", "the ", "it ", "it's ", "it’s ", "can ", "could ", "how ", "what ", "should ", "would ", "do ", "is ", "are ", "there ", "they ", "he ", "she ", "you ", "please ", "also ", "this ", "that ", "now ")
}

// asks reports whether the clause is a question or a request.
func (c *clause) asks() bool {
	low := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(c.low[1:], "and "), "so "), "but "), "also ")
	if startsWithAny(low, "can ", "could ", "would ", "should ", "how ", "what ", "what's ", "why ", "where ", "when should", "when do", "which ones", "which one", "who ", "is ", "are ", "do ", "does ", "did ", "will ", "please ", "help ", "let me know", "let's ", "tell me", "show me", "give me", "make ", "write ", "add ", "fix ", "explain ", "any ") {
		return true
	}
	return containsAny(c.low, " can you ", " could you ", " can i ", " should i ", " how do i ", " how can ", " what if ", " how to ", " i was wondering", " i wonder ", " wondering if ", " do you ", " would you ",
		"嗎", "吗", "怎麼", "怎么", "如何", "能不能", "可不可以", "可否", "是否", "請問", "请问", "請幫", "请帮", "幫我", "帮我", "為什麼", "为什么", "什麼", "什么", "哪", "多少", "呢 ")
}

// supposes reports whether the clause speaks of what is not so, or not so yet.
func (c *clause) supposes() bool {
	return containsAny(c.low, " if ", " unless ", " would ", " wouldn't ", " could ", " might ", " maybe ", " perhaps ", " hopefully ", " suppose ", " assuming ", " imagine ", " let's say ", " for example", " e.g.", " such as ", " what if", " should ", " i think ", " i guess ", " probably ", " not sure ", " unsure ", " i'd ", " i’d ", " whether ", " ideally ", " in case ", " i heard", " i've heard", " i’ve heard", " i read ", " they say ",
		"如果", "假如", "假設", "假设", "要是", "可能", "也許", "也许", "或許", "或许", "應該", "应该", "大概", "希望", "聽說", "听说", "例如", "比如", "不確定", "不确定", "的話", "的话", "萬一", "万一", "好像", "似乎")
}

// plans reports whether the clause says what somebody wants or is about to do, or
// wants done.
func (c *clause) plans() bool {
	if c.orders() {
		return true
	}
	low := strings.ReplaceAll(c.low, "’", "'")
	for _, who := range [...]string{" i'm ", " i am ", " we're ", " we are "} {
		if i := strings.Index(low, who); i >= 0 {
			rest := low[i+len(who):]
			if i := strings.IndexByte(rest, ' '); i > 0 && startsWithAny(rest, "currently ", "now ", "also ", "still ", "just ") {
				rest = rest[i+1:]
			}
			if startsWithAny(rest, "trying ", "looking ", "planning ", "hoping ", "going ", "thinking ", "aiming ", "about to ", "considering ", "wondering ", "interested ", "working ", "preparing ", "struggling ", "having ", "targeting ", "trying", "encountering ", "getting ") {
				return true
			}
		}
	}
	if startsWithAny(low, " to ", " specifically ", " especially when ", " suggest ", " when ", " once ", " until ") || containsAny(low, " goal ", " target ", " aim ", " aims ", " been trying ", " it's only when ", " is to ", " are to ") {
		return true
	}
	return containsAny(low, " want to ", " wants to ", " wanted to ", " need to ", " have to ", " like to ", " i need ", " we need ", " i want ", " we want ", " i'll ", " we'll ", " i will ", " we will ", " plan to ", " hope to ", " aim to ", " let me ", " try to ", " in order to ", " to make sure ", " to ensure ",
		"想要", "我想", "想把", "打算", "計劃", "计划", "準備", "准备", "需要", "試著", "试着", "正在嘗試", "正在尝试", "我要", "我們要", "我们要", "來看看", "来看看")
}

// aside reports whether nothing can lean on the clause.
func (c *clause) aside() bool { return c.asked || c.supposes() }

// leans reports whether the clause needs the one before it to be understood.
func (c *clause) leans() bool {
	low := strings.TrimLeft(c.low, " ")
	for _, lead := range [...]string{"and ", "but ", "so ", "then ", "also ", "especially ", "especially since "} {
		low = strings.TrimPrefix(low, lead)
	}
	if startsWithAny(low, "which ", "who ", "whose ", "that's ", "that’s ", "that is ", "that has ", "it ", "it's ", "it’s ", "its ", "they ", "they're ", "this ", "these ", "those ", "with ", "from ", "to ", "now ", "up ", "down ", "resulting ", "bringing ", "reaching ", "because of ", "for ", "in ", "on ", "by ", "at ", "up from ",
		"它", "這", "这", "其", "而", "並", "并", "且", "也", "現在", "现在", "目前", "已經", "已经", "從", "从", "到", "改", "一共", "總共", "总共", "共") {
		return true
	}
	if isHanText(low) {
		return terms.Width(low) < 14 // a few characters rarely name their subject
	}
	// No subject: "has now 12 branches".
	return startsWithAny(low, "has ", "have ", "had ", "is ", "are ", "was ", "were ", "improved ", "increased ", "reached ", "reduced ", "dropped ", "went ", "using ", "running ", "taking ", "including ", "making ", "leaving ", "scored ", "scoring ") || !strings.Contains(strings.TrimSpace(low), " ")
}

// continues reports whether the clause only says more about what stands before
// it, without which that is incomplete: "with …", a further point of a list.
func (c *clause) continues() bool {
	if c.asked || c.supposes() || c.plans() || c.takesBack() {
		return false
	}
	low := strings.TrimLeft(c.low, " ")
	if startsWithAny(low, "with ", "from ", "instead of ", "not ", "rather than ", "up from ", "down from ", "due to ", "thanks to ", "而不是", "不是", "不再", "取代") {
		return true
	}
	// A point of a list: a few words without a verb of their own.
	return len(strings.Fields(low)) <= 4 && !ownSubject(low) && !startsWithAny(low, "and i", "and we", "but ", "so ", "which ") && !isHanText(low)
}

// bare reports whether the clause gives a value without saying of what: "I've
// reached 65% now", "we got it down to 40".
func (c *clause) bare() bool {
	low := strings.ReplaceAll(c.low, "’", "'")
	if containsAny(low, " it ", " that to ", " this to ", " them ") {
		return true
	}
	if isHanText(low) {
		return terms.Width(low) < 14
	}
	head, value := "", false
	for w := range strings.FieldsSeq(low) {
		if unicode.IsDigit(rune(w[0])) {
			value = strings.HasSuffix(strings.TrimRight(w, ".,"), "%") || !strings.ContainsFunc(w, unicode.IsLetter)
			break
		}
		head += " " + w
	}
	return value && containsAny(head+" ", " reached ", " hit ", " got to ", " gotten to ", " at ", " am at ", " managed ", " achieved ", " up to ") && len(strings.Fields(head)) <= 4
}

// object is what a plan is about, without who plans: "I'm trying to raise the
// test coverage" is about the test coverage.
func (c *clause) object() (string, bool) {
	for _, article := range [...]string{" the ", " my ", " our ", " a ", " an "} {
		if i := strings.Index(c.low, article); i >= 0 {
			// The text has the same length as its small letters but for rare
			// characters, which leave the clause out.
			if len(c.low) != len(c.text)+2 {
				return "", false
			}
			first := i
			for _, other := range [...]string{" the ", " my ", " our "} {
				if j := strings.Index(c.low, other); j >= 0 && j < first {
					first = j
				}
			}
			object := c.text[first:]
			if c.orders() {
				object = beforeAny(object, " to ", " from ", " and ")
			}
			return strings.TrimSpace(object), true
		}
	}
	return "", false
}

// withoutRelative drops the pronoun that a predicate hangs by.
func withoutRelative(s string) string {
	low := strings.ToLower(s)
	for _, lead := range [...]string{"and ", "which ", "that ", "it ", "who "} {
		if strings.HasPrefix(low, lead) {
			s, low = s[len(lead):], low[len(lead):]
		}
	}
	for _, lead := range [...][2]string{{"it's ", "is "}, {"it’s ", "is "}, {"which is ", "is "}, {"that's ", "is "}, {"that’s ", "is "}} {
		if strings.HasPrefix(low, lead[0]) {
			return lead[1] + s[len(lead[0]):]
		}
	}
	return s
}

// beforeAny is a text up to the first of some parts.
func beforeAny(s string, parts ...string) string {
	if i := indexAny(strings.ToLower(s), parts...); i >= 0 && i < len(s) {
		return s[:i]
	}
	return s
}
