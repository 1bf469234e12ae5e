package terms

import "unicode/utf8"

// token is a word of a run of CJK characters, or a character of a word that is
// not known.
type token struct {
	start, end int
	known      bool
	light      bool // see isLight
}

// askCJK adds the pairs of a run that stand within its words, as far as these
// are known, and between its function words.
func (x *extractor) askCJK(run string) {
	piece := x.tokens[:0]
	for i := 0; i < len(run); {
		r, size := utf8.DecodeRuneInString(run[i:])
		n, known := functionWord(run, i), known(words(), run, i)
		day, length := weekday(run[i:])
		switch {
		case length > 0:
			x.askPiece(run, piece)
			piece = piece[:0]
			x.out = append(x.out, day)
			i += length
		case n >= known && n > 0, known == 0 && cuts(r):
			x.askPiece(run, piece)
			piece = piece[:0]
			i += max(n, size)
		case known > 0:
			piece = append(piece, token{start: i, end: i + known, known: true})
			i += known
		default:
			piece = append(piece, token{start: i, end: i + size, light: isLight(r)})
			i += size
		}
	}
	x.askPiece(run, piece)
	x.tokens = piece[:0]
}

// askPiece adds the pairs of what stands between function words, or its only
// character.
func (x *extractor) askPiece(run string, piece []token) {
	if len(piece) == 1 && !piece[0].known {
		if r, _ := utf8.DecodeRuneInString(run[piece[0].start:]); !isLight(r) {
			x.out = append(x.out, run[piece[0].start:piece[0].end])
		}
		return
	}
	for i, t := range piece {
		if i > 0 && bridges(run, piece, i) {
			before := piece[i-1]
			_, last := utf8.DecodeLastRuneInString(run[:before.end])
			_, first := utf8.DecodeRuneInString(run[t.start:])
			x.out = append(x.out, run[before.end-last:t.start+first])
		}
		if t.known {
			x.pairs(run[t.start:t.end])
		}
	}
}

// bridges reports whether the last character before the token and its first
// one may belong to one word.
func bridges(run string, piece []token, i int) bool {
	a, b := piece[i-1], piece[i]
	switch {
	case a.known && b.known, a.known && b.light, a.light && b.known:
		return false
	case a.known || b.known:
		return true
	// A character that is no word by itself stays in one pair.
	case a.light && i > 1 && piece[i-2].known:
		return !b.light && i+1 == len(piece)
	case b.light && i+1 < len(piece) && piece[i+1].known:
		return !a.light && i == 1
	}
	pair := run[a.start:b.end]
	first, size := utf8.DecodeRuneInString(pair)
	second, _ := utf8.DecodeRuneInString(pair[size:])
	return !isFunction(first) || !isFunction(second) || isContentPair(pair)
}

// storeCJK adds a run's pairs, so that they stand side by side for a phrase,
// and then its single characters; behind the first of a day of the week stands
// the form in which queries ask for it.
func (x *extractor) storeCJK(run string) {
	x.pairs(run)
	for len(run) > 0 {
		_, size := utf8.DecodeRuneInString(run)
		x.out = append(x.out, run[:size])
		if day, _ := weekday(run); day != "" {
			x.out = append(x.out, day)
		}
		run = run[size:]
	}
}

// pairs adds the pairs of a word or a run.
func (x *extractor) pairs(word string) {
	_, last := utf8.DecodeRuneInString(word)
	for i, j := 0, last; j < len(word); {
		_, size := utf8.DecodeRuneInString(word[j:])
		x.out = append(x.out, word[i:j+size])
		i, j = j, j+size
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
