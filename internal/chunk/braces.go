package chunk

import "strings"

// container is a class or a namespace whose members are sections.
type container struct {
	path    []string
	body    int  // depth of what stands in it
	entered bool // its brace was met
	class   bool
}

// braces begins a section at every declaration that stands at the outer level,
// in a namespace or in a class.
func (o *outline) braces(is language) {
	b := braces{outline: o, is: is, sc: scanner{syntax: syntaxOf(is)}, marks: make([]mark, len(o.lines))}
	for i := range o.lines {
		b.line(i)
	}
}

// mark says what may belong to the declaration below a line.
type mark byte

const (
	other mark = iota
	remark
	annotation
	beginning // of a declaration that is written over several lines
)

type braces struct {
	*outline
	is    language
	sc    scanner
	marks []mark
	open  []container
	bound int  // first line that belongs to no declaration yet
	begun bool // within a declaration that is no container
	done  bool // behind one
}

// above is what the line stands in, and the depth of its members.
func (b *braces) above() (c container, depth int) {
	if len(b.open) == 0 {
		return container{}, 0
	}
	c = b.open[len(b.open)-1]
	if !c.entered {
		return c, c.body - 1
	}
	return c, c.body
}

func (b *braces) line(i int) {
	code, depth, parens := b.sc.code(), b.sc.depth, b.sc.parens
	b.sc.line(b.lines[i].text)
	if b.lines[i].blank() {
		return
	}
	for len(b.open) > 0 && b.open[len(b.open)-1].entered && depth < b.open[len(b.open)-1].body {
		b.open = b.open[:len(b.open)-1]
	}
	above, level := b.above()
	at := depth == level && parens == 0
	b.marks[i] = b.markOf(i, code && at, parens)
	switch {
	case !at || !code && b.sc.first != 0:
	case b.sc.first == 0:
		b.loose(i, above)
	default:
		name, what := declare(b.is, strings.TrimSpace(string(b.sc.clean[:min(len(b.sc.clean), longestDeclaration)])), above.class && above.entered)
		if what == nothing {
			if strings.IndexByte("{})];.,", b.sc.first) < 0 {
				b.loose(i, above)
			}
			break
		}
		b.declared(i, name, what)
	}
	b.after()
}

// longestDeclaration is how much of a line is looked at for what it declares,
// in bytes.
const longestDeclaration = 600

// loose is a line that belongs to nothing, if it stands behind a declaration.
func (b *braces) loose(i int, above container) {
	if b.done {
		b.begin(i, above.path, false)
		b.done = false
	}
}

func (b *braces) declared(i int, name string, what kind) {
	above, level := b.above()
	if len(b.open) > 0 && !above.entered {
		b.open = b.open[:len(b.open)-1] // only announced
		above, level = b.above()
	}
	path := join(above.path, clip(name))
	from := b.leading(i, b.bound, func(j int) bool { return b.marks[j] != other })
	b.begin(from, path, true)
	b.bound, b.done, b.begun = i+1, false, what == leaf
	if what != leaf {
		b.open = append(b.open, container{path: path, body: level + 1, class: what == class})
	}
}

// after notes what a line has opened and closed.
func (b *braces) after() {
	if n := len(b.open); n > 0 && !b.open[n-1].entered {
		c := &b.open[n-1]
		switch {
		case b.sc.depth >= c.body:
			c.entered = true
		case b.sc.last == ';' || strings.IndexByte(string(b.sc.clean), '{') >= 0:
			b.open = b.open[:n-1]
			b.done = true
		}
	}
	_, level := b.above()
	if b.begun && b.sc.depth == level && b.sc.parens == 0 && b.sc.first != 0 && strings.IndexByte("=,(+-|&:?\\<>.{", b.sc.last) < 0 {
		b.begun, b.done = false, true
	}
}

func (b *braces) markOf(i int, at bool, parens int) mark {
	switch {
	case b.sc.first == 0:
		return remark
	case parens > 0 && i > 0 && b.marks[i-1] == annotation:
		return annotation
	case !at:
		return other
	case b.sc.first == '@' && b.is != clang, b.sc.first == '#' && (b.is == rust || b.is == php), b.sc.first == '[' && b.is == java:
		return annotation
	case b.is == clang && isIdent(b.sc.first) && (isIdent(b.sc.last) || b.sc.last == '*' || b.sc.last == '>'):
		return beginning
	}
	return other
}
