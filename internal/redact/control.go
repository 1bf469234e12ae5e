package redact

import "strings"

// Printable is text without the sequences that steer a terminal, see [Shown], and
// without the other control characters that a text file cannot hold or does not
// show: NUL and its like. Line breaks and tabs stay. What is no UTF-8 becomes U+FFFD.
//
// It comes before all else that looks at foreign text: a NUL within a secret
// must not hide it.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if control(r) {
			return -1
		}
		return r
	}, Shown(strings.ToValidUTF8(s, "\ufffd")))
}

func control(r rune) bool {
	return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f
}
