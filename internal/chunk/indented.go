package chunk

import "strings"

// indented begins a section at every class and at every function that stands in
// no other one; what is further in belongs to it.
func (o *outline) indented(is language) {
	type block struct {
		indent int
		path   []string
		holds  bool // a class, whose functions are sections
	}
	var open []block
	sc := scanner{syntax: syntaxOf(is)}
	bound := 0
	for i := range o.lines {
		l := &o.lines[i]
		inside := !sc.code() || sc.parens > 0
		sc.line(l.text)
		if l.blank() || inside || sc.first == 0 {
			continue // within a string or brackets, or a comment
		}
		text := strings.TrimSpace(l.text)
		closing := is == ruby && (text == "end" || strings.HasPrefix(text, "end ") || strings.HasPrefix(text, "end."))
		left := false
		for len(open) > 0 && l.indent <= open[len(open)-1].indent {
			open, left = open[:len(open)-1], true
		}
		if closing {
			bound = i + 1
			continue
		}
		var above block
		if len(open) > 0 {
			above = open[len(open)-1]
		}
		if len(open) > 0 && !above.holds {
			continue
		}
		name, holds, ok := indentedName(is, text)
		switch {
		case ok:
			b := block{l.indent, join(above.path, name), holds}
			o.begin(o.leading(i, bound, func(j int) bool {
				up := strings.TrimSpace(o.lines[j].text)
				return up[0] == '#' || up[0] == '@'
			}), b.path, true)
			open = append(open, b)
			bound = i + 1
		case left && text[0] != '@' && text[0] != ')' && text[0] != ']' && text[0] != '}':
			// Back out of something: what follows is not part of it.
			o.begin(i, above.path, false)
		}
	}
}

func indentedName(is language, text string) (name string, holds, ok bool) {
	word, rest := ident(text)
	if word == "async" {
		word, rest = ident(strings.TrimLeft(rest, " "))
	}
	switch {
	case word == "class", is == ruby && word == "module":
		rest = strings.TrimLeft(rest, " ")
		if strings.HasPrefix(rest, "<<") { // methods of the class itself
			return "self", true, true
		}
		name, holds = rest, true
	case word == "def":
		name = strings.TrimLeft(rest, " ")
	default:
		return "", false, false
	}
	if end := strings.IndexAny(name, " \t(:;<["); end >= 0 && !strings.HasPrefix(name[end:], "::") {
		name = name[:end]
	} else if end >= 0 {
		name, _, _ = strings.Cut(name, " ")
	}
	return clip(name), holds, name != ""
}
