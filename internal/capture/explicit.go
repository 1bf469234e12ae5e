package capture

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"orihon/internal/activity"
	"orihon/internal/reader"
	"orihon/internal/terms"
	"orihon/memory"
)

// Statement is something a user asked to have remembered.
type Statement struct {
	Text  string // without the words that asked, ending as written
	Topic memory.Topic
	Kind  memory.Kind
	Rule  string // the phrase that gave it away, such as "remember"
	Cut   bool   // what was said is longer
	// Everywhere says that it was clearly said for all projects of the user; the words
	// that say so are no part of Text where it reads well without them.
	Everywhere bool
	// Team says that it was said for the team, in words that are no part of Text. It is
	// the speaker's to share.
	Team bool
}

// Redacted reports whether a secret was taken out of it: what is left tells nothing.
func (s *Statement) Redacted() bool { return redacted(s.Text) }

// What Explicit returns at most.
const (
	MaxStatements = 100 // and one more, which says that there are others
	maxStatement  = 600 // characters of one statement
)

// Explicit finds the sentences by which a prompt asks to have something
// remembered or kept to from now on, in English and in Chinese, in the order
// in which they stand. Questions, reported speech, code, quotations, logs, texts
// that the prompt only asks about, what a client put into it by itself and orders that
// are a joke or anger are passed over. A list behind
// "remember:" becomes one statement for each point.
//
// An order, such as "from now on …", is among them where the reader holds it for a
// statement, too; [State] has the others.
func Explicit(prompt string) []Statement {
	o := ownWords(prompt)
	sure, _ := o.asks(false)
	return sure
}

// memoryRules are the rules by which memory is asked for in so many words. What is no
// such is an order, and the reader has a say in it.
var memoryRules = [...]string{"remember", "don't forget", "keep in mind", "note", "記住"}

// doubt is a part of what a prompt's writer says that may ask to be kept.
type doubt struct {
	from, to int // bytes
	P        float64
}

// asks are the sentences by which a prompt asks for something to be kept: what is
// kept, and what others are to decide on. With faint, it takes for such also what only
// has words of an order, none of which is kept.
func (o *ownText) asks(faint bool) (sure []Statement, doubts []doubt) {
	r := asking{faint: faint}
	for i, line := range o.lines {
		r.unsure = o.unsure[i]
		for _, part := range points(line) {
			r.line(part)
		}
		if len(r.out) > MaxStatements {
			break
		}
	}
	text := o.text()
	weigh := sync.OnceValue(func() func(string) reader.Opinion { return reader.Weigh(text) })
	forget := sync.OnceValue(func() forgetting { return forgets(text) })
	for i := range r.out {
		w := &r.out[i]
		memory := slices.Contains(memoryRules[:], w.Rule)
		if memory && !w.unsure {
			sure = append(sure, w.Statement)
			continue
		}
		_, first := utf8.DecodeRuneInString(w.Text) // may have been made large
		said := w.Text[first:]
		if f := forget(); !memory && f.P >= ForgetLikely && f.takes(text, said) {
			continue
		}
		opinion := weigh()(said)
		p := w.likely(&opinion)
		if w.leans() && w.ordering != "" {
			_, first = utf8.DecodeRuneInString(w.ordering)
			said = w.ordering[first:] // to be decided on whole
		}
		switch {
		case p == 0:
		case p == 1:
			sure = append(sure, w.Statement)
		default:
			if from := strings.Index(text, said); from >= first {
				doubts = append(doubts, doubt{from: from - first, to: from + len(said), P: p})
			}
		}
	}
	return sure, doubts
}

// wish is a sentence that asks for something to be kept, or may.
type wish struct {
	Statement        // without a rule when it has only words of an order
	unsure    bool   // it may be the end of pasted output
	ordering  string // its sentence, where that has words of an order and they count
}

