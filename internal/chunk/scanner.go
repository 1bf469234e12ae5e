package chunk

import "strings"

// syntax is what a language writes around its text and its remarks.
type syntax struct {
	slash, hash   bool // remarks to the end of the line: // #
	block, nested bool // /* */, and within each other
	raw, escapes  bool // `…` over several lines, with \ before a `
	triple        bool // """…""" over several lines, and '''…'''
	char          bool // a single quote holds one character or begins a name
	regex         bool // /…/ where a value may stand
	directives    bool // lines of the preprocessor
}

func syntaxOf(is language) syntax {
	switch is {
	case golang:
		return syntax{slash: true, block: true, raw: true, char: true}
	case python:
		return syntax{hash: true, triple: true}
	case javascript:
		return syntax{slash: true, block: true, raw: true, escapes: true, regex: true}
	case java:
		return syntax{slash: true, block: true, triple: true, char: true}
	case clang:
		return syntax{slash: true, block: true, char: true, directives: true}
	case rust:
		return syntax{slash: true, block: true, nested: true, char: true}
	case php:
		return syntax{slash: true, hash: true, block: true}
	case ruby:
		return syntax{hash: true}
	}
	return syntax{slash: true, block: true}
}

// scanner follows the code of a file line by line.
type scanner struct {
	syntax
	depth  int // open braces
	parens int // open brackets of other kinds

	comment int    // open block comments
	quote   string // what ends the text we are in; empty outside
	saved   []int  // depths at the conditions of the preprocessor
	macro   bool   // the directive goes on

	// Of the last line:
	clean       []byte // its code, texts and remarks taken out
	first, last byte   // of the code; 0 when there is none
}

// code reports whether the next line begins as code.
func (s *scanner) code() bool { return s.comment == 0 && s.quote == "" && !s.macro }

func (s *scanner) line(text string) {
	s.clean, s.first, s.last = s.clean[:0], 0, 0
	if s.directives && (s.macro || s.code() && strings.HasPrefix(strings.TrimLeft(text, " \t"), "#")) {
		s.directive(text)
		return
	}
	for i := 0; i < len(text); {
		i += s.step(text, i)
	}
}

// directive passes over a line of the preprocessor. Both branches of a
// condition begin at the same depth.
func (s *scanner) directive(text string) {
	word, _ := ident(strings.TrimLeft(strings.TrimLeft(text, " \t"), "# \t"))
	if !s.macro {
		switch {
		case strings.HasPrefix(word, "if"):
			s.saved = append(s.saved, s.depth)
		case strings.HasPrefix(word, "el") && len(s.saved) > 0:
			s.depth = s.saved[len(s.saved)-1]
		case word == "endif" && len(s.saved) > 0:
			s.saved = s.saved[:len(s.saved)-1]
		}
		s.first, s.last = '#', '#'
	}
	s.macro = strings.HasSuffix(text, `\`)
}

// step takes what stands at i and returns its length.
func (s *scanner) step(text string, i int) int {
	rest := text[i:]
	switch {
	case s.comment > 0:
		return s.remark(rest)
	case s.quote != "":
		return s.within(rest)
	}
	c := rest[0]
	switch c {
	case ' ', '\t':
		if len(s.clean) > 0 {
			s.clean = append(s.clean, ' ')
		}
		return 1
	case '/':
		switch {
		case s.slash && strings.HasPrefix(rest, "//"):
			return len(rest)
		case s.block && strings.HasPrefix(rest, "/*"):
			s.comment = 1
			return 2
		case s.regex && s.valueFollows():
			s.see('"')
			return closing(rest, '/')
		}
	case '#':
		if s.hash && !strings.HasPrefix(rest, "#[") && (i == 0 || text[i-1] != '$' && text[i-1] != '{') {
			return len(rest)
		}
	case '`':
		if s.raw {
			s.see('"')
			s.quote = "`"
			return 1
		}
	case '"', '\'':
		return s.text(rest)
	case '{':
		s.depth++
	case '}':
		s.depth = max(0, s.depth-1)
		if i == 0 {
			s.parens = 0 // whatever was left open before
		}
	case '(', '[':
		s.parens++
	case ')', ']':
		s.parens = max(0, s.parens-1)
	}
	s.see(c)
	return 1
}

// see notes a character of the code.
func (s *scanner) see(c byte) {
	if s.first == 0 {
		s.first = c
	}
	s.last = c
	s.clean = append(s.clean, c)
}

func (s *scanner) remark(rest string) int {
	for i := 0; i+1 < len(rest); i++ {
		switch {
		case rest[i] == '*' && rest[i+1] == '/':
			s.comment--
			return i + 2
		case s.nested && rest[i] == '/' && rest[i+1] == '*':
			s.comment++
			return i + 2
		}
	}
	return len(rest)
}

// within looks for the end of a text of several lines.
func (s *scanner) within(rest string) int {
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] == '\\' && (s.escapes || s.quote != "`"):
			i++
		case strings.HasPrefix(rest[i:], s.quote):
			i += len(s.quote)
			s.quote = ""
			return i
		}
	}
	return len(rest)
}

// text passes over a quoted text or a character.
func (s *scanner) text(rest string) int {
	c := rest[0]
	if s.triple && len(rest) >= 3 && rest[1] == c && rest[2] == c {
		s.see('"')
		s.quote = rest[:3]
		return 3
	}
	if c == '\'' && s.char {
		// 'a, in Rust, and 1'000 are no characters.
		if len(rest) < 3 || rest[1] != '\\' && strings.IndexByte(rest[1:min(len(rest), 6)], '\'') < 0 {
			return 1
		}
	}
	s.see('"')
	return closing(rest, c)
}

// closing is the length of a text up to the sign that ends it on this line.
func closing(rest string, sign byte) int {
	set := false
	for i := 1; i < len(rest); i++ {
		switch {
		case rest[i] == '\\':
			i++
		case sign == '/' && rest[i] == '[':
			set = true
		case sign == '/' && rest[i] == ']':
			set = false
		case rest[i] == sign && !set:
			return i + 1
		}
	}
	return len(rest)
}

// valueFollows reports whether a slash here begins a pattern and is no
// division.
func (s *scanner) valueFollows() bool {
	if s.last == 0 || strings.IndexByte("(,=:[!&|?{};+-*%~^<>", s.last) >= 0 {
		return true
	}
	const keyword = "return"
	return strings.HasSuffix(strings.TrimRight(string(s.clean[max(0, len(s.clean)-len(keyword)-2):]), " "), keyword)
}
