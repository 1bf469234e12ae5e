package terms

import (
	"github.com/kljensen/snowball/english"

	"orihon/internal/memo"
)

// Stemming costs a hundred times the rest of a word's way, so words no rule
// can touch are passed by, and the stems of others are remembered.
var stems memo.Words[string]

// stem returns the stem of a word of lower-case ASCII letters. Words of up to
// three letters are their own, but for a plural such as ids.
func stem(w string) string {
	if len(w) == 3 && w[2] == 's' && vowel(w[0]) && !vowel(w[1]) && w[1] != 's' && w[1] != 'w' {
		return w[:2]
	}
	if len(w) <= 3 || !inflected(w) {
		return w
	}
	return stems.Of(w, snowball)
}

func snowball(w string) string { return english.Stem(w, true) }

// inflected reports whether a rule of the stemmer may apply to a word, judged
// by its ending: false is certain.
func inflected(w string) bool {
	n := len(w)
	before := w[n-2]
	switch w[n-1] {
	case 's', 'e', 'y', 'l', 'i':
		return true
	case 'd':
		return before == 'e'
	case 'g', 'n':
		return before == 'n' && w[n-3] == 'i' || before == 'o' && w[n-3] == 'i'
	case 'r':
		return before == 'e' || before == 'o'
	case 'c':
		return before == 'i'
	case 't':
		return before == 'n'
	case 'm':
		return before == 's'
	}
	return false
}

func vowel(c byte) bool {
	return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'
}
