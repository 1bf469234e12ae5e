package activity

import (
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Line is a shell line, cut into the commands it would run.
type Line struct {
	// Commands are in their order, with those inside of compound commands and
	// of substitutions.
	Commands []Command

	text, essence string
}

// Command is a command of a shell line. A compound one, such as a loop, has no
// program; the commands inside it follow.
type Command struct {
	Program string   // its base name; empty for mere assignments, too
	Words   []string // from the program on, without quotes
	Text    string   // the same as typed, with redirections, on one line

	environment string // what is set for it, at the beginning of about
	about       string // all of it as typed, but for silenced outputs, on one line; only where it is onLine
	sign        string // what parts it from the one before
	place       place
	compound    bool
	writes      bool   // a file, by a redirection
	file        string // the last it writes so
	stdin       string // a here-document or here-string
}

// place is where a command stands.
type place int

const (
	onLine      place = iota // parted from the others by the signs of the line
	inside                   // of a compound command
	substituted              // its output is a part of another command
)

// Bounds of a line. The parser goes down one level for each level of the text,
// so that nesting deeper than anybody writes would cost time and stack.
const (
	maxLine    = 64 << 10 // bytes that are read at all
	maxParsed  = 16 << 10 // bytes of what is parsed
	maxNesting = 100      // open brackets of what is parsed
	maxPlain   = 1000     // commands of what is not
)

// ParseLine cuts a shell line. What is no shell, too long or too deep is cut at
// the signs that part commands, outside of quotes.
func ParseLine(text string) *Line {
	text = text[:min(len(text), maxLine)]
	l := &Line{text: text}
	if len(text) <= maxParsed && nesting(text) <= maxNesting {
		if file, err := syntax.NewParser().Parse(strings.NewReader(text), ""); err == nil {
			c := cutter{source: text}
			c.list(file.Stmts, onLine)
			l.Commands = c.out
			return l
		}
	}
	l.Commands = plain(text)
	return l
}

// nesting is how many brackets are open at once, at most.
func nesting(text string) int {
	open, most := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[', '{':
			open++
			most = max(most, open)
		case ')', ']', '}':
			open = max(0, open-1)
		}
	}
	return most
}

// cutter collects the commands of a parsed line.
type cutter struct {
	source string
	out    []Command
}

func (c *cutter) list(stmts []*syntax.Stmt, at place) {
	sign := ""
	for _, s := range stmts {
		c.stmt(s, sign, at)
		sign = ";"
		if s.Background {
			sign = "&"
		}
	}
}

// stmt adds a statement and what is inside it.
func (c *cutter) stmt(s *syntax.Stmt, sign string, at place) {
	out := Command{sign: sign, place: at}
	var typed, about []string
	switch cmd := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		c.stmt(cmd.X, sign, at)
		c.stmt(cmd.Y, cmd.Op.String(), at)
		return
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			c.stmt(cmd.Stmt, sign, at)
		}
		return
	case *syntax.CallExpr:
		for _, a := range cmd.Assigns {
			about = append(about, c.typed(a.Pos(), a.End()))
		}
		if len(about) > 0 {
			out.environment = oneLine(strings.Join(about, " ")) + " "
		}
		for _, w := range cmd.Args {
			typed = append(typed, c.typed(w.Pos(), w.End()))
			out.Words = append(out.Words, c.unquoted(w.Parts))
		}
		about = append(about, typed...)
		typed = typed[out.name():]
	case *syntax.DeclClause:
		out.Program = cmd.Variant.Value
	case *syntax.TestClause:
		out.Program = "[["
	default:
		out.compound = cmd != nil
	}
	if s.Cmd != nil && about == nil && at == onLine {
		// Its end is found by going down into it: done at every level that
		// would take the square of the depth.
		about = append(about, c.typed(s.Cmd.Pos(), s.Cmd.End()))
	}
	for _, r := range s.Redirs {
		text, target, silent := c.typed(r.Pos(), r.Word.End()), c.unquoted(r.Word.Parts), false
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			silent = target == "/dev/null"
			if !strings.HasPrefix(target, "/dev/") {
				out.writes, out.file = true, target
			}
		case syntax.WordHdoc:
			out.stdin = target
		case syntax.DplOut:
			silent = text == "2>&1"
		}
		if r.Hdoc != nil { // one that is empty has none
			body := c.typed(r.Hdoc.Pos(), r.Hdoc.End())
			text += " " + body
			out.stdin = body
		}
		if typed = append(typed, text); !silent {
			about = append(about, text)
		}
	}
	out.Text = oneLine(strings.Join(typed, " "))
	if at == onLine {
		out.about = oneLine(strings.Join(about, " "))
	}
	if s.Negated {
		out.about = "! " + out.about
	}
	c.out = append(c.out, out)
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			if n == s {
				return true
			}
			c.stmt(n, "", max(at, inside))
		case *syntax.CmdSubst:
			c.list(n.Stmts, substituted)
		case *syntax.ProcSubst:
			c.list(n.Stmts, substituted)
		default:
			return true
		}
		return false
	})
}

// typed is a stretch of the source.
func (c *cutter) typed(from, to syntax.Pos) string {
	end := min(int(to.Offset()), len(c.source))
	return c.source[min(int(from.Offset()), end):end]
}

// unquoted is a word without its quotes and their escapes. Expansions stay as
// typed, and other backslashes: they part paths on Windows.
func (c *cutter) unquoted(parts []syntax.WordPart) string {
	var b strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(escapes().Replace(part.Value))
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			b.WriteString(c.unquoted(part.Parts))
		default:
			b.WriteString(c.typed(part.Pos(), part.End()))
		}
	}
	return b.String()
}

var escapes = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(`\ `, " ", `\"`, `"`, `\'`, "'", "\\`", "`", `\$`, "$", `\\`, `\`)
})

// name finds the program among the words, behind assignments and what only
// starts another program, and how many words stand before it.
func (c *Command) name() (before int) {
	before = slices.IndexFunc(c.Words, func(w string) bool {
		name, _, assigns := strings.Cut(w, "=")
		return !slices.Contains(starting, w) && (!assigns || name == "" || strings.ContainsAny(name, "/-.'\"$"))
	})
	if before < 0 {
		before = len(c.Words)
	} else {
		c.Program = strings.TrimSuffix(Base(c.Words[before]), ".exe")
	}
	c.Words = c.Words[before:]
	return before
}

// plain cuts a line that is not parsed at the signs that part commands, quoted
// or not. A single & stays: mostly it belongs to a redirection.
func plain(text string) []Command {
	var out []Command
	sign := ""
	for text != "" && len(out) < maxPlain {
		at, next := len(text), ""
		for _, s := range [...]string{"||", "|", "&&", ";", "\n"} {
			if i := strings.Index(text[:at], s); i >= 0 {
				at, next = i, s
			}
		}
		if words := strings.Fields(text[:at]); len(words) > 0 {
			out = append(out, plainCommand(sign, words))
		}
		text, sign = text[at+len(next):], strings.ReplaceAll(next, "\n", ";")
	}
	return out
}

func plainCommand(sign string, words []string) Command {
	out := Command{sign: sign}
	var about []string
	for _, w := range words {
		if w != "2>&1" && w != ">/dev/null" && w != "2>/dev/null" {
			about = append(about, w)
			out.writes = out.writes || strings.HasPrefix(w, ">")
		}
		out.Words = append(out.Words, strings.Trim(w, `'"`))
	}
	out.about = strings.Join(about, " ")
	out.Text = strings.Join(words[out.name():], " ")
	return out
}
