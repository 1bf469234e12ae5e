package embed

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalized carries out the steps of normalising.
func (c *cutting) normalized(text string, m charsmap) string {
	for _, s := range c.Normalize {
		text = s.normalize(text, m)
	}
	return text
}

// forms are the normal forms of Unicode by their names.
var forms = map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}

func (s step) normalize(text string, m charsmap) string {
	switch s.Do {
	case "clean":
		return strings.Map(clean, text)
	case "ideographs":
		return spaced(text)
	case "marks":
		return strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, text)
	case "lower":
		return strings.ToLower(text)
	case "NFC", "NFD", "NFKC", "NFKD":
		return forms[s.Do].String(text)
	case "strip":
		if s.Left {
			text = strings.TrimLeftFunc(text, unicode.IsSpace)
		}
		if s.Right {
			text = strings.TrimRightFunc(text, unicode.IsSpace)
		}
		return text
	case "prepend":
		if text == "" {
			return text
		}
		return s.To + text
	case "replace":
		return strings.ReplaceAll(text, s.From, s.To)
	case "pattern":
		return s.replacePattern(text)
	case "charsmap":
		return string(m.normalize([]byte(text)))
	}
	return text
}

// replacePattern knows the pattern that nearly every model has, since compiling
// one takes longer than the rest of a short text.
func (s step) replacePattern(text string) string {
	if s.From == `\s+` && !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) && r != ' ' }) && !strings.Contains(text, "  ") && s.To == " " {
		return text
	}
	re, err := regexp.Compile(s.From)
	if err != nil {
		return text
	}
	return re.ReplaceAllLiteralString(text, s.To)
}

// clean drops control characters and makes all white space spaces, as BERT
// does.
func clean(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r' || unicode.IsSpace(r):
		return ' '
	case r == 0 || r == utf8.RuneError || unicode.Is(unicode.C, r):
		return -1
	}
	return r
}

// spaced puts spaces around ideographs, so that each is a word.
func spaced(text string) string {
	if !strings.ContainsFunc(text, ideograph) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if ideograph(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// ideograph is BERT's idea of a Chinese character: the blocks of unified and
// compatibility ideographs.
func ideograph(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0xF900 && r <= 0xFAFF ||
		r >= 0x20000 && r <= 0x2A6DF || r >= 0x2A700 && r <= 0x2CEAF || r >= 0x2F800 && r <= 0x2FA1F
}

// words carries out the steps of splitting.
func (c *cutting) words(text string) []string {
	if text == "" {
		return nil
	}
	words := []string{text}
	for _, s := range c.Split {
		var next []string
		for i, w := range words {
			next = s.split(next, w, i == 0)
		}
		words = next
	}
	return words
}

// split appends the parts of one word; first says that the word begins the
// text.
func (s step) split(out []string, w string, first bool) []string {
	switch s.Do {
	case "bert":
		return splitBy(out, w, func(r rune) int {
			switch {
			case unicode.IsSpace(r):
				return drop
			case punctuation(r):
				return alone
			}
			return 0
		})
	case "punctuation":
		return splitBy(out, w, func(r rune) int {
			if punctuation(r) {
				return alone
			}
			return 0
		})
	case "space":
		return append(out, strings.FieldsFunc(w, unicode.IsSpace)...)
	case "words":
		return splitBy(out, w, func(r rune) int {
			switch {
			case unicode.IsSpace(r):
				return drop
			case unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc):
				return 1
			}
			return 2
		})
	case "digits":
		return splitBy(out, w, func(r rune) int {
			switch {
			case !unicode.IsNumber(r):
				return 0
			case s.Split:
				return alone
			}
			return 1
		})
	case "metaspace":
		return s.metaspace(out, w, first)
	}
	return append(out, w)
}

// What splitBy does with a character; other values are kinds, and characters of
// one kind stay together.
const (
	drop  = -1
	alone = -2
)

func splitBy(out []string, w string, kind func(rune) int) []string {
	from, last := 0, drop
	for i, r := range w {
		k := kind(r)
		if k == last && k >= 0 {
			continue
		}
		if last != drop && i > from {
			out = append(out, w[from:i])
		}
		from, last = i, k
	}
	if last != drop && from < len(w) {
		out = append(out, w[from:])
	}
	return out
}

func punctuation(r rune) bool {
	if r < 0x80 {
		return r >= 33 && r <= 47 || r >= 58 && r <= 64 || r >= 91 && r <= 96 || r >= 123 && r <= 126
	}
	return unicode.Is(unicode.P, r)
}

// metaspace writes spaces as a visible character and cuts before each.
func (s step) metaspace(out []string, w string, first bool) []string {
	if s.From == "" {
		return append(out, w)
	}
	w = strings.ReplaceAll(w, " ", s.From)
	if (s.To == "always" || s.To == "first" && first) && !strings.HasPrefix(w, s.From) {
		w = s.From + w
	}
	if !s.Split {
		return append(out, w)
	}
	for from := 0; from < len(w); {
		to := strings.Index(w[from+1:], s.From)
		if to < 0 {
			return append(out, w[from:])
		}
		out = append(out, w[from:from+1+to])
		from += 1 + to
	}
	return out
}

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
