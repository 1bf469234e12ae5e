// Package tokens estimates what a text costs a language model, and cuts texts
// to a number of tokens.
//
// The estimate is by kind of character and needs no vocabulary; it is the unit
// of every budget, and is not meant for billing. Start with [Estimate].
package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Costs in quarters of a token.
const (
	perToken = 4
	cjk      = 6
	other    = 1
)

// Estimate returns the tokens of s: 1.5 for a CJK character, 0.25 for any
// other, rounded up. A byte that is not UTF-8 counts as one other character.
// More valid text never costs less.
func Estimate(s string) int { return (Quarters(s) + perToken - 1) / perToken }

// Quarters is the estimate before it is rounded, in quarters of a token: those
// of two texts add up to those of both together, if each is valid UTF-8.
func Quarters(s string) int {
	quarters := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			quarters += other
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		quarters += cost(r)
		i += size
	}
	return quarters
}

// Fit returns s, or as much of its beginning as costs at most limit tokens. It
// ends where a sentence or a line ends if one does in its second half, else
// between two words if it can, and always between two characters. No mark is
// left where the text was cut.
func Fit(s string, limit int) string {
	if limit <= 0 {
		return ""
	}
	if len(s) <= limit { // no character costs more than its bytes
		return s
	}
	quarters, end := 0, len(s)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if quarters += cost(r); (quarters+perToken-1)/perToken > limit {
			end = i
			break
		}
		i += size
	}
	if end == len(s) {
		return s
	}
	return strings.TrimRightFunc(s[:border(s, end)], unicode.IsSpace)
}

// border returns the best place to end s at or before end, which is inside s.
func border(s string, end int) int {
	word := 0 // the last border between words
	after, _ := utf8.DecodeRuneInString(s[end:])
	for i := end; i > end/2; {
		before, size := utf8.DecodeLastRuneInString(s[:i])
		switch {
		case ends(before, after):
			return i
		case word == 0 && (unicode.IsSpace(after) || unicode.IsSpace(before) || isCJK(before) && !closes(after)):
			word = i
		}
		after = before
		i -= size
	}
	if word > 0 {
		return word
	}
	return end
}

// ends reports whether a sentence or a line ends between two characters.
func ends(before, after rune) bool {
	switch before {
	case '\n', '。', '\uff01', '\uff1f', '\uff1b': // full-width ! ? ;
		return !closes(after)
	case '.', '!', '?':
		return unicode.IsSpace(after)
	}
	return false
}

// closes reports punctuation that belongs to what stands before it.
func closes(r rune) bool {
	return r != '\n' && !unicode.IsLetter(r) && unicode.In(r, unicode.Pe, unicode.Pf, unicode.Po)
}

func cost(r rune) int {
	if isCJK(r) {
		return cjk
	}
	return other
}

// isCJK reports Chinese characters, kana, bopomofo, hangul, and the
// punctuation and full-width forms that go with them.
func isCJK(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x11ff, 0x2e80 <= r && r <= 0x9fff, 0xa960 <= r && r <= 0xa97f,
		0xac00 <= r && r <= 0xd7ff, 0xf900 <= r && r <= 0xfaff, 0xfe30 <= r && r <= 0xfe4f,
		0xff00 <= r && r <= 0xffef, 0x1aff0 <= r && r <= 0x1b16f, 0x20000 <= r && r <= 0x3ffff:
		return true
	}
	return false
}
