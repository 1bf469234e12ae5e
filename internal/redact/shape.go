package redact

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed shapes.txt
var shapeLines string

// shape is a token that is known by how it is written.
type shape struct {
	beside string // the name whose value it must be, in small letters; empty for any place
	key    string // the text that is looked for

	// What follows is read when the text was found for the first time.
	once  sync.Once
	line  string
	rule  rule
	parts []part
	cue   int // of parts: the one that is key
	from  int // of parts: where the secret begins
	need  need
}

// part is a text, or so many letters of a set.
type part struct {
	text        string
	set         charset
	least, most int // most is negative without a bound
}

// need is what the characters behind a prefix must have, for prefixes that
// ordinary words share.
type need uint8

const (
	anything need = iota
	digit         // at least one digit
	mixed         // a digit, and an upper-case letter or no separators or many digits
	drawn         // it looks random
)

// needNames are the needs as the list of shapes names them.
var needNames = [...]string{"", "digit", "mixed", "drawn"}

func (n need) met(body string) bool {
	if n == anything {
		return true
	}
	c := count(body[:min(len(body), judged)])
	switch n {
	case digit:
		return c.digits > 0
	case drawn:
		return c.digits > 0 && c.uppers > 0 && randomText(body)
	}
	return c.digits > 0 && (c.uppers > 0 || c.others == 0 || c.digits >= 6)
}

// sets are the letters by which shapes name them.
const sets = "alUdxcwWvutsbp"

var setOf = [...]charset{alnum, lowers, uppers, digits, hexes, letters, wordDash, wordDashDot, wordDotEqual, base64url, tilde, wordSlash, base64Set, address}

const uuidShape = "{x8}-{x4}-{x4}-{x4}-{x12}"

// shapes are the list of shapes, read as far as it takes to look for them.
var shapes = sync.OnceValue(func() []*shape {
	all := make([]shape, 0, strings.Count(shapeLines, "\n"))
	for line := range entries(shapeLines) {
		all = append(all, shape{line: line})
	}
	out := make([]*shape, len(all))
	for i := range all {
		sh := &all[i]
		name, text := sh.pattern()
		sh.beside, sh.key = name, longestText(text)
		out[i] = sh
	}
	return out
})

// pattern is the shape as the list has it, and the name it stands beside.
func (sh *shape) pattern() (beside, text string) {
	_, text, _ = strings.Cut(sh.line, " ")
	text, _, _ = strings.Cut(text, " ")
	if n := strings.IndexByte(text, ':'); n >= 0 && strings.IndexByte(text[:n], '{') < 0 {
		return text[:n], text[n+1:]
	}
	return "", text
}

// longestText is the longest text outside of braces, the first of equals.
func longestText(text string) string {
	longest, from := "", 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && text[i] != '{' && text[i] != '|' {
			continue
		}
		if i-from > len(longest) {
			longest = text[from:i]
		}
		if i < len(text) && text[i] == '{' {
			n := strings.IndexByte(text[i:], '}')
			if n < 0 {
				break
			}
			i += n
		}
		from = i + 1
	}
	return longest
}

// read reads the rest of the shape. The list is part of the program, and a test
// reads all of it: one that makes no sense has no parts and matches nothing.
func (sh *shape) read() {
	f := strings.Fields(sh.line)
	_, text := sh.pattern()
	sh.rule = rule(max(0, slices.Index(names[:], f[0])))
	if len(f) > 2 {
		sh.need = need(max(0, slices.Index(needNames[:], f[2])))
	}
	if !sh.parse(strings.ReplaceAll(text, "{uuid}", uuidShape)) {
		sh.parts = nil
	}
}

