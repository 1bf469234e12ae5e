package redact

import "strings"

// scan is one pass over one text.
type scan struct {
	s     string
	words []word
	off   *[ruleCount]bool
	spans []span

	// Places before these ends are settled, for shapes and for cues: a shape
	// within the value of a named credential is still looked at, because it
	// gives the better name.
	shapeDone, cueDone int

	keyEnd int // end of the last key that [scan.named] looked at

	nearTwilio  int      // end of what was searched for Twilio's ids
	lastCommand *command // whose arguments were looked at, up to
	commandEnd  int
	manifest    int // end of what was searched for a Secret of Kubernetes

	// The last long run of each set, so that many cues within it do not walk it
	// again.
	runs [charsets]struct{ from, to int }
}

// hit is what the automaton calls.
func (sc *scan) hit(word, from, to int) {
	w := &sc.words[word]
	for _, sh := range w.shapes {
		sc.shape(sh, from)
	}
	if from < sc.cueDone {
		return
	}
	if w.look != nil && (!w.exact || strings.EqualFold(sc.s[from:to], w.text)) {
		w.look(sc, from, to)
	}
	if len(w.beside) > 0 {
		sc.provider(w.beside, from)
	}
	for _, c := range w.commands {
		sc.command(c, from)
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
	base64Set           // alnum + / = and % for its escaped form
	base64url           // alnum _ - =
	random              // what a token in prose may hold: alnum _ - + / = ~
	bearing             // what stands in a header: random . :
	loose               // a value without quotes in code or prose, ASCII only
	tight               // a value without quotes that is clearly data
	query               // the same within an address or a form
	lowers              // small letters and digits
	uppers              // capitals and digits
	digits
	hexes
	letters
	wordDotEqual // alnum _ - . =
	tilde        // alnum _ - . ~
	address      // what addresses hold, without the signs that end a query
	charsets     // how many there are
)

func (c charset) has(b byte) bool {
	switch c {
	case lowers:
		return isLower(b) || isDigit(b)
	case uppers:
		return isUpper(b) || isDigit(b)
	case digits:
		return isDigit(b)
	case hexes:
		return isHex(b)
	case letters:
		return isLower(b | 0x20)
	}
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
	case base64Set:
		return b == '+' || b == '/' || b == '=' || b == '%'
	case base64url:
		return b == '_' || b == '-' || b == '='
	case wordDotEqual:
		return b == '_' || b == '-' || b == '.' || b == '='
	case tilde:
		return b == '_' || b == '-' || b == '.' || b == '~'
	case address:
		return b > ' ' && b < 0x7f && strings.IndexByte("\"'`<>()[]{}\\,;", b) < 0
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
