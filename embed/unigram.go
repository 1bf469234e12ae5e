package embed

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// unigrams cuts a word into the tokens whose scores have the greatest sum
// (Kudo 2018, by Viterbi's algorithm). Characters that no token begins with are
// unknown: left out, or cut into tokens of their bytes.
func (c *cutting) unigrams(l lookup, word string, out []int) []int {
	type node struct {
		score float64
		from  int
		entry int // -1 for an unknown character
	}
	best := make([]node, len(word)+1)
	for i := range best {
		best[i] = node{score: math.Inf(-1), entry: -1}
	}
	best[0].score = 0
	reach := func(from, length, entry int, score float64) {
		if n := &best[from+length]; best[from].score+score > n.score {
			*n = node{best[from].score + score, from, entry}
		}
	}
	for from := range word {
		if math.IsInf(best[from].score, -1) {
			continue
		}
		_, char := utf8.DecodeRuneInString(word[from:])
		single := false
		l.prefixes(word[from:], func(length, entry int) {
			single = single || length == char
			reach(from, length, entry, l.score(entry))
		})
		if !single {
			reach(from, char, -1, c.UnknownScore)
		}
	}
	begun := len(out)
	for at := len(word); at > 0; at = best[at].from {
		if n := best[at]; n.entry >= 0 {
			out = append(out, n.entry)
		} else if c.Bytes {
			out = appendBytes(l, out, word[n.from:at])
		}
	}
	slices.Reverse(out[begun:])
	return out
}

// appendBytes appends the tokens of the bytes of s, last one first, if there
// are all of them.
func appendBytes(l lookup, out []int, s string) []int {
	begun := len(out)
	for i := len(s) - 1; i >= 0; i-- {
		e, ok := l.find(fmt.Appendf(nil, "<0x%02X>", s[i]))
		if !ok {
			return out[:begun]
		}
		out = append(out, e)
	}
	return out
}
