package reader

import (
	"unicode"
	"unicode/utf8"
)

// Length counts the words and Chinese characters of a text.
func Length(text string) int {
	n := 0
	in := false
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch {
		case unicode.Is(unicode.Han, r):
			n++
			in = false
		case word(r):
			if !in {
				n++
			}
			in = true
		default:
			in = false
		}
	}
	return n
}