// asking goes through the lines of a prompt.
type asking struct {
	out    []wish
	unsure bool // the line may be the end of pasted output
	faint  bool // what only has words of an order counts

	ordering string // the sentence, where it has such words and they count

	// listRule is set after a sentence that announced what follows.
	listRule string
	listed   bool // a point of the list was already there
	blanks   int  // lines without text behind the announcement
	listWide bool // it holds in all projects

	// before is the sentence before, which "remember that" can mean; empty when it can
	// mean none. beforeOut is how many statements there were before it.
	before    string
	beforeOut int
}

func (r *asking) line(line string) {
	text, point := bullet(line)
	if r.listRule != "" {
		switch {
		case text == "" && !r.listed:
			r.blanks++ // between the announcement and the list
			return
		case text != "" && (point || !r.listed && r.blanks < 2): // else code or a quotation was left out
			rule := r.listRule
			r.listed = true
			if !point {
				r.listRule = ""
			}
			r.add(text, rule, r.listWide)
			return
		}
		r.listRule, r.listed = "", false
	}
	if text == "" {
		r.before = "" // code or a quotation may have stood there
	}
	for sentence := range terms.Sentences(text) {
		if rule, wide := pointsBack(sentence); rule != "" || wide {
			r.back(rule, wide)
			continue
		}
		r.before, r.beforeOut = sentence, len(r.out)
		asked, rule, wide, ok := request(sentence)
		if r.ordering = ""; r.faint && ordering(sentence) {
			r.ordering = sentence
		}
		switch {
		case !ok && r.ordering != "":
			r.add(sentence, "", false)
		case !ok:
		case announces(asked):
			r.listRule, r.listed, r.blanks, r.listWide = rule, false, 0, wide
		default:
			r.add(asked, rule, wide)
		}
	}
}

// back keeps the sentence before, when a rule asks for that, and what was kept of it for
// all projects, when it is to hold there.
func (r *asking) back(rule string, wide bool) {
	if n := leadIn(asciiLower(r.before)); rule != "" && len(r.out) == r.beforeOut && r.before != "" && !isQuestion(asciiLower(r.before[n:])) {
		r.add(strings.TrimRight(r.before[n:], " .!。！"), rule, false)
	}
	for i := r.beforeOut; wide && i < len(r.out); i++ {
		r.out[i].Everywhere = true
	}
}

func (r *asking) add(text, rule string, wide bool) {
	text, team := forTeam(strings.TrimSpace(text))
	text, all := everywhere(text)
	text = upperFirst(withoutFillers(strings.TrimSpace(text)))
	if len(r.out) > MaxStatements || !meaningful(text) {
		return
	}
	long := utf8.RuneCountInString(text) > maxStatement
	if long {
		text = cut(text, maxStatement)
	}
	if slices.ContainsFunc(r.out, func(w wish) bool { return w.Text == text }) {
		return
	}
	topic := topicOf(text, ofItsOwn(text, rule))
	kind := memory.Semantic
	if topic == memory.Procedure {
		kind = memory.Procedural
	}
	r.out = append(r.out, wish{Statement: Statement{Text: text, Topic: topic, Kind: kind, Rule: rule, Cut: long, Everywhere: wide || all, Team: team}, unsure: r.unsure, ordering: r.ordering})
}

// ofItsOwn is the rule by which a text would be an order if nobody asked to remember it,
// and else the rule that asks: "記住：註解一律用英文" is what 註解一律用英文 is.
func ofItsOwn(text, rule string) string {
	if _, own, _, ok := request(text); ok && slices.Contains(memoryRules[:], rule) {
		return own
	}
	return rule
}

