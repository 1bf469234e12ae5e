package chunk

import "strings"

// line is one line of a file.
type line struct {
	text   string
	indent int // columns, a tab reaching to the next fourth
	tokens int // 0 for a blank line
}

func (l *line) blank() bool { return l.tokens == 0 }

// section is where something begins: it reaches to the next one.
type section struct {
	from int      // index of its first line
	path []string // what it is, with what it stands in before it
}

// outline collects the sections of a file.
type outline struct {
	lines    []line
	sections []section
}

// begin starts a section, unless one begins later already. One without a name
// that would begin there too is replaced.
func (o *outline) begin(at int, path []string, named bool) {
	last := &o.sections[len(o.sections)-1]
	switch {
	case at < last.from:
	case at == last.from && named:
		last.path = path
	case at > last.from:
		o.sections = append(o.sections, section{at, path})
	}
}

// leading is the first line of what belongs to the declaration in line at:
// comments and annotations right above it, but nothing before bound.
func (o *outline) leading(at, bound int, belongs func(i int) bool) int {
	for at-1 >= bound && !o.lines[at-1].blank() && belongs(at-1) {
		at--
	}
	return at
}

// join adds a name to a path, which is not changed.
func join(path []string, name string) []string {
	if name == "" {
		return path
	}
	return append(path[:len(path):len(path)], name)
}

// clip bounds a name that goes into headings.
func clip(name string) string {
	const most = 80 // bytes
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}

// ident cuts the identifier off the beginning of a text.
func ident(text string) (word, rest string) {
	i := 0
	for i < len(text) && isIdent(text[i]) {
		i++
	}
	return text[:i], text[i:]
}

func isIdent(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$' || c >= 0x80
}
