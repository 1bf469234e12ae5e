package capture

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/terms"
	"orihon/memory"
)

// Noticed is a fact that a message states by the way, nobody having asked to
// keep it.
type Noticed struct {
	Text  string // at most [NoticedChars] characters, to be understood by itself
	Topic memory.Topic
	Rule  string // what gave it away: "changed", "decided", "preferred", "done",
	// "stated", "proposed" or "planned"
	// Score is how sure the rules are that it is worth keeping, 0..1: at least
	// [NoticedSure] for changed values, decisions and preferences, at least
	// [NoticedFact] for plain facts with a concrete value, at least [NoticedLikely]
	// for proposals, less for plans.
	Score float64
}

// The router's thresholds: what is sure is kept, what is a fact is kept where
// plain facts are wanted, what is likely is asked about, the rest is dropped.
const (
	NoticedSure   = 0.92
	NoticedFact   = 0.75
	NoticedLikely = 0.70
)

// NoticedChars is the length of the longest statement that is noticed.
const NoticedChars = 150

// mostNoticed is how many statements one message yields.
const mostNoticed = 8

// Notice takes the clauses of a user's message that state a fact with a
// concrete value, a decision or a preference, in English and in Chinese. Code,
// quotations, logs, questions, wishes and suppositions are passed over, and so are
// reported words, what holds only where or when it was said, and what the same
// message orders to be changed. A clause keeps the words before it that say what
// it speaks of.
func Notice(message string) []Noticed {
	if pasted(message) {
		return nil
	}
	var l listener
	for line := range promptLines(message) {
		if text, _ := bullet(line); plainLine(text) {
			for sentence := range terms.Sentences(text) {
				l.sentence(withoutRequest(sentence))
			}
		}
		if len(l.out) > mostNoticed {
			break
		}
	}
	return l.out[:min(len(l.out), mostNoticed)]
}

// listener goes through the sentences of a message.
type listener struct {
	out []Noticed
	// before is how many statements there were before the last sentence: its own
	// can be taken back by the next one.
	before int
	undone bool // the last sentence took something back
}

// pasted reports whether a message was not written for the occasion: the summary
// by which a client goes on after a compaction, a document, a report.
func pasted(message string) bool {
	const mostLines = 40
	if strings.Contains(message[:min(len(message), 400)], "session is being continued") {
		return true
	}
	lines := slices.DeleteFunc(slices.Collect(promptLines(message)), func(line string) bool { return line == "" })
	return len(lines) > mostLines
}

// timed reports whether a time to the second stands in a line, as in logs.
func timed(line string) bool {
	for i := 0; i+8 <= len(line); i++ {
		if s := line[i : i+8]; s[2] == ':' && s[5] == ':' && digits(s[:2]) && digits(s[3:5]) && digits(s[6:]) {
			return true
		}
	}
	return false
}

func digits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

// plainLine reports whether a line is prose: markup, code without a fence and
// pasted output have too many signs, or too few spaces.
func plainLine(line string) bool {
	if timed(line) || startsWithAny(line, `"`, "“", "**", "Human:", "User:", "Assistant:") {
		return false
	}
	signs, letters := 0, 0
	for _, r := range line {
		switch {
		case strings.ContainsRune("{}[]<>=;|\\$*#_", r):
			signs++
		case r != ' ':
			letters++
		}
	}
	return letters >= 4 && signs*12 <= letters
}

func (l *listener) sentence(sentence string) {
	if tags(sentence) && strings.ContainsAny(lastRune(sentence), "?？") {
		l.out = l.out[:min(l.before, len(l.out))]
		return
	}
	parts := splitClauses(sentence)
	undone := false
	last := l.before
	l.before = len(l.out)
	for i := 0; i < len(parts); i++ {
		parts[i].undone = parts[i].undone || l.undone
		undone = undone || parts[i].takesBack()
		l.takeBack(&parts[i], last)
		if !parts[i].tells() {
			continue
		}
		rule, score := parts[i].states()
		if score == 0 {
			continue
		}
		text, end := selfContained(parts, i)
		if parts[i].plans() && rule == "changed" {
			text, end = finished(parts[i].renewed()), i
		}
		i = max(i, end)
		if score < NoticedSure && !names(text) || rule == "changed" && dangles(text) {
			continue
		}
		if text == "" || told(l.out, text) || bounded(rule, text) {
			continue
		}
		l.out = append(l.out, Noticed{Text: text, Topic: noticedTopic(rule, text), Rule: rule, Score: score})
	}
	l.undone = undone
}

