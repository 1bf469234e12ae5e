package redact

import "strings"

// charset is a set of bytes.
type charset uint8

const (
	alnum       charset = iota + 1
	wordDash            // alnum _ -
	wordDashDot         // alnum _ - .
	wordSlash           // alnum /
	base64Set           // alnum + / = and % for its escaped form
	base64url           // alnum _ - =
	random              // what a token in prose may hold: alnum _ - + / = ~
	bearing             // what stands in a header: random . :
	loose               // a value without quotes in code or prose, ASCII only
	tight               // a value without quotes that is clearly data
	spoken              // a password in a sentence
	query               // the same within an address or a form
	lowers              // small letters and digits
	uppers              // capitals and digits
	digits
	hexes
	letters
	wordDotEqual // alnum _ - . =
	tilde        // alnum _ - . ~
	address      // what addresses hold, without the signs that end a query
	charsets     // how many there are
)

func (c charset) has(b byte) bool {
	switch c {
	case lowers:
		return isLower(b) || isDigit(b)
	case uppers:
		return isUpper(b) || isDigit(b)
	case digits:
		return isDigit(b)
	case hexes:
		return isHex(b)
	case letters:
		return isLower(b | 0x20)
	}
	if isLower(b|0x20) || isDigit(b) {
		return true
	}
	switch c {
	case alnum:
		return false
	case wordDash:
		return b == '_' || b == '-'
	case wordDashDot:
		return b == '_' || b == '-' || b == '.'
	case wordSlash:
		return b == '/'
	case base64Set:
		return b == '+' || b == '/' || b == '=' || b == '%'
	case base64url:
		return b == '_' || b == '-' || b == '='
	case wordDotEqual:
		return b == '_' || b == '-' || b == '.' || b == '='
	case tilde:
		return b == '_' || b == '-' || b == '.' || b == '~'
	case address:
		return b > ' ' && b < 0x7f && strings.IndexByte("\"'`<>()[]{}\\,;", b) < 0
	case random:
		return strings.IndexByte("_-+/=~", b) >= 0
	case bearing:
		return strings.IndexByte("_-+/=~.:", b) >= 0
	case loose:
		return b > ' ' && b < 0x7f && strings.IndexByte("\"'`,;)}]<>|&", b) < 0
	case tight:
		return b > ' ' && b != 0x7f && strings.IndexByte("\"'`;", b) < 0
	case spoken:
		return b > ' ' && b < 0x7f && b != '"' && b != '`' && b != '\''
	case query:
		return b > ' ' && b < 0x7f && strings.IndexByte("\"'`;&#<>)}],", b) < 0
	}
	return false
}

// all reports whether a text has no byte outside of the set.
func (c charset) all(s string) bool {
	for i := range len(s) {
		if !c.has(s[i]) {
			return false
		}
	}
	return true
}

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }

func isUpper(b byte) bool { return 'A' <= b && b <= 'Z' }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isHex(b byte) bool { return isDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'f' }

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

// wordStart reports whether a token may begin at i: not in the middle of a
// word. The letter of an escaped newline or tab (\n) and an escaped byte of an
// address (%3D) end a word too.
func wordStart(s string, i int) bool {
	if i == 0 || !alnum.has(s[i-1]) {
		return true
	}
	if i >= 2 && s[i-2] == '\\' && strings.IndexByte("nrt", s[i-1]) >= 0 {
		return true
	}
	return i >= 3 && s[i-3] == '%' && isHex(s[i-2]) && isHex(s[i-1])
}

// escaped reports whether the backslash at i begins an escape that ends a
// value: a newline, a tab or a quote inside a quoted text.
func escaped(s string, i int) bool {
	return i+1 < len(s) && strings.IndexByte(`nrt"'\`, s[i+1]) >= 0
}

// hasFoldedPrefix reports whether s begins with an ASCII text in any case.
func hasFoldedPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
