package terms

import "unicode/utf8"

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
	return x
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
