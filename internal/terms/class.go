package terms

import (
	"unicode"
	"unicode/utf8"
)

// The classes of ASCII characters. Those from hyphen to slash join words to an
// identifier, the weightiest last; those from digit on are words.
const (
	separator byte = iota
	hyphen         // and underscore
	dot
	slash // and backslash
	digit
	lowerCase
	upperCase
)

var class = [utf8.RuneSelf]byte{
	'-': hyphen, '_': hyphen, '.': dot, '/': slash, '\\': slash,
	'0': digit, '1': digit, '2': digit, '3': digit, '4': digit,
	'5': digit, '6': digit, '7': digit, '8': digit, '9': digit,
	'a': lowerCase, 'b': lowerCase, 'c': lowerCase, 'd': lowerCase, 'e': lowerCase, 'f': lowerCase,
	'g': lowerCase, 'h': lowerCase, 'i': lowerCase, 'j': lowerCase, 'k': lowerCase, 'l': lowerCase,
	'm': lowerCase, 'n': lowerCase, 'o': lowerCase, 'p': lowerCase, 'q': lowerCase, 'r': lowerCase,
	's': lowerCase, 't': lowerCase, 'u': lowerCase, 'v': lowerCase, 'w': lowerCase, 'x': lowerCase,
	'y': lowerCase, 'z': lowerCase,
	'A': upperCase, 'B': upperCase, 'C': upperCase, 'D': upperCase, 'E': upperCase, 'F': upperCase,
	'G': upperCase, 'H': upperCase, 'I': upperCase, 'J': upperCase, 'K': upperCase, 'L': upperCase,
	'M': upperCase, 'N': upperCase, 'O': upperCase, 'P': upperCase, 'Q': upperCase, 'R': upperCase,
	'S': upperCase, 'T': upperCase, 'U': upperCase, 'V': upperCase, 'W': upperCase, 'X': upperCase,
	'Y': upperCase, 'Z': upperCase,
}

// ascii reports whether c is an ASCII letter or digit.
func ascii(c byte) bool { return c < utf8.RuneSelf && class[c] >= digit }

// isWord reports whether r belongs to a word.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return class[r] >= digit
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// isCJK reports whether r is of a script written without spaces between
// words: Chinese characters, kana and bopomofo, and hangul along with them.
func isCJK(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case 0x4e00 <= r && r <= 0x9fff, 0x3400 <= r && r <= 0x4dbf, 0xac00 <= r && r <= 0xd7a3:
		return true
	case 0x1100 <= r && r <= 0x11ff, 0x3005 <= r && r <= 0x3007, 0x3031 <= r && r <= 0x3035,
		0x3041 <= r && r <= 0x31ff, 0xa960 <= r && r <= 0xa97f, 0xd7b0 <= r && r <= 0xd7ff,
		0xf900 <= r && r <= 0xfaff, 0x1aff0 <= r && r <= 0x1b16f, 0x20000 <= r && r <= 0x3ffff:
		return unicode.IsLetter(r) || unicode.IsNumber(r)
	}
	return false
}

// startsWord reports whether s begins with a word that may be a part of an
// identifier.
func startsWord(s string) bool {
	if c := s[0]; c < utf8.RuneSelf {
		return class[c] >= digit
	}
	r, _ := utf8.DecodeRuneInString(s)
	return isWord(r) && !isCJK(r)
}
