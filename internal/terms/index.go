package terms

import "unicode/utf8"

// maxRunes is the length at which a term is cut: longer ones are data, not
// words.
const maxRunes = 64

// Index returns the terms of a text in order, with repeats: words folded,
// stemmed and without English function words; identifiers joined and in parts
// (userSessionID gives usersessionid, user, session, id); every run of Chinese,
// kana or hangul as its overlapping pairs and then its single characters; the
// days of the week in one form more, since they have several names.
func Index(text string) []string {
	x := newExtractor(text)
	x.run()
	return x.out
}

// extractor walks one text. It is used once.
type extractor struct {
	cased, lower string // the folded text, see fold
	query        bool   // leave out what is only worth storing
	out          []string
	pieces       []piece
	tokens       []token // of the run of CJK characters at hand
	stems        stemmer
	buf          []byte
}

func newExtractor(text string) *extractor {
	x := &extractor{}
	x.cased, x.lower = fold(text)
	perTerm := 7 // bytes, roughly: English, then Chinese
	if !isASCII(x.lower) {
		perTerm = 3
	}
	x.out = make([]string, 0, len(text)/perTerm+4)
	x.stems.grow(len(text))
	return x
}

// The classes of ASCII characters. Those from hyphen to slash join words to an
// identifier, the weightiest last; those from digit on are words.
const (
	separator byte = iota
	hyphen         // and underscore
	dot
	slash // and backslash
	digit
	lowerCase
	upperCase
)

var class = [utf8.RuneSelf]byte{
	'-': hyphen, '_': hyphen, '.': dot, '/': slash, '\\': slash,
	'0': digit, '1': digit, '2': digit, '3': digit, '4': digit,
	'5': digit, '6': digit, '7': digit, '8': digit, '9': digit,
	'a': lowerCase, 'b': lowerCase, 'c': lowerCase, 'd': lowerCase, 'e': lowerCase, 'f': lowerCase,
	'g': lowerCase, 'h': lowerCase, 'i': lowerCase, 'j': lowerCase, 'k': lowerCase, 'l': lowerCase,
	'm': lowerCase, 'n': lowerCase, 'o': lowerCase, 'p': lowerCase, 'q': lowerCase, 'r': lowerCase,
	's': lowerCase, 't': lowerCase, 'u': lowerCase, 'v': lowerCase, 'w': lowerCase, 'x': lowerCase,
	'y': lowerCase, 'z': lowerCase,
	'A': upperCase, 'B': upperCase, 'C': upperCase, 'D': upperCase, 'E': upperCase, 'F': upperCase,
	'G': upperCase, 'H': upperCase, 'I': upperCase, 'J': upperCase, 'K': upperCase, 'L': upperCase,
	'M': upperCase, 'N': upperCase, 'O': upperCase, 'P': upperCase, 'Q': upperCase, 'R': upperCase,
	'S': upperCase, 'T': upperCase, 'U': upperCase, 'V': upperCase, 'W': upperCase, 'X': upperCase,
	'Y': upperCase, 'Z': upperCase,
}

func (x *extractor) run() {
	for i := 0; i < len(x.lower); {
		if c := x.lower[i]; c < utf8.RuneSelf {
			if class[c] < digit {
				i++
				continue
			}
			i = x.chunk(i)
			continue
		}
		r, size := utf8.DecodeRuneInString(x.lower[i:])
		switch {
		case isCJK(r):
			end := cjkEnd(x.lower, i+size)
			if x.query {
				x.askCJK(x.lower[i:end])
			} else {
				x.storeCJK(x.lower[i:end])
			}
			i = end
		case isWord(r):
			i = x.chunk(i)
		default:
			i += size
		}
	}
}

// cjkEnd returns where the run of CJK characters around i ends.
func cjkEnd(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isCJK(r) {
			break
		}
		i += size
	}
	return i
}

// storeCJK adds a run's pairs, so that they stand side by side for a phrase,
// and then its single characters; behind the first of a day of the week stands
// the form in which queries ask for it.
func (x *extractor) storeCJK(run string) {
	_, last := utf8.DecodeRuneInString(run)
	for i, j := 0, last; j < len(run); {
		_, size := utf8.DecodeRuneInString(run[j:])
		x.out = append(x.out, run[i:j+size])
		i, j = j, j+size
	}
	for len(run) > 0 {
		_, size := utf8.DecodeRuneInString(run)
		x.out = append(x.out, run[:size])
		if day, _ := weekday(run); day != "" {
			x.out = append(x.out, day)
		}
		run = run[size:]
	}
}

