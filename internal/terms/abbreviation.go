package terms

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed abbreviations.txt
var abbreviationLists Lists

var abbreviations = abbreviationLists.Keep()

// Abbreviated reports whether a text ends in an abbreviation whose full stop ends no
// sentence, given what follows it.
func Abbreviated(text, after string) bool {
	before := strings.TrimRightFunc(text, func(r rune) bool { return r == '.' || unicode.Is(unicode.Latin, r) })
	short, stop := strings.CutSuffix(text[len(before):], ".")
	low := strings.ToLower(short)
	before, after = strings.TrimRight(before, " "), strings.TrimLeft(after, " ")
	next, _ := utf8.DecodeRuneInString(after)
	number, small := unicode.IsDigit(next), unicode.IsLower(next)
	is := func(kind string) bool { return abbreviations.Words(kind)[low] }
	switch {
	case !stop || strings.HasSuffix(low, "."), allLarge(short):
		return false // "Wait...", "the NO."
	case is("leading"):
		return true
	case is("title"):
		return number || small || !measures(before)
	case is("open"), initials(low):
		return number || small
	case is("numbered"):
		return number
	}
	return before != "" && titled(short) && !small && !isStop(strings.ToLower(firstOf(after)))
}

// measures reports whether a text ends in a digit, behind which stands a unit.
func measures(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsDigit(last)
}

// allLarge reports whether a word is written in large letters alone, as names are.
func allLarge(s string) bool {
	return len(s) > 1 && !strings.Contains(s, ".") && strings.ToUpper(s) == s
}

// titled reports whether a word within a sentence begins large and has no vowel, as no
// word of English has: Bgm. What follows is then a name.
func titled(s string) bool {
	const longest = 5
	low := strings.ToLower(s)
	return len(s) > 1 && len(s) <= longest && s[0] != low[0] && s[1:] == low[1:] && !strings.ContainsAny(low, "aeiouyäöü.")
}

// initials reports whether a text in lower case is letters with a full stop between
// them: p.m, u.s.
func initials(low string) bool {
	letters := strings.Split(low, ".")
	return len(letters) > 1 && !slices.ContainsFunc(letters, func(l string) bool { return utf8.RuneCountInString(l) != 1 })
}

func firstOf(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}
