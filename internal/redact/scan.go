package redact

import "strings"

// scan is one pass over one text.
type scan struct {
	s     string
	off   *[ruleCount]bool
	spans []span

	// Places before these ends are settled, for shapes and for cues: a shape
	// within the value of a named credential is still looked at, because it
	// gives the better name.
	shapeDone, cueDone int

	keyEnd  int // end of the last key that [scan.named] looked at
	command int // end of the last command line that was searched

	nearTwilio int // end of what was searched for Twilio's ids

	// The last long run of each set, so that many cues within it do not walk it
	// again.
	runs [query + 1]struct{ from, to int }
}

// hit is what the automaton calls.
func (sc *scan) hit(word, from, to int) {
	if word < len(shapes) {
		// Of prefixes that begin alike the longer one is met later.
		if n := len(sc.spans); from >= sc.shapeDone || n > 0 && from == sc.spans[n-1].from {
			sc.shape(&shapes[word], from, to)
		}
		return
	}
	if from >= sc.cueDone {
		cues[word-len(shapes)].look(sc, from, to)
	}
}

// shaped and valued note a secret: one known by its shape, one by its place.
func (sc *scan) shaped(r rule, from, to int) {
	if sc.off[r] {
		return
	}
	sc.spans = append(sc.spans, span{from, to, r})
	sc.shapeDone = max(sc.shapeDone, to)
	sc.cueDone = max(sc.cueDone, to)
}

func (sc *scan) valued(r rule, from, to int) {
	if sc.off[r] {
		return
	}
	sc.spans = append(sc.spans, span{from, to, r})
	sc.cueDone = max(sc.cueDone, to)
}

func (sc *scan) skipMark(from, _ int) {
	if n := markAt(sc.s, from); n > 0 {
		sc.shapeDone = max(sc.shapeDone, from+n)
		sc.cueDone = max(sc.cueDone, from+n)
	}
}

func (sc *scan) shape(sh *shape, from, to int) {
	if sc.s[from:to] != sh.prefix || !wordStart(sc.s, from) {
		return
	}
	end := sc.run(to, sh.set)
	end = trimEnd(sc.s, to, end, ".-/") // the sentence's own
	body := sc.s[to:end]
	if len(body) < sh.min || !sh.need.met(body) {
		return
	}
	if sh.prefix[len(sh.prefix)-1] == '=' || sh.rule == slackWebhook {
		from = to
	}
	sc.shaped(sh.rule, from, end)
}

func (n need) met(body string) bool {
	if n == anything {
		return true
	}
	c := count(body[:min(len(body), judged)])
	if n == digit {
		return c.digits > 0
	}
	return c.digits > 0 && (c.uppers > 0 || c.others == 0 || c.digits >= 6)
}

// run is the end of the run of characters of the set that begins at from.
func (sc *scan) run(from int, set charset) int {
	if r := sc.runs[set]; from >= r.from && from < r.to {
		return r.to
	}
	to := from
	for to < len(sc.s) && set.has(sc.s[to]) {
		if sc.s[to] == '\\' && escaped(sc.s, to) {
			break
		}
		to++
	}
	if to-from > 128 {
		sc.runs[set] = struct{ from, to int }{from, to}
	}
	return to
}

// trimEnd moves the end of from..end before up to three of the signs.
func trimEnd(s string, from, end int, signs string) int {
	for range 3 {
		if end > from && strings.IndexByte(signs, s[end-1]) >= 0 {
			end--
		}
	}
	return end
}

// line is the text from a place to the end of its line, at most limit bytes.
func (sc *scan) line(from, limit int) string {
	s := sc.s[from:min(len(sc.s), from+limit)]
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	return s
}

// wordStart reports whether a token may begin at i: not in the middle of a
// word. The letter of an escaped newline or tab (\n) and an escaped byte of an
// address (%3D) end a word too.
func wordStart(s string, i int) bool {
	if i == 0 || !alnum.has(s[i-1]) {
		return true
	}
	if i >= 2 && s[i-2] == '\\' && strings.IndexByte("nrt", s[i-1]) >= 0 {
		return true
	}
	return i >= 3 && s[i-3] == '%' && isHex(s[i-2]) && isHex(s[i-1])
}

// escaped reports whether the backslash at i begins an escape that ends a
// value: a newline, a tab or a quote inside a quoted text.
func escaped(s string, i int) bool {
	return i+1 < len(s) && strings.IndexByte(`nrt"'\`, s[i+1]) >= 0
}

// charset is a set of bytes.
type charset uint8

const (
	alnum       charset = iota + 1
	wordDash            // alnum _ -
	wordDashDot         // alnum _ - .
	wordSlash           // alnum /
	base64              // alnum + / = and % for its escaped form
	base64url           // alnum _ - =
	random              // what a token in prose may hold: alnum _ - + / = ~
	bearing             // what stands in a header: random . :
	loose               // a value without quotes in code or prose, ASCII only
	tight               // a value without quotes that is clearly data
	query               // the same within an address or a form
)

func (c charset) has(b byte) bool {
	if isLower(b|0x20) || isDigit(b) {
		return true
	}
	switch c {
	case alnum:
		return false
	case wordDash:
		return b == '_' || b == '-'
	case wordDashDot:
		return b == '_' || b == '-' || b == '.'
	case wordSlash:
		return b == '/'
	case base64:
		return b == '+' || b == '/' || b == '=' || b == '%'
	case base64url:
		return b == '_' || b == '-' || b == '='
	case random:
		return strings.IndexByte("_-+/=~", b) >= 0
	case bearing:
		return strings.IndexByte("_-+/=~.:", b) >= 0
	case loose:
		return b > ' ' && b < 0x7f && strings.IndexByte("\"'`,;)}]<>|&", b) < 0
	case tight:
		return b > ' ' && b != 0x7f && strings.IndexByte("\"'`;", b) < 0
	case query:
		return b > ' ' && b < 0x7f && strings.IndexByte("\"'`;&#<>)}],", b) < 0
	}
	return false
}

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }
func isUpper(b byte) bool { return 'A' <= b && b <= 'Z' }
func isDigit(b byte) bool { return '0' <= b && b <= '9' }
func isHex(b byte) bool   { return isDigit(b) || 'a' <= b|0x20 && b|0x20 <= 'f' }
func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

func lower(b byte) byte {
	if isUpper(b) {
		return b + 'a' - 'A'
	}
	return b
}
