package reader

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/terms"
)

// Bounds of what is read of a prompt.
const (
	maxPrompt = 6 << 10 // bytes; of a longer one its beginning and its end
	maxPieces = 48      // as many at the beginning as at the end
)

// piece is a clause of a prompt, the least that is part of a statement or not.
type piece struct {
	from, to int // bytes of the prompt, without the space around
	// before is the sign or space that parts it from the piece before: a full
	// stop for sentences, \n for lines, \v for paragraphs, 0 at the beginning.
	before rune
	line   manner
	quoted bool // stands in quotation marks that were opened before it
}

// manner is how a line is written.
type manner struct {
	fenced   bool // within or beside ```
	marked   bool // begins with >
	indented bool
	listed   bool // a point of a list
	signs    int  // share of signs among its characters, 0 few to 3 mostly
	led      bool // the last line of words before it ends in a colon
}

// cut cuts a prompt into pieces, in order.
func cut(prompt string) []piece {
	var c cutter
	c.text = prompt
	head, tail := len(prompt), len(prompt)
	if len(prompt) > maxPrompt {
		head = border(prompt, maxPrompt/2)
		tail = border(prompt, len(prompt)-maxPrompt/2)
	}
	c.lines(0, head)
	c.lines(tail, len(prompt))
	if n := len(c.out); n > maxPieces {
		c.out = append(c.out[:maxPieces/2], c.out[n-maxPieces/2:]...)
	}
	return c.out
}

// border is the first place at or behind i where a character begins.
func border(s string, i int) int {
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return i
}

type cutter struct {
	text   string
	out    []piece
	fence  bool
	colon  bool
	quotes int  // quotation marks open
	before rune // of the next piece
}

// lines cuts the lines of text[from:to].
func (c *cutter) lines(from, to int) {
	for from < to {
		end := to
		if i := strings.IndexByte(c.text[from:to], '\n'); i >= 0 {
			end = from + i + 1
		}
		c.line(from, end)
		from = end
	}
}

func (c *cutter) line(from, to int) {
	text := strings.TrimSpace(c.text[from:to])
	if text == "" {
		c.before, c.quotes = '\v', 0
		return
	}
	if c.before != '\v' && len(c.out) > 0 {
		c.before = '\n'
	}
	m := manner{fenced: c.fence, marked: text[0] == '>', indented: c.text[from] == ' ' || c.text[from] == '\t', signs: signs(text), led: c.colon}
	if strings.HasPrefix(text, "```") {
		m.fenced, c.fence = true, !c.fence
	}
	m.listed = strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "* ") || text[0] >= '1' && text[0] <= '9' && len(text) > 2 && (text[1] == '.' || text[1] == ')')
	if m.fenced || m.signs == 3 { // code and logs have no clauses
		c.add(from, to, m)
		to = from
	}
	for s := range terms.Sentences(c.text[from:to]) {
		at := from + strings.Index(c.text[from:to], s)
		c.sentence(at, at+len(s), m)
		from = at + len(s)
		c.before = '.'
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	c.colon = last == ':' || last == '：'
}

// signs is the share of signs among the characters of a line, as of code and logs.
func signs(line string) int {
	n, all := 0, 0
	for _, r := range line {
		if r == ' ' {
			continue
		}
		all++
		if r < utf8.RuneSelf && !word(r) && r != ',' && r != '.' && r != '\'' && r != '?' {
			n++
		}
	}
	switch {
	case n*20 < all:
		return 0
	case n*10 < all:
		return 1
	case n*5 < all:
		return 2
	}
	return 3
}

// sentence cuts at the signs that part clauses.
func (c *cutter) sentence(from, to int, m manner) {
	start := from
	var last rune // the character before, spaces left out
	for i := from; i < to; {
		r, size := utf8.DecodeRuneInString(c.text[i:to])
		next, _ := utf8.DecodeRuneInString(c.text[i+size : to])
		switch {
		case r == '“' || r == '「' || r == '『' || r == '《':
			c.quotes++
		case r == '”' || r == '」' || r == '』' || r == '》':
			c.quotes = max(0, c.quotes-1)
		}
		parts, keep := false, false // keep: the sign belongs to what follows
		switch r {
		case ',', ';', ':':
			parts = unicode.IsSpace(next) || unicode.Is(unicode.Han, next) || unicode.Is(unicode.Han, last)
		case '，', '；', '：', '、', '…', '—', '–':
			parts = true
		case '(', '（', '[', '【':
			parts, keep = i > start, true
		case ')', '）', ']', '】':
			parts = true
		case '-':
			parts = last != 0 && i > 0 && c.text[i-1] == ' ' && (next == ' ' || next == '-')
		case '.':
			parts = next == '.' // before a blank it is of an abbreviation, or ends the sentence
		case ' ', '\t', '\u3000':
			parts = unicode.Is(unicode.Han, last) && unicode.Is(unicode.Han, next) || i > start && joins(c.text[i+size:to])
		}
		if parts {
			end := i + size
			if keep {
				end = i
			}
			c.add(start, end, m)
			start, c.before = end, r
		}
		if !unicode.IsSpace(r) {
			last = r
		}
		i += size
	}
	c.add(start, to, m)
}

// add adds text[from:to] when it holds a letter or digit; signs alone go to the
// piece before.
func (c *cutter) add(from, to int, m manner) {
	text := c.text[from:to]
	from += len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	text = strings.TrimSpace(text)
	if !strings.ContainsFunc(text, word) {
		return
	}
	c.out = append(c.out, piece{from: from, to: from + len(text), before: c.before, line: m, quoted: c.quotes > 0})
	c.before = ' '
}

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// joins reports whether a text begins with a word that joins a clause to the one
// before it.
func joins(text string) bool {
	w, _, ok := strings.Cut(text, " ")
	return ok && lists.Words("joins")[w]
}

//go:embed words.txt
var listed terms.Lists

var lists = listed.Keep()
