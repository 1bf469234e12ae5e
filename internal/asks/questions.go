package asks

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/reader"
	"orihon/internal/terms"
)

//go:embed words.txt
var lists terms.Lists

var (
	openers        = lists.Words("openers")
	leads          = lists.Phrases("leads")
	prepositions   = lists.Words("prepositions")
	asking         = lists.Words("question-words")
	contracted     = lists.Words("contracted")
	measures       = lists.Words("measures")
	auxiliaries    = lists.Words("auxiliaries")
	doubtful       = lists.Words("doubtful-auxiliaries")
	noSubjects     = lists.Words("no-subjects")
	subjects       = lists.Words("subjects")
	determiners    = lists.Words("determiners")
	lasting        = lists.Words("lasting")
	chineseSays    = lists.Phrases("chinese-says")
	chinese        = lists.Phrases("chinese")
	chineseEnds    = lists.Phrases("chinese-ends")
	chineseWhether = lists.Phrases("chinese-whether")
	chineseAfter   = lists.Phrases("chinese-after")
	chineseAny     = lists.Phrases("chinese-any")
)

// Only reports whether a text is questions and nothing else: "the build runs at 3, why
// does nobody look?" says something first.
func Only(text string) bool {
	all := Clauses(WithoutGreeting(text))
	return len(all) > 0 && !slices.ContainsFunc(all, func(s string) bool { return !Question(s) || tellsBeside(s) })
}

// Share is the share of a text that is questions, whatever it asks for, 0..1.
func Share(text string) float64 {
	all, asking := 0, 0
	for _, s := range Clauses(WithoutGreeting(text)) {
		n := utf8.RuneCountInString(s)
		if all += n; Question(s) {
			asking += n
		}
	}
	return float64(asking) / float64(max(1, all))
}

// Brief reports whether a text is a few words that the reader takes for nothing, with no
// figure and none of the words that even the shortest statements have: an order for now
// like "carry on" or "install date-fns".
func Brief(text string) bool {
	const few, likely = 4, 0.6
	folded := terms.Fold(text)
	says := strings.ContainsFunc(folded, unicode.IsDigit) ||
		slices.ContainsFunc(chineseSays(), func(s string) bool { return strings.Contains(folded, s) }) ||
		slices.ContainsFunc(terms.Words(folded), func(w string) bool { return auxiliaries()[w] || subjects()[w] || lasting()[w] })
	return !says && len(terms.Query(text)) <= few && reader.Tone(text)[0] >= likely
}

// Clauses cuts a text at the ends of its sentences, and at semicolons.
func Clauses(text string) []string {
	var out []string
	for s := range terms.Sentences(text) {
		out = append(out, strings.Split(strings.ReplaceAll(s, "；", "; "), "; ")...)
	}
	return out
}

// tellsBeside reports whether a question says something beside what it asks: before it,
// or also behind it where no sign says that it asks to its end.
func tellsBeside(question string) bool {
	parts := strings.FieldsFunc(question, func(r rune) bool { return strings.ContainsRune(",，;；", r) })
	if signed(question) {
		parts = parts[:max(0, len(parts)-1)]
	}
	return slices.ContainsFunc(parts, tells)
}

// tells reports whether a part of a sentence says something. In Chinese a blank may stand
// for a comma, or beside a name.
func tells(part string) bool {
	const least, between = 3, 5 // words that say something: of the part, of what stands between blanks
	if !Question(part) {
		return len(terms.Query(part)) >= least
	}
	if !strings.ContainsFunc(part, han) {
		return false
	}
	said := 0
	for _, field := range strings.Fields(part) {
		switch {
		case Question(field):
			said = 0
		case strings.ContainsFunc(field, han):
			said += len(terms.Query(field))
		}
		if said >= between {
			return true
		}
	}
	return false
}

func han(r rune) bool { return unicode.Is(unicode.Han, r) }

// Question reports whether a sentence is one, by its sign, or by its words where people
// leave the sign out.
func Question(sentence string) bool {
	folded := terms.Fold(strings.TrimSpace(sentence))
	switch {
	case signed(folded):
		return true
	case strings.ContainsFunc(folded, han):
		return asksInChinese(folded)
	}
	return asksInEnglish(terms.Words(folded))
}

// signed reports whether a text holds a question mark that is no part of an address.
func signed(text string) bool {
	for i, r := range text {
		if r != '?' && r != '？' {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):]); r == '？' || !unicode.IsLetter(next) && !unicode.IsDigit(next) {
			return true
		}
	}
	return false
}

func asksInChinese(folded string) bool {
	held := func(s string) bool { return strings.Contains(folded, s) }
	end := strings.TrimRightFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, after := range chineseAfter() {
		end = strings.TrimSuffix(end, after)
	}
	ends := func(s string) bool { return strings.HasSuffix(end, s) }
	return slices.ContainsFunc(chineseEnds(), ends) || slices.ContainsFunc(chineseWhether(), held) || asksByChoice(folded) ||
		slices.ContainsFunc(chinese(), held) && !slices.ContainsFunc(chineseAny(), held)
}

// asksByChoice reports whether a text asks whether something is so or not: 是不是, 得唔得.
func asksByChoice(folded string) bool {
	runes := []rune(folded)
	for i := 1; i+1 < len(runes); i++ {
		if (runes[i] == '不' || runes[i] == '唔') && runes[i-1] == runes[i+1] && unicode.Is(unicode.Han, runes[i-1]) {
			return true
		}
	}
	return false
}

func asksInEnglish(words []string) bool {
	for len(words) > 0 && openers()[words[0]] {
		words = words[1:]
	}
	for _, lead := range leads() {
		if rest, ok := after(words, lead); ok && len(rest) > 0 && (asking()[rest[0]] || contracted()[rest[0]] || rest[0] == "if" || rest[0] == "whether") {
			return true
		}
	}
	if len(words) > 1 && prepositions()[words[0]] && asking()[words[1]] {
		words = words[1:]
	}
	if len(words) < 2 {
		return false
	}
	first, second := words[0], words[1]
	switch {
	case contracted()[first]:
		return true
	case first == "who":
		return !subjects()[second] && !determiners()[second]
	case first == "how":
		return auxiliary(second) || measures()[second]
	case first == "what" || first == "which" || first == "whose":
		if subjects()[second] || determiners()[second] {
			return false
		}
		return auxiliary(second) && first != "which" || slices.ContainsFunc(words[2:min(len(words), 5)], auxiliary)
	case asking()[first]:
		return auxiliary(second)
	case auxiliaries()[first]:
		return !noSubjects()[second]
	case doubtful()[first]:
		return subjects()[second] || first == "do" && len(words) > 3 && unicode.IsDigit(rune(second[0]))
	}
	return false
}

func auxiliary(word string) bool { return auxiliaries()[word] || doubtful()[word] }

// after returns the words behind those of a phrase that they begin with.
func after(words []string, phrase string) ([]string, bool) {
	lead := strings.Fields(phrase)
	if len(words) < len(lead) || !slices.Equal(words[:len(lead)], lead) {
		return words, false
	}
	return words[len(lead):], true
}
