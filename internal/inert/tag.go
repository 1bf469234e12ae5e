package inert

import (
	"unicode"
	"unicode/utf8"
)

// bracket looks at a character that may open a tag, and takes its bracket if it
// does.
func (m *marker) bracket(i int) {
	var buf [16]byte
	c := m.at(i, &buf)
	if c.is('<') && m.tag(i, i+c.size) || c.is('[') && m.square(i+c.size) {
		m.edits = append(m.edits, edit{i, c.size, "("})
	}
}

// tag reports whether the bracket at i, of which the inside begins at inside,
// opens a boundary.
func (m *marker) tag(i, inside int) bool {
	var buf [16]byte
	at, wide := m.gap(inside)
	var closing, bar, bang bool
	for ; ; at, _ = m.gap(at) {
		c := m.at(at, &buf)
		switch {
		case c.is('/'):
			closing = true
		case c.is('|'):
			bar = true
		case c.is('!'):
			bang = true
		case !c.is('?') && !c.is('\\'):
			if bang && (c.is('-') || c.is('[')) {
				return true // a comment, CDATA
			}
			return m.named(i, at, shape{closing: closing, bar: bar, wide: wide})
		}
		at += c.size
	}
}

// shape is how a tag begins.
type shape struct {
	closing bool // with a slash
	bar     bool // as in chat templates, <|
	wide    bool // with blanks behind the bracket
}

// named reports whether the name at a place makes the tag that begins at i a
// boundary.
func (m *marker) named(i, at int, s shape) bool {
	key, end := m.read(at, false)
	if key == "" {
		return false
	}
	whole, wholeEnd := m.read(at, true) // as far as letters and blanks go
	behind, _ := m.gap(wholeEnd)
	var buf [16]byte
	shut := m.at(behind, &buf)
	if s.bar && shut.is('|') || m.table.framed(key) {
		return true
	}
	if (shut.is('>') || s.closing) && m.table.boundary(whole) && whole != key {
		return true // blanks within the name
	}
	if !m.table.boundary(key) {
		return false
	}
	if s.closing || s.bar || m.table.names[key] {
		return true
	}
	glued := m.glued(i)
	next := m.at(end, &buf)
	if glued && m.typeName(at, end) && m.table.types[key] {
		return false // List<User>
	}
	if s.wide || glued {
		return m.shuts(end) // a < user, count<users
	}
	switch {
	case next.size == 0:
		return true
	case next.is(';'), next.is(','), next.is(')'), next.is('('), next.is('+'), next.is('['), next.is('*'), next.is('&'), next.is('.'):
		return false
	}
	return true
}

// read reads a name: its key, and where it ends. Between letters there may be
// separators, and blanks if they are asked for. A name that is too long has no
// key but what it begins with.
func (m *marker) read(i int, blanks bool) (key string, end int) {
	m.name = m.name[:0]
	var buf [16]byte
	end = i
	for len(m.name) < longestName {
		c := m.at(i, &buf)
		switch {
		case c.size == 0:
			return skeleton(m.name), end
		case c.letter():
			m.name = appendLetters(m.name, c.as)
			end = i + c.size
		case c.nothing():
			if end == i {
				end += c.size
			}
		case len(m.name) > 0 && (c.is('-') || c.is('_') || c.is('.') || c.is(':') || c.is('~')):
		case len(m.name) > 0 && blanks && c.blank():
		default:
			return skeleton(m.name), end
		}
		i += c.size
	}
	return skeleton(m.name), end
}

// glued reports whether a bracket stands right behind a name, as where a program
// names the type within a type.
func (m *marker) glued(i int) bool {
	r, size := utf8.DecodeLastRuneInString(m.text[:i])
	if r == ':' {
		r, _ = utf8.DecodeLastRuneInString(m.text[:i-size])
		return r == ':'
	}
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// typeName reports whether a name is spelled as types are.
func (m *marker) typeName(from, to int) bool {
	small := false
	for i := from; i < to; i++ {
		c := m.text[i]
		if !('A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' && i > from) {
			return false
		}
		small = small || c >= 'a'
	}
	return small
}

// shuts reports whether a tag goes on like one behind its name: with its closing
// bracket or with an attribute.
func (m *marker) shuts(end int) bool {
	var buf [16]byte
	at, wide := m.gap(end)
	c := m.at(at, &buf)
	for c.is('/') || c.is('?') || c.is('|') {
		at, _ = m.gap(at + c.size)
		c = m.at(at, &buf)
	}
	if c.is('>') {
		return true
	}
	if !wide || !c.letter() {
		return false
	}
	_, at = m.read(at, false)
	at, _ = m.gap(at)
	if !m.at(at, &buf).is('=') {
		return false
	}
	at, _ = m.gap(at + 1)
	c = m.at(at, &buf)
	return c.is('"') || c.is('\'') || c.letter()
}

// square reports whether what stands behind a square bracket makes it a mark of
// a chat template. Those are not written in small letters, regs[inst] is no
// mark.
func (m *marker) square(inside int) bool {
	var buf [16]byte
	at, _ := m.gap(inside)
	if c := m.at(at, &buf); c.is('/') {
		at, _ = m.gap(at + c.size)
	}
	key, end := m.read(at, false)
	if !m.table.squares[key] {
		return false
	}
	for _, c := range []byte(m.text[at:end]) {
		if !('a' <= c && c <= 'z') && c != '_' && c != '-' {
			return true
		}
	}
	return false
}
