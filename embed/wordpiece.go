package embed

import "unicode/utf8"

// lookup finds the entry of a token.
type lookup interface {
	find(token []byte) (entry int, ok bool)
	// prefixes calls fn with the length and entry of every token that s begins
	// with, shorter ones first.
	prefixes(s string, fn func(length, entry int))
	score(entry int) float64
}

// wordPieces cuts a word into the longest tokens from its beginning; false when
// some rest of it is no token, and the whole word is unknown then.
func (c *cutting) wordPieces(l lookup, word string, out []int) ([]int, bool) {
	if utf8.RuneCountInString(word) > c.MaxChars {
		return out, false
	}
	begun := len(out)
	buf := make([]byte, 0, len(c.Inner)+len(word))
	for from := 0; from < len(word); {
		buf = buf[:0]
		if from > 0 {
			buf = append(buf, c.Inner...)
		}
		inner := len(buf)
		to, entry := len(word), -1
		if most := from + max(c.Longest-inner, 0); to > most {
			to = most
			for to > from && !utf8.RuneStart(word[to]) {
				to--
			}
		}
		for buf = append(buf, word[from:to]...); to > from; {
			if e, ok := l.find(buf); ok {
				entry = e
				break
			}
			_, n := utf8.DecodeLastRuneInString(word[from:to])
			to -= n
			buf = buf[:len(buf)-n]
		}
		if entry < 0 {
			return out[:begun], false
		}
		out, from = append(out, entry), to
	}
	return out, true
}