// chunk adds the terms of the words that begin at i and are joined to one
// another, and returns where they end.
func (x *extractor) chunk(i int) int {
	x.pieces = x.pieces[:0]
	var join byte
	for {
		p := x.word(i)
		p.join = join
		i = p.end
		rest, negated := x.contraction(p)
		if rest > 0 {
			i += rest
			if negated {
				break
			}
		}
		x.pieces = append(x.pieces, p)
		if rest > 0 || i+1 >= len(x.cased) {
			break
		}
		c := x.cased[i]
		if c >= utf8.RuneSelf || class[c] < hyphen || class[c] > slash || !startsWord(x.cased[i+1:]) {
			break
		}
		join = class[c]
		i++
	}
	if len(x.pieces) > 0 {
		x.group(x.pieces)
	}
	return i
}

// word reads the word that begins at start.
func (x *extractor) word(start int) piece {
	p := piece{start: start, letters: true}
	var before, seen byte // class of the character before; all classes so far, as bits
	i := start
	for i < len(x.cased) {
		var k byte
		size := 1
		if c := x.cased[i]; c < utf8.RuneSelf {
			if k = class[c]; k < digit {
				break
			}
		} else {
			var r rune
			if r, size = utf8.DecodeRuneInString(x.cased[i:]); isCJK(r) || !isWord(r) {
				break
			}
			p.letters = false
			k = x.kind(i, size)
		}
		if k != before && before != 0 && (k != lowerCase || before != upperCase || i > start+size) {
			p.mixed = true
		}
		before = k
		seen |= 1 << k
		i += size
	}
	p.end = i
	if seen&(1<<digit) != 0 {
		p.letters = false
	}
	return p
}

// kind returns the class of the character at i, which belongs to a word.
func (x *extractor) kind(i, size int) byte {
	if c := x.cased[i]; c < utf8.RuneSelf {
		return class[c]
	}
	if x.cased[i:i+size] != x.lower[i:i+size] {
		return upperCase
	}
	return lowerCase
}

// startsWord reports whether s begins with a word that may be a part of an
// identifier.
func startsWord(s string) bool {
	if c := s[0]; c < utf8.RuneSelf {
		return class[c] >= digit
	}
	r, _ := utf8.DecodeRuneInString(s)
	return isWord(r) && !isCJK(r)
}

// contraction returns the length of what an apostrophe adds to the word p, as
// in it's or we've, and whether that is a negation, which leaves nothing but
// function words; 0 when there is none.
func (x *extractor) contraction(p piece) (length int, negated bool) {
	s := x.lower[p.end:]
	const curly = "’"
	switch {
	case len(s) > 1 && s[0] == '\'':
		length = 1
	case len(s) > len(curly) && s[:len(curly)] == curly:
		length = len(curly)
	default:
		return 0, false
	}
	s = s[length:]
	n := 0
	for n < len(s) && n < 3 && s[n] < utf8.RuneSelf && class[s[n]] >= digit {
		n++
	}
	if n < len(s) && s[n] >= utf8.RuneSelf && startsWord(s[n:]) {
		return 0, false
	}
	switch s[:n] {
	case "s", "d", "m", "re", "ve", "ll":
		return length + n, false
	case "t":
		return length + n, x.lower[p.end-1] == 'n'
	}
	return 0, false
}

// add appends one lower-case word unless it is a function word. letters says
// that it is ASCII letters alone, and so perhaps English.
func (x *extractor) add(w string, letters bool) {
	if letters {
		if len(w) <= longestStop && isStop(w) {
			return
		}
		w = x.stems.stem(cut(w))
	} else {
		w = cut(w)
	}
	x.out = append(x.out, w)
}

// cut returns at most maxRunes characters of w.
func cut(w string) string {
	if len(w) <= maxRunes {
		return w
	}
	n := 0
	for i := range w {
		if n == maxRunes {
			return w[:i]
		}
		n++
	}
	return w
}
