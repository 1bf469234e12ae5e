package inert

import (
	"strings"
	"unicode/utf8"
)

// ornaments may stand before and around what a line says: quotes, bullets,
// emphasis, rulers.
const ornaments = ">-*+_~`\"'#|=[]•·“”「」"

// emphatic are the ornaments that set a line off as headings are, # alone and
// the others when they are repeated.
const emphatic = "#*_=-~"

func (c char) among(set string) bool {
	r, size := utf8.DecodeRune(c.as)
	return size > 0 && size == len(c.as) && strings.ContainsRune(set, r)
}

// line looks at how the line at i begins.
func (m *marker) line(i int) {
	i, heading := m.start(i)
	var buf [16]byte
	first := m.at(i, &buf)
	letter, _ := utf8.DecodeRune(appendLetters(nil, first.as))
	switch {
	case first.size == 0 || first.r == '\n':
	case m.table.signs[first.r]:
		end := i + first.size
		for c := m.at(end, &buf); c.nothing(); c = m.at(end, &buf) {
			end += c.size
		}
		m.wrap(i, end)
	case m.table.speakers[letter] && m.turn(i, heading):
	case m.table.openers[letter]:
		m.title(i)
	}
}

// start steps over blanks, ornaments and numbers of a list, and says whether
// they make a heading of the line.
func (m *marker) start(i int) (at int, heading bool) {
	var buf [16]byte
	var before rune
	for {
		c := m.at(i, &buf)
		switch {
		case c.size == 0 || c.r == '\n':
			return i, heading
		case c.blank(), c.nothing():
		case c.among(ornaments):
			heading = heading || c.is('#') || c.r == before && c.among(emphatic)
			before = c.r
		default:
			n := numeral(m.text[i:])
			if n == 0 {
				return i, heading
			}
			c.size = n
		}
		i += c.size
	}
}

// numeral is the length of the number of a list: 1. or 2)
func numeral(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	if n > 0 && n < len(s) && (s[n] == '.' || s[n] == ')') {
		return n + 1
	}
	return 0
}

// turn wraps the role at i, if one speaks there.
func (m *marker) turn(i int, heading bool) bool {
	m.name = m.name[:0]
	var buf [16]byte
	plain := !heading
	for at, end := i, i; len(m.name) < longestName; {
		c := m.at(at, &buf)
		switch {
		case c.size == 0 || c.r == '\n' || c.is(':'):
			key := skeleton(m.name)
			speaks := c.is(':') && m.table.roles[key] && !(plain && m.setting(i, end, at+c.size))
			if !speaks && !(heading && m.table.turns[key] && m.rest(at)) {
				return false
			}
			m.wrap(i, end)
			return true
		case c.letter():
			m.name = appendLetters(m.name, c.as)
			end = at + c.size
		case c.nothing():
			if end == at {
				end += c.size
			}
		case c.among(ornaments):
			plain = false
		case !c.blank():
			return false
		}
		at += c.size
	}
	return false
}

// rest reports whether nothing more is said on the line from i on.
func (m *marker) rest(i int) bool {
	var buf [16]byte
	for {
		c := m.at(i, &buf)
		if c.size == 0 || c.r == '\n' {
			return true
		}
		if !c.blank() && !c.nothing() && !c.is(':') && !c.among(ornaments) {
			return false
		}
		i += c.size
	}
}

// setting reports whether a role is the key of a settings file: in small
// letters, with one word behind it.
func (m *marker) setting(from, to, value int) bool {
	word := m.text[from:to]
	for _, c := range []byte(word) {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	rest, _, _ := strings.Cut(m.text[value:], "\n")
	return m.table.keys[skeleton([]byte(word))] && len(strings.Fields(rest)) == 1
}

// title wraps a line that says what one of our own headings says.
func (m *marker) title(i int) {
	m.name = m.name[:0]
	var buf [16]byte
	end := i
	for at := i; ; {
		c := m.at(at, &buf)
		if c.size == 0 || c.r == '\n' {
			break
		}
		if c.letter() {
			if m.name = appendLetters(m.name, c.as); len(m.name) > 2*m.table.longestTitle {
				return
			}
			end = at + c.size
		} else if c.nothing() && end == at {
			end += c.size
		}
		at += c.size
	}
	if m.table.titles[skeleton(m.name)] {
		m.wrap(i, end)
	}
}