// takeBack drops what a clause orders to be another way: the last statement since
// the one numbered from, or the ones about what it names.
func (l *listener) takeBack(c *clause, from int) {
	subject, resets := c.resets()
	switch {
	case resets && subject != "":
		l.out = slices.DeleteFunc(l.out, func(n Noticed) bool {
			return !n.firm() && strings.Contains(strings.ToLower(n.Text), subject)
		})
	case resets || c.takesBack():
		if n := len(l.out); n > from && !l.out[n-1].firm() {
			l.out = l.out[:n-1]
		}
	}
	l.before = min(l.before, len(l.out))
}

// firm reports a decision or a preference.
func (n *Noticed) firm() bool { return n.Topic == memory.Decision || n.Topic == memory.Preference }

// names reports whether a plain fact says what its value is the value of: it has
// a word besides the figures and what everybody does, and points at nothing
// that it does not name itself. Of a change or a decision less is asked, for
// these tell of themselves that they matter.
func names(text string) bool {
	low := " " + strings.ToLower(strings.ReplaceAll(text, "’", "'")) + " "
	if isHanText(low) {
		return true // characters of a subject are not told from others here
	}
	if startsWithAny(low, " suggest ", " provide ", " improve ", " review ", " optimize ", " optimise ", " implement ", " ensure ", " create ", " update ", " refactor ", " check ") {
		return false
	}
	if dangles(text) {
		return false
	}
	return slices.ContainsFunc(strings.Fields(low), func(w string) bool {
		w = strings.Trim(w, ".,:;()\"'`")
		return len(w) >= 3 && !strings.ContainsFunc(w, unicode.IsDigit) && !lists.Words("everyday")[w]
	})
}

// dangles reports whether a text points at something that it does not name.
func dangles(text string) bool {
	low := " " + strings.ToLower(text) + " "
	return slices.ContainsFunc([]string{" it ", " them ", " this one ", " that one ", " these ", " those "}, func(pronoun string) bool {
		before, _, points := strings.Cut(low, pronoun)
		return points && !strings.ContainsAny(before, ",:")
	})
}

func told(out []Noticed, text string) bool {
	return slices.ContainsFunc(out, func(n Noticed) bool { return strings.Contains(n.Text, text) })
}

func noticedTopic(rule, text string) memory.Topic {
	switch rule {
	case "decided", "proposed":
		return memory.Decision
	case "preferred":
		return memory.Preference
	}
	if topic := topicOf(text, ""); topic == memory.Pitfall {
		return topic
	}
	return memory.Fact
}

// selfContained is the text of clause i with as much before it as it needs to
// be understood, and the last clause in it. It is empty when the clause cannot
// be told by itself in the room there is.
func selfContained(parts []clause, i int) (text string, last int) {
	from := i
	for from > 0 && parts[from].leans() {
		from--
		if parts[from].aside() {
			return "", i
		}
	}
	// A relative clause after a plan tells of what is planned for: "I'm trying to
	// raise the coverage, which is 78% now" speaks of the coverage.
	if from < i && parts[from].plans() {
		topic, ok := parts[from].object()
		if !ok {
			return "", i
		}
		predicate := joined(parts[from+1 : i+1])
		return finished(topic + " " + withoutRelative(predicate)), i
	}
	text = joined(parts[from : i+1])
	if from == i && from > 0 && parts[i].bare() {
		before := &parts[from-1]
		if before.aside() {
			return "", i
		}
		if topic, ok := before.object(); ok && before.plans() {
			text = topic + ": " + withoutLead(text)
		} else if !before.plans() {
			if before.leans() || len(strings.Fields(before.text)) < 4 && terms.Width(before.text) < 12 {
				return "", i
			}
			text = before.text + ", " + text
		} else {
			return "", i
		}
	}
	for last = i; last+1 < len(parts) && parts[last+1].continues(); last++ {
		longer := text + ", " + parts[last+1].text
		if utf8.RuneCountInString(longer) > NoticedChars {
			break
		}
		text = longer
	}
	return finished(text), last
}

func joined(parts []clause) string {
	out := make([]string, len(parts))
	for i := range parts {
		out[i] = parts[i].text
	}
	return strings.Join(out, ", ")
}

// finished dresses a text as a statement, or refuses one that is too long or
// says nothing.
func finished(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	text = strings.TrimSpace(withoutLead(strings.TrimRight(text, " ,;:.!。！，；：-–—")))
	n := utf8.RuneCountInString(text)
	if n > NoticedChars || !meaningful(text) || terms.Width(text) < 12 {
		return ""
	}
	return upperFirst(text)
}

// withoutLead drops the words that tie a clause to the one before it.
func withoutLead(text string) string {
	for cut := ""; cut != text; {
		cut = text
		for _, lead := range lists.Phrases("tie") {
			if len(text) > len(lead) && strings.EqualFold(text[:len(lead)], lead) {
				text = strings.TrimLeft(text[len(lead):], " ,，")
			}
		}
	}
	return text
}
