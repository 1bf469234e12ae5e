package inert

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// char is one character as it is taken for.
type char struct {
	r    rune   // what stands there, or what an entity or escape stands for
	as   []byte // folded, see [table.fold]; empty for what has no place of its own
	size int    // bytes; 0 at the end of the text
}

// is reports whether the character is taken for an ASCII one.
func (c char) is(b byte) bool { return len(c.as) == 1 && c.as[0] == b }

// blank reports white space of any script.
func (c char) blank() bool { return c.size > 0 && unicode.IsSpace(c.r) }

// nothing reports what only shapes the character before it.
func (c char) nothing() bool { return c.size > 0 && len(c.as) == 0 }

// letter reports letters and digits.
func (c char) letter() bool {
	if len(c.as) == 1 {
		b := c.as[0]
		return 'a' <= b && b <= 'z' || '0' <= b && b <= '9'
	}
	return len(appendLetters(nil, c.as)) > 0
}

// at reads the character at i, with entities and escapes as what they stand
// for. The folded form is good until the next call.
func (m *marker) at(i int, buf *[16]byte) char {
	if i >= len(m.text) {
		return char{}
	}
	m.steps++
	c := m.text[i]
	switch c {
	case '&', '\\', '%':
		if r, size := m.written(i); size > 0 {
			return char{r, m.table.fold(buf[:0], r), size}
		}
	}
	if c < utf8.RuneSelf {
		return char{rune(c), m.table.fold(buf[:0], rune(c)), 1}
	}
	r, size := utf8.DecodeRuneInString(m.text[i:])
	return char{r, m.table.fold(buf[:0], r), size}
}

// written reads a character that is written out: &lt; &#60; &#x3c; \u003c \x3c
// %3c. The size is 0 where none is.
func (m *marker) written(i int) (r rune, size int) {
	s := m.text[i:]
	switch s[0] {
	case '%':
		if r, size = escaped(s, 1, 2); r >= utf8.RuneSelf {
			return 0, 0
		}
		return r, size
	case '\\':
		switch {
		case len(s) < 2:
		case s[1] == 'x':
			return escaped(s, 2, 2)
		case s[1] == 'U':
			return escaped(s, 2, 8)
		case strings.HasPrefix(s, `\u{`):
			if r, size = digits(s[3:], 16); size > 0 && strings.HasPrefix(s[3+size:], "}") {
				return r, 3 + size + 1
			}
		case s[1] == 'u':
			return escaped(s, 2, 4)
		}
		return 0, 0
	}
	at := 1
	for hasFold(s[at:], "amp;") { // escaped more than once
		at += len("amp;")
	}
	if strings.HasPrefix(s[at:], "#") {
		base := rune(10)
		if at++; at < len(s) && (s[at] == 'x' || s[at] == 'X') {
			base = 16
			at++
		}
		if r, size = digits(s[at:], base); size == 0 {
			return 0, 0
		}
		at += size
	} else {
		name := s[at:min(len(s), at+m.table.longestEntity)]
		for n := len(name); n > 0 && size == 0; n-- {
			if c, ok := m.table.entities[strings.ToLower(name[:n])]; ok {
				r, size = c, n
			}
		}
		if size == 0 {
			return 0, 0
		}
		at += size
	}
	if strings.HasPrefix(s[at:], ";") {
		at++
	}
	return r, at
}

// escaped reads exactly n hexadecimal digits at s[from:].
func escaped(s string, from, n int) (r rune, size int) {
	if len(s) < from+n {
		return 0, 0
	}
	if r, size = digits(s[from:from+n], 16); size != n {
		return 0, 0
	}
	return r, from + n
}

// digits reads a number as long as it is; one that is no character is U+FFFD.
func digits(s string, base rune) (r rune, size int) {
	for size < len(s) {
		var d rune
		switch c := rune(s[size]); {
		case '0' <= c && c <= '9':
			d = c - '0'
		case base == 16 && 'a' <= c|0x20 && c|0x20 <= 'f':
			d = c | 0x20 - 'a' + 10
		default:
			return valid(r), size
		}
		r = min(r*base+d, unicode.MaxRune+1)
		size++
	}
	return valid(r), size
}

func valid(r rune) rune {
	if !utf8.ValidRune(r) {
		return utf8.RuneError
	}
	return r
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// gap steps over blanks and what has no place of its own. wide says that there
// were blanks.
func (m *marker) gap(i int) (to int, wide bool) {
	var buf [16]byte
	for {
		c := m.at(i, &buf)
		if !c.blank() && !c.nothing() {
			return i, wide
		}
		wide = wide || c.blank()
		i += c.size
	}
}
