package terms

import (
	"strings"
	"sync/atomic"

	"github.com/kljensen/snowball/english"
)

// Stemming costs a hundred times the rest of a word's way, so words no rule
// can touch are passed by, and the stems of others are remembered.
const remembered = 1 << 12 // a power of two

// stemmed is a word and its stem.
type stemmed struct{ word, stem string }

// stems are those of words that came up in this process. A word takes the place of
// another one with the same hash.
var stems [remembered]atomic.Pointer[stemmed]

// stem returns the stem of a word of lower-case ASCII letters. Words of up to
// three letters are their own, but for a plural such as ids.
func stem(w string) string {
	if len(w) == 3 && w[2] == 's' && vowel(w[0]) && !vowel(w[1]) && w[1] != 's' && w[1] != 'w' {
		return w[:2]
	}
	if len(w) <= 3 || !inflected(w) {
		return w
	}
	h := uint32(2166136261)
	for i := range len(w) {
		h = (h ^ uint32(w[i])) * 16777619
	}
	at := &stems[(h^h>>16)%remembered]
	if known := at.Load(); known != nil && known.word == w {
		return known.stem
	}
	fresh := &stemmed{word: strings.Clone(w)} // not all the text that it stands in
	fresh.stem = english.Stem(fresh.word, true)
	at.Store(fresh)
	return fresh.stem
}

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
