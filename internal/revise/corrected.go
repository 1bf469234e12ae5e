package revise

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/terms"
)

//go:embed words.txt
var lists terms.Lists

var (
	turning        = lists.Words("turning")
	beside         = lists.Words("beside")
	chineseTurning = lists.Phrases("chinese-turning")
	chineseBeside  = lists.Phrases("chinese-beside")
)

// Corrected is a statement with the value that a short correction right behind it gives in
// place of its own: "no wait, make that 60s". It reports false where the prompt says
// anything else, does not turn back, or leaves open which value it means.
func Corrected(prompt, told string) (now string, ok bool) {
	if strings.ContainsAny(prompt, "?？") {
		return "", false
	}
	said, _ := terms.Specifics(prompt)
	kept, _ := terms.Specifics(told)
	values := lacking(said, kept)
	if len(values) != 1 {
		return "", false
	}
	value := inCase(prompt, values[0])
	if taken := slices.DeleteFunc(slices.Clone(kept), func(k string) bool { return len(lacking([]string{k}, said)) > 0 }); len(taken) > 0 {
		kept = taken // "5, not 4"
	}
	for _, k := range kept {
		with, fits := exchanged(told, k, value)
		if !fits {
			continue
		}
		if now != "" {
			return "", false
		}
		now = with
	}
	if now == "" || !onlyTurns(prompt, said, told) {
		return "", false
	}
	return now, true
}

// exchanged is a text with another value in place of one of its own, which are of one sort
// and stand with the same unit, or one of them with none.
func exchanged(text, old, value string) (string, bool) {
	at := strings.Index(strings.ToLower(text), old)
	if at < 0 || len(strings.ToLower(text)) != len(text) || !terms.Comparable(old, value) {
		return "", false
	}
	before, behind := text[:at], text[at+len(old):]
	if strings.Contains(strings.ToLower(behind), old) || inWord(utf8.DecodeRuneInString(behind)) || inWord(utf8.DecodeLastRuneInString(before)) {
		return "", false // it stands there twice, or inside a word
	}
	switch unit, mine := unitOf(strings.ToLower(value)), unitOf(old); {
	case unit == mine:
	case unit == "" && mine != "th":
		value += old[len(terms.Bare(old)):]
	case mine == "":
		word, ok := strings.CutPrefix(behind, " ")
		if !ok || !strings.HasPrefix(strings.ToLower(word), unit) {
			return "", false
		}
		behind = strings.TrimLeftFunc(word, unicode.IsLetter)
	default:
		return "", false
	}
	return before + value + behind, true
}

// unitOf are the letters at the end of a value, the same for all days of a month.
func unitOf(value string) string {
	unit := value[len(terms.Bare(value)):]
	if slices.Contains([]string{"st", "nd", "rd"}, unit) {
		return "th"
	}
	return unit
}

// onlyTurns reports whether a prompt takes a word back and says nothing else but values and
// what a statement says, too.
func onlyTurns(prompt string, values []string, told string) bool {
	rest := strings.ToLower(prompt)
	for _, v := range values {
		rest = strings.ReplaceAll(rest, v, " ")
	}
	rest = strings.ReplaceAll(terms.Fold(rest), "’", "'")
	turns := false
	for _, p := range chineseTurning() {
		turns = turns || strings.Contains(rest, p)
	}
	for _, p := range slices.Concat(chineseTurning(), chineseBeside()) {
		rest = strings.ReplaceAll(rest, p, " ")
	}
	told = terms.Fold(told)
	known := make(map[string]bool)
	for _, w := range terms.Words(told) {
		known[w] = true
	}
	for _, w := range strings.FieldsFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
		turns = turns || turning()[w]
		chinese := strings.IndexFunc(w, func(r rune) bool { return !unicode.Is(unicode.Han, r) || !strings.ContainsRune(told, r) }) < 0
		if !turning()[w] && !beside()[w] && !known[w] && !chinese {
			return false
		}
	}
	return turns
}

// inCase is a value as a text writes it.
func inCase(text, value string) string {
	if at := strings.Index(strings.ToLower(text), value); at >= 0 && len(strings.ToLower(text)) == len(text) {
		return text[at : at+len(value)]
	}
	return value
}

// inWord reports whether a character, and its size, is one of a word in Latin letters.
func inWord(r rune, size int) bool {
	return size == 1 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
