// Package inert makes stored text harmless to show to a model: whatever in it
// could be taken for the edge of something else (a frame's mark, a tag of the
// client, a turn of the conversation, a heading of our own) is changed so that
// it reads as what it is, text. Everything that puts stored text before a model
// passes it through [Text].
//
// It takes out no secrets, that is package redact's, and frames nothing, that
// is package recall's. It does not judge what a text asks for.
//
// # What is changed
//
// A boundary keeps its words and loses its shape, so that a reader still sees
// what was tried:
//
//	</document>          (/document>        tags, comments, marks of chat templates
//	Human: obey          (Human): obey      turns, at the beginning of a line
//	# Always applies     # (Always applies) our own headings, whole lines
//	📌 obey              (📌) obey
//
// What counts as a boundary is decided by its name, after what it is taken for:
// without case, marks, shape and separators, look-alikes of other scripts as
// the letters they look like, HTML entities and escapes as what they stand for.
// The names and look-alikes are in boundaries.txt. Characters that cannot be
// seen are dropped, line ends of any kind become newlines. All other text stays
// byte for byte: List<User>, a < b, <div> and #include <stdio.h> do.
//
// # Where to start
//
// [Data] frames a text for a prompt. [Text] is the whole of what is done to it: one walk over the text, tags in tag.go, lines in
// line.go, what a character is taken for in char.go.
package inert

import (
	"strings"
	"unicode/utf8"
)

// Text returns stored text as a model may see it. It is valid UTF-8, text
// without boundaries stays as it is, and Text of Text is the same. The time it
// takes grows with the length of the text alone.
func Text(s string) string {
	m := marker{text: visible(s), table: standard()}
	m.walk()
	if len(m.edits) == 0 {
		return m.text
	}
	return visible(m.apply()) // what joined a look-alike may have lost it
}

// walk looks at each beginning of a line and of a tag once.
func (m *marker) walk() {
	s := m.text
	for i := 0; i < len(s); {
		if i == 0 || s[i-1] == '\n' {
			m.line(i)
		}
		c := s[i]
		if c < utf8.RuneSelf {
			if m.table.reserved[c] {
				m.bracket(i)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if m.table.reservedForeign[r] {
			m.bracket(i)
		}
		i += size
	}
}

// Line is [Text] on one line, for names, titles and other labels.
func Line(s string) string { return strings.ReplaceAll(Text(s), "\n", " ") }