func (sh *shape) parse(text string) bool {
	for text != "" {
		switch text[0] {
		case '|':
			sh.from = len(sh.parts)
			text = text[1:]
		case '{':
			inside, rest, ok := strings.Cut(text[1:], "}")
			p, valid := setPart(inside)
			if !ok || !valid {
				return false
			}
			sh.parts = append(sh.parts, p)
			text = rest
		default:
			n := strings.IndexAny(text, "{|")
			if n < 0 {
				n = len(text)
			}
			sh.parts = append(sh.parts, part{text: text[:n]})
			text = text[n:]
		}
	}
	for i := range sh.parts {
		if sh.parts[i].text == sh.key {
			sh.cue = i
			break
		}
	}
	return len(sh.parts) > 0
}

// setPart reads what stands between braces: a20, a20+, a20-30.
func setPart(s string) (part, bool) {
	n := strings.IndexByte(sets, s[0])
	if n < 0 {
		return part{}, false
	}
	p := part{set: setOf[n]}
	number, open := strings.CutSuffix(s[1:], "+")
	least, most, ranged := strings.Cut(number, "-")
	var err error
	if p.least, err = strconv.Atoi(least); err != nil {
		return part{}, false
	}
	p.most = p.least
	switch {
	case open:
		p.most = -1
	case ranged:
		if p.most, err = strconv.Atoi(most); err != nil {
			return part{}, false
		}
	}
	return p, true
}

// shape looks whether a shape stands around its text, which begins at at, and
// notes it.
func (sc *scan) shape(sh *shape, at int) {
	if !strings.HasPrefix(sc.s[at:], sh.key) {
		return
	}
	sh.once.Do(sh.read)
	from, ok := sh.backwards(sc.s, at)
	if !ok || alnum.has(sc.s[from]) && !wordStart(sc.s, from) {
		return
	}
	// Of shapes that begin alike the longer one counts.
	if n := len(sc.spans); from < sc.shapeDone && (n == 0 || from != sc.spans[n-1].from) {
		return
	}
	secret, end, ok := sc.forwards(sh, from)
	if !ok {
		return
	}
	body := sc.s[min(at+len(sh.parts[sh.cue].text), end):end]
	if sh.cue > 0 {
		body = sc.s[from:end]
	}
	if sh.need.met(body) && (len(body) == 0 || !placeholder(body)) {
		sc.shaped(sh.rule, secret, end)
	}
}

// backwards is where a shape begins whose text begins at at.
func (sh *shape) backwards(s string, at int) (from int, ok bool) {
	for i := sh.cue - 1; i >= 0; i-- {
		p := &sh.parts[i]
		if p.text != "" {
			if at -= len(p.text); at < 0 || s[at:at+len(p.text)] != p.text {
				return 0, false
			}
			continue
		}
		n := 0
		for n < max(p.most, p.least) && at > 0 && p.set.has(s[at-1]) {
			at--
			n++
		}
		if n < p.least {
			return 0, false
		}
	}
	return at, true
}

// forwards is where a shape that begins at from has its secret and its end.
func (sc *scan) forwards(sh *shape, from int) (secret, end int, ok bool) {
	sh.once.Do(sh.read)
	s, i := sc.s, from
	secret = from
	for n := range sh.parts {
		p := &sh.parts[n]
		if n == sh.from {
			secret = i
		}
		if p.text != "" {
			if !strings.HasPrefix(s[i:], p.text) {
				return 0, 0, false
			}
			i += len(p.text)
			continue
		}
		start, last := i, n == len(sh.parts)-1
		if p.most < 0 {
			i = sc.run(i, p.set)
		} else {
			for i < len(s) && i-start < p.most && p.set.has(s[i]) {
				i++
			}
			if last && i < len(s) && p.set.has(s[i]) && (alnum.has(s[i]) || i+1 < len(s) && alnum.has(s[i+1])) {
				return 0, 0, false // it is longer than these are
			}
		}
		if last {
			i = trimEnd(s, start, i, ".-/") // the sentence's own
		}
		if i-start < p.least {
			return 0, 0, false
		}
	}
	return secret, i, len(sh.parts) > 0
}
