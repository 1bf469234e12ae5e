package terms

import "unicode/utf8"

// piece is one word of a chunk: text[start:end], joined to the piece before it
// by a character of class join.
type piece struct {
	start, end int
	join       byte
	letters    bool // nothing but ASCII letters
	mixed      bool // has borders inside, as in fooBar or v2
}

// group adds the terms of pieces: all of them joined, then the same for each
// group between the weightiest of the joining characters.
func (x *extractor) group(ps []piece) {
	if len(ps) == 1 {
		x.single(ps[0], ps[0].join != 0 || len(x.pieces) > 1)
		return
	}
	x.joined(ps)
	var top byte
	for _, p := range ps[1:] {
		top = max(top, p.join)
	}
	if top == dot {
		x.version(ps)
	}
	from := 0
	for i := 1; i <= len(ps); i++ {
		if i == len(ps) || ps[i].join == top {
			x.group(ps[from:i])
			from = i
		}
	}
}

// joined adds the pieces as one term, unless that would be too long for one.
func (x *extractor) joined(ps []piece) {
	x.buf = x.buf[:0]
	letters := true
	for _, p := range ps {
		if len(x.buf)+p.end-p.start > maxRunes {
			return
		}
		x.buf = append(x.buf, x.lower[p.start:p.end]...)
		letters = letters && p.letters
	}
	x.add(string(x.buf), letters)
}

// version adds, for a dotted number, the forms under which people also name
// it: 1.26.8 as 1.26, v1.26 as 1.26.
func (x *extractor) version(ps []piece) {
	prefixed := x.lower[ps[0].start] == 'v'
	for i, p := range ps {
		from := p.start
		if i == 0 && prefixed {
			from++
		}
		if p.end-from > 9 || from == p.end || i > 0 && p.join != dot {
			return
		}
		for ; from < p.end; from++ {
			if c := x.lower[from]; c < '0' || c > '9' {
				return
			}
		}
	}
	start := ps[0].start
	if prefixed {
		ps[0].start++
		x.joined(ps)
	}
	if len(ps) > 2 {
		x.joined(ps[:2])
	}
	ps[0].start = start
}

// single adds a word and, when it has borders inside, its parts. A letter that
// is only part of something is left out, and in a query such a digit too.
func (x *extractor) single(p piece, part bool) {
	if part && x.trifle(p.start, p.end) {
		return
	}
	x.add(x.lower[p.start:p.end], p.letters)
	if !p.mixed {
		return
	}
	// The first pass counts: a word of many tiny parts is a hash or an encoding,
	// which is found as a whole or not at all.
	n := 0
	x.parts(p, func(int, int) { n++ })
	if n < 2 || n > 4 && p.end-p.start < 3*n {
		return
	}
	x.parts(p, func(start, end int) {
		if !x.trifle(start, end) {
			x.add(x.lower[start:end], x.isLetters(start, end))
		}
	})
}

func (x *extractor) trifle(start, end int) bool {
	return end-start == 1 && (x.query || class[x.lower[start]&0x7f] != digit)
}

func (x *extractor) isLetters(start, end int) bool {
	for i := start; i < end; i++ {
		if c := x.lower[i]; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// parts calls fn for the parts of a word between digits and letters, before
// a capital after a small letter (fooBar), and before the last of several
// capitals when a small letter follows (HTTPRequest); but a lone s after
// capitals is their plural (IDs).
func (x *extractor) parts(p piece, fn func(start, end int)) {
	start, previous := p.start, p.start // of the part; of the character before
	var before byte
	capitals := 0
	for i := p.start; i < p.end; {
		size := 1
		if x.cased[i] >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(x.cased[i:])
		}
		k := x.kind(i, size)
		switch {
		case before == 0 || k == before:
		case k == lowerCase && before == upperCase:
			if capitals > 1 && !x.plural(i, p.end) {
				fn(start, previous)
				start = previous
			}
		default:
			fn(start, i)
			start = i
		}
		if k == upperCase {
			capitals++
		} else {
			capitals = 0
		}
		before, previous = k, i
		i += size
	}
	fn(start, p.end)
}

// plural reports whether the small letter at i is an s that ends a part.
func (x *extractor) plural(i, end int) bool {
	return x.cased[i] == 's' && (i+1 == end || x.cased[i+1] < utf8.RuneSelf && class[x.cased[i+1]] != lowerCase)
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

// add appends one lower-case word unless it is a function word. letters says
// that it is ASCII letters alone, and so perhaps English.
func (x *extractor) add(w string, letters bool) {
	if letters {
		if len(w) <= longestStop && isStop(w) {
			return
		}
		w = stem(cut(w))
	} else {
		w = cut(w)
	}
	x.out = append(x.out, w)
}

// maxRunes is the length at which a term is cut: longer ones are data, not
// words.
const maxRunes = 64

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
