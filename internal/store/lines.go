package store

import (
	"slices"
	"strings"
	"unicode"
)

// class is what a line of Markdown is, as far as memory cares.
type class int

const (
	blank   class = iota
	heading       // # Title, or a line underlined with = or -
	prose
	code   // inside a fence, or the fence
	bullet // the first line of a list item at the outer level
	inside // what else belongs to that list item
	unseen // comments, rules, underlines
)

type line struct {
	n     int    // number in the file
	text  string // as written
	class class
	level int // of a heading
	// start is where the text of a heading or bullet begins.
	start int
}

// scanner classifies lines one after the other.
type scanner struct {
	lines []line

	fence   string // what opened the code block we are in
	comment bool
	list    bool // in a list item
	indent  int  // of its marker
	gap     bool // the line before was blank
}

// scanLines classifies the lines of a body whose first line has number first.
func scanLines(body string, first int) []line {
	var s scanner
	text := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	s.lines = make([]line, 0, len(text))
	for i, t := range text {
		l := line{n: first + i, text: t}
		s.classify(&l)
		s.gap = l.class == blank
		s.lines = append(s.lines, l)
	}
	return s.lines
}

// withoutBullets are lines of which the list items are not seen.
func withoutBullets(lines []line) []line {
	out := make([]line, len(lines))
	for i, l := range lines {
		if l.class == bullet || l.class == inside {
			l.class = unseen
		}
		out[i] = l
	}
	return out
}

// withTexts are lines with other texts.
func withTexts(lines []line, texts []string) []line {
	out := slices.Clone(lines)
	for i := range out {
		l := &out[i]
		if marker := l.text[:l.start]; !strings.HasPrefix(texts[i], marker) {
			l.start = 0
		}
		l.text = texts[i]
	}
	return out
}

// settle makes a line that says nothing a blank one.
func (l *line) settle() {
	if l.class != unseen && strings.TrimSpace(l.text[l.start:]) == "" {
		l.class = blank
	}
}

func (s *scanner) classify(l *line) {
	trimmed := strings.TrimSpace(l.text)
	indent := indentOf(l.text)
	switch {
	case s.comment:
		l.class = unseen
		s.comment = !strings.Contains(trimmed, "-->")
	case s.fence != "":
		if l.class = code; s.list {
			l.class = inside
		}
		if strings.Trim(trimmed, s.fence[:1]) == "" && strings.HasPrefix(trimmed, s.fence) {
			s.fence = ""
		}
	case trimmed == "":
		l.class = blank
	case s.list && indent > s.indent+1:
		l.class = inside
		s.fence = fenceOf(trimmed)
	case strings.HasPrefix(trimmed, "<!--"):
		l.class = unseen
		s.comment = !strings.Contains(trimmed, "-->")
	case indent < 4 && s.heading(l, trimmed):
		s.list = false
	case indent < 4 && s.underline(trimmed):
		l.class, s.list = unseen, false
	case indent < 4 && markerOf(l.text) > 0:
		l.class, l.start = bullet, markerOf(l.text)
		s.list, s.indent = true, indent
		s.fence = fenceOf(strings.TrimSpace(l.text[l.start:]))
	case fenceOf(trimmed) != "":
		l.class, s.list, s.fence = code, false, fenceOf(trimmed)
	case s.list && !s.gap:
		l.class = inside
	default:
		l.class, s.list = prose, false
	}
}

func (s *scanner) heading(l *line, trimmed string) bool {
	level := len(trimmed) - len(strings.TrimLeft(trimmed, "#"))
	if level == 0 || level > 6 || len(trimmed) > level && trimmed[level] != ' ' && trimmed[level] != '\t' {
		return false
	}
	l.class, l.level = heading, level
	l.start = strings.IndexByte(l.text, '#') + level
	return true
}

// underline recognises rules, and underlines, which make the line before a
// heading.
func (s *scanner) underline(trimmed string) bool {
	bare := strings.NewReplacer(" ", "", "\t", "").Replace(trimmed)
	sign := bare[:1]
	if strings.Trim(bare, sign) != "" || !strings.Contains("=-*_", sign) {
		return false
	}
	if n := len(s.lines); (sign == "=" || sign == "-") && bare == trimmed && n > 0 && s.lines[n-1].class == prose {
		// Only a paragraph of one line can be a title.
		if n == 1 || s.lines[n-2].class != prose {
			s.lines[n-1].class, s.lines[n-1].level = heading, 1
			if sign == "-" {
				s.lines[n-1].level = 2
			}
			return true
		}
	}
	return sign != "=" && len(bare) >= 3
}

func indentOf(text string) int {
	n := 0
	for _, r := range text {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}

func fenceOf(trimmed string) string {
	for _, sign := range []string{"`", "~"} {
		if n := len(trimmed) - len(strings.TrimLeft(trimmed, sign)); n >= 3 && (sign == "~" || !strings.Contains(trimmed[n:], "`")) {
			return trimmed[:n]
		}
	}
	return ""
}

// markerOf is the length of the list marker at the beginning of a line with
// the blanks around it: "- ", "* ", "+ ", "1. " or "1) ". 0 means none.
func markerOf(text string) int {
	at := len(text) - len(strings.TrimLeft(text, " \t"))
	end := at
	switch {
	case end == len(text):
		return 0
	case strings.IndexByte("-*+", text[end]) >= 0:
		end++
	default:
		for end < len(text) && end-at < 9 && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		if end == at || end == len(text) || text[end] != '.' && text[end] != ')' {
			return 0
		}
		end++
	}
	rest := strings.TrimLeft(text[end:], " \t")
	if len(rest) == len(text)-end || strings.TrimFunc(rest, unicode.IsSpace) == "" {
		return 0 // no blank behind it, or nothing at all
	}
	return len(text) - len(rest)
}

// title is the text of a heading line.
func (l *line) title() string {
	return label(strings.TrimSpace(strings.TrimRight(strings.TrimSpace(l.text[l.start:]), "#")))
}

// trail is the chain of headings above a line.
type trail []caption

// caption is a heading in a trail.
type caption struct {
	level int
	title string
}

func (p trail) enter(l *line) trail {
	for len(p) > 0 && p[len(p)-1].level >= l.level {
		p = p[:len(p)-1]
	}
	return append(slices.Clip(p), caption{l.level, l.title()})
}

// under joins the path, beginning with the file's own title unless its first
// heading says the same.
func (p trail) under(title string) string {
	var parts []string
	if title = label(title); title != "" && (len(p) == 0 || p[0].title != title) {
		parts = append(parts, title)
	}
	for _, h := range p {
		if h.title != "" {
			parts = append(parts, h.title)
		}
	}
	return label(strings.Join(parts, " › "))
}
