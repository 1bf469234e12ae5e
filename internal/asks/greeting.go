package asks

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/terms"
)

var (
	greetings      = lists.Phrases("greetings")
	greetingsAlone = lists.Phrases("greetings-alone")
)

// WithoutGreeting is a text without the greeting that it begins with: "Good morning. Which
// …" asks about no morning. A text that only greets stays as it is.
func WithoutGreeting(text string) string {
	const longest = 24 // bytes, with blanks
	text = strings.TrimSpace(text)
	folded := terms.Fold(text[:min(len(text), longest)])
	best := 0 // characters; folding keeps their number
	for _, g := range greetings() {
		best = max(best, leading(folded, g, func(next rune) bool { return unicode.IsPunct(next) && next != '\'' && next != '-' }))
	}
	for _, g := range greetingsAlone() {
		best = max(best, leading(folded, g, func(next rune) bool { return !unicode.IsLetter(next) }))
	}
	rest := text
	for range best {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	rest = strings.TrimLeftFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) })
	if best == 0 || rest == "" {
		return text
	}
	return rest
}

// leading is how many characters of a text a greeting is that it begins with, where what
// follows ends it; 0 for none.
func leading(folded, greeting string, ends func(next rune) bool) int {
	rest, ok := strings.CutPrefix(folded, greeting)
	if next, _ := utf8.DecodeRuneInString(rest); !ok || rest != "" && !ends(next) {
		return 0
	}
	return utf8.RuneCountInString(greeting)
}
