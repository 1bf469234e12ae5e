package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words returns the folded words of a text in order, with repeats: runs of
// letters and digits, unstemmed and not split inside; a run of CJK characters
// is one word.
func Words(text string) []string {
	_, s := fold(text)
	var words []string
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isWord(r) {
			i += size
			continue
		}
		start, cjk := i, isCJK(r)
		for i += size; i < len(s); i += size {
			if r, size = utf8.DecodeRuneInString(s[i:]); !isWord(r) || isCJK(r) != cjk {
				break
			}
		}
		words = append(words, s[start:i])
	}
	return words
}

// Prepared is a text made ready for many calls of [Prepared.Contains].
type Prepared struct{ text string }

// Prepare folds a text once for all the triggers it is held against.
func Prepare(text string) Prepared { return Prepared{phrase(text)} }

// Contains reports whether a trigger or an alias occurs in the text, both
// folded, on word borders; a CJK character borders on anything. Spaces,
// hyphens and underscores between words are alike, other punctuation is not:
// "C++" does not occur in "C". An empty trigger occurs nowhere.
func (p Prepared) Contains(trigger string) bool {
	want := phrase(trigger)
	if want == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(want)
	last, _ := utf8.DecodeLastRuneInString(want)
	for at := 0; ; {
		i := strings.Index(p.text[at:], want)
		if i < 0 {
			return false
		}
		i += at
		before, _ := utf8.DecodeLastRuneInString(p.text[:i])
		after, _ := utf8.DecodeRuneInString(p.text[i+len(want):])
		if border(before, first) && border(last, after) {
			return true
		}
		_, size := utf8.DecodeRuneInString(p.text[i:])
		at = i + size
	}
}

// border reports whether a word ends or begins between two characters.
func border(a, b rune) bool {
	return !isWord(a) || !isWord(b) || isCJK(a) || isCJK(b)
}

// phrase folds s and makes whatever parts its words one space.
func phrase(s string) string {
	_, s = fold(s)
	if !loose(s) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r):
			if len(b) > 0 && b[len(b)-1] != ' ' {
				b = append(b, ' ')
			}
		case (r == '-' || r == '_') && i > 0 && ascii(s[i-1]) && i+1 < len(s) && ascii(s[i+1]):
			b = append(b, ' ')
		default:
			b = append(b, s[i:i+size]...)
		}
		i += size
	}
	return strings.TrimSuffix(string(b), " ")
}

// loose reports whether phrase may have something to do.
func loose(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '-' || c == '_' || c < ' ' || c >= utf8.RuneSelf:
			return true
		case c == ' ' && (i == 0 || i+1 == len(s) || s[i+1] == ' '):
			return true
		}
	}
	return false
}