// upperFirst writes the first letter large where the first word is an everyday one, as of
// a sentence: kubectl, npm and make are written so on purpose, as are a.key and words in
// Chinese.
func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' || strings.ContainsFunc(s, han) {
		return s
	}
	word := firstWord(s)
	if strings.ContainsAny(word, "_0123456789") || codeGoesOn(s[len(word):]) || len(terms.Query(word)) > 0 && !terms.Common(word) || activity.Program(word) {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// codeGoesOn reports whether what stands behind a word makes it a part of a name, a path
// or a call.
func codeGoesOn(rest string) bool {
	return len(rest) > 1 && strings.IndexByte("./:=@#[<(\\$~+", rest[0]) >= 0 && rest[1] != ' '
}

// cut shortens a text to n characters, at a sentence's end where one lies in its
// second half, else at a word's.
func cut(s string, n int) string {
	count, end := 0, len(s)
	for i := range s {
		if count == n-1 {
			end = i
			break
		}
		count++
	}
	at := 0
	for sentence := range terms.Sentences(s) {
		next := at + strings.Index(s[at:], sentence) + len(sentence)
		if next > end {
			break
		}
		at = next
	}
	if at > end/2 {
		return s[:at] + " …"
	}
	s = s[:end]
	if i := strings.LastIndexAny(s, " ，、；"); i > len(s)*3/4 {
		s = s[:i]
	}
	return strings.TrimSpace(s) + "…"
}

// topicOf sorts a statement by simple rules, and what they leave by the reader.
func topicOf(text, rule string) memory.Topic {
	low := strings.ToLower(text)
	switch {
	case containsAny(low, "pitfall", "gotcha", "陷阱", "踩坑", "有坑", "的坑", "個坑", "个坑", "坑："):
		return memory.Pitfall
	case containsAny(low, "decided", "we chose", "we have chosen", "we've chosen", "decision", "we went with", "we picked", "決定", "决定", "改用", "選定", "选定"):
		return memory.Decision
	case isStanding(rule), occasion(text) && containsAny(text, "不要", "不准", "不得", "禁止", "別", "别"):
		return memory.Preference
	case procedural(low):
		return memory.Procedure
	case rule == "from now on" || rule == "in future" || rule == "always" || rule == "never" || rule == "must" || rule == "以後" || rule == laterOn || rule == "一律",
		// A fact about a subject may hold a "never"; an instruction begins with
		// its verb, or says that it is a matter of taste.
		startsWithAny(low, "use ", "prefer ", "avoid ", "don't ", "don’t ", "do not ", "only ", "answer ", "reply ", "no ", "always ", "never ", "please "),
		hasWord(low, "prefer"), hasWord(low, "style"),
		startsWithAny(low, "永遠", "永远", "一律", "不要", "總是", "总是", "務必", "务必", "請", "请"),
		containsAny(low, "偏好", "風格", "风格", "喜歡", "喜欢"):
		return memory.Preference
	}
	if taste(text) {
		return memory.Preference
	}
	return memory.Fact
}

// taste reports whether the reader holds a text for what its writer likes, such as how
// to be answered, whether or not it would keep that by itself.
func taste(text string) bool {
	if utf8.RuneCountInString(text) > maxStated {
		return false
	}
	const clearly = 1.5 // times as likely as any other kind
	tone := reader.Tone(text)
	for k := reader.Decision; int(k) < len(reader.Kinds); k++ {
		if k != reader.Preference && clearly*tone[reader.Begins(k)] > tone[reader.Begins(reader.Preference)] {
			return false
		}
	}
	return true
}

// procedural reports whether a text tells how to do something: a purpose or an
// occasion first, then what to run.
func procedural(low string) bool {
	if containsAny(low, "步驟", "步骤", "steps:", "steps are", "the steps") {
		return true
	}
	if startsWithAny(low, "to ", "in order to ", "before ", "after ", "when ", "whenever ") {
		if containsAny(low, ", run ", ", execute ", ", call ", ", type ", ", first ", ", do ", ", you run ", ", we run ", ", you need to run ") {
			return true
		}
	}
	if i := strings.Index(low, "先"); i >= 0 && containsAny(low[i:], "再", "然後", "然后") {
		return true
	}
	return strings.Contains(low, "要部署") && containsAny(low, "執行", "执行", "跑", "用")
}
