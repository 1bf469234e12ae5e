package terms

import "github.com/kljensen/snowball/english"

// Stemming costs a hundred times the rest of a word's way, so words no rule
// can touch are passed by, and in longer texts stems are remembered.
const (
	rememberFrom = 1 << 10 // bytes of text
	remembered   = 512     // a power of two
)

// stemmer reduces English words to their stems. The zero value works.
type stemmer struct {
	seen *[remembered]struct{ word, stem string }
}

// grow prepares for a text of size bytes.
func (t *stemmer) grow(size int) {
	if size >= rememberFrom {
		t.seen = new([remembered]struct{ word, stem string })
	}
}

// stem returns the stem of a word of lower-case ASCII letters. Words of up to
// three letters are their own, but for a plural such as ids.
func (t *stemmer) stem(w string) string {
	if len(w) == 3 && w[2] == 's' && vowel(w[0]) && !vowel(w[1]) && w[1] != 's' && w[1] != 'w' {
		return w[:2]
	}
	if len(w) <= 3 || !inflected(w) {
		return w
	}
	if t.seen == nil {
		return english.Stem(w, true)
	}
	h := uint32(2166136261)
	for i := range len(w) {
		h = (h ^ uint32(w[i])) * 16777619
	}
	e := &t.seen[(h^h>>16)%remembered]
	if e.word != w {
		e.word, e.stem = w, english.Stem(w, true)
	}
	return e.stem
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
