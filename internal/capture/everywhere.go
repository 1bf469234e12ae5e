package capture

import (
	"slices"
	"strings"
	"unicode"

	"orihon/internal/meaning"
	"orihon/internal/reader"
	"orihon/internal/terms"
)

// Everywhere reports whether a statement seems to hold in whatever its speaker works
// on: it tells of their own ways, and names nothing that only one project knows. Nobody
// should be taken at that word unasked.
func Everywhere(text string) bool {
	if !ofOneself(text) || slices.ContainsFunc(terms.Query(text), func(w string) bool { return meaning.Builtin().Rarity(w) >= 1 }) {
		return false
	}
	begins := oneself(firstWord(plain(text))) || strings.HasPrefix(plain(text), "我")
	return !slices.ContainsFunc(reader.Read(text), func(s reader.Statement) bool {
		return s.Kind != reader.Preference && (s.Kind != reader.Instruction || !begins)
	})
}

// ofOneself reports whether somebody speaks of their own ways.
func ofOneself(text string) bool {
	return strings.Contains(plain(text), "我") || slices.ContainsFunc(strings.FieldsFunc(plain(text), func(r rune) bool { return r != '\'' && !unicode.IsLetter(r) }), oneself)
}

func oneself(word string) bool { return lists.Words("oneself")[word] }

// plain is a text in small letters, without the Chinese for "we".
func plain(text string) string {
	return strings.NewReplacer("’", "'", "我们", "", "我們", "").Replace(strings.ToLower(text))
}
