package copies

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"orihon/internal/redact"
	"orihon/internal/terms"
)

// letter is a letter or digit of a text, folded, with the bytes it stands for.
type letter struct {
	r        rune
	from, to int32
}

// Pseudo-letters.
const (
	parted  = rune(1) // something stands between two digits: 1.23 is not 12.3
	between = rune(0) // no text has it: keeps several texts apart
)

// reader takes the letters out of a text.
type reader struct {
	text []byte
	base int // offset of text in what the letters count
	out  []letter
}

// letters appends those of text to out; offsets begin at base.
func letters(out []letter, text []byte, base int) []letter {
	r := reader{text, base, out}
	for i := 0; i < len(text); {
		i = r.next(i)
	}
	return r.out
}

// next reads what begins at i and returns where it ends.
func (r *reader) next(i int) int {
	c := r.text[i]
	switch {
	case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		r.add(rune(c), i, i+1)
	case 'A' <= c && c <= 'Z':
		r.add(rune(c+'a'-'A'), i, i+1)
	case c == 0x1b:
		return i + steering(r.text[i:])
	case c == '[':
		return i + 1 + colour(r.text[i+1:])
	case c == '\\':
		return r.escape(i)
	case c == '%':
		return r.escaped(i, i+1)
	case c == '&':
		return r.entity(i, i+1)
	case c >= utf8.RuneSelf:
		x, size := utf8.DecodeRune(r.text[i:])
		r.fold(x, i, i+size)
		return i + size
	}
	return i + 1
}

// steering is the length of what only steers a terminal. A title or a link may hold
// a copy: only its beginning is passed by.
func steering(text []byte) int {
	const longest = 64 // bytes of a sequence
	if len(text) > 1 && bytes.IndexByte([]byte("]PX^_"), text[1]) >= 0 {
		return 2
	}
	return redact.Sequence(string(text[:min(len(text), longest)]))
}

// colour is the length of what a colour leaves of itself behind its bracket where
// only the escape before it was taken out, or is written as code writes it.
func colour(text []byte) int {
	n := 0
	for n < len(text) && n < 12 && ('0' <= text[n] && text[n] <= '9' || text[n] == ';') {
		n++
	}
	erases := bytes.HasPrefix(text[n:], []byte("m[K")) || bytes.HasPrefix(text[n:], []byte("m\x1b[K"))
	switch {
	case erases:
		return n + bytes.IndexByte(text[n:], 'K') + 1
	case n > 0 && n < len(text) && text[n] == 'm':
		return n + 1
	}
	return 0
}

func (r *reader) add(x rune, from, to int) {
	from, to = from+r.base, to+r.base
	if n := len(r.out); n > 0 && unicode.IsDigit(x) && int(r.out[n-1].to) < from && unicode.IsDigit(r.out[n-1].r) {
		r.out = append(r.out, letter{parted, r.out[n-1].to, int32(from)})
	}
	r.out = append(r.out, letter{x, int32(from), int32(to)})
}

// fold adds a character in the form in which all its spellings are the same:
// decomposed, without marks, in lower case, Chinese in the simplified script.
func (r *reader) fold(x rune, from, to int) {
	switch {
	case 0x3400 <= x && x <= 0x9fff: // Han
		r.add(terms.Simplified(x), from, to)
	case x < utf8.RuneSelf: // ASCII from an escape
		if unicode.IsLetter(x) || unicode.IsDigit(x) {
			r.add(unicode.ToLower(x), from, to)
		}
	case 0xac00 <= x && x <= 0xd7a3: // Hangul, by arithmetic
		const vowels, tails = 21, 28
		s := x - 0xac00
		r.add(0x1100+s/(vowels*tails), from, to)
		r.add(0x1161+s%(vowels*tails)/tails, from, to)
		if t := s % tails; t > 0 {
			r.add(0x11a7+t, from, to)
		}
	default:
		bare := norm.NFKD.PropertiesString(string(x)).Decomposition()
		if bare == nil {
			bare = []byte(string(x))
		}
		for _, x := range string(bare) {
			if unicode.IsLetter(x) || unicode.IsNumber(x) || unicode.Is(unicode.Mc, x) {
				r.add(unicode.ToLower(x), from, to)
			}
		}
	}
}

// escape reads what a run of backslashes stands before. How many there are tells
// how often it was quoted, and does not matter.
func (r *reader) escape(i int) int {
	j := i
	for j < len(r.text) && r.text[j] == '\\' {
		j++
	}
	if j == len(r.text) {
		return j
	}
	switch r.text[j] {
	case 'n', 't', 'r', 'b', 'f', 'v':
		return j + 1
	case 'u':
		x, end := hex4(r.text, j+1)
		if end == 0 {
			return j
		}
		if 0xd800 <= x && x < 0xdc00 { // half of a character; the other half follows
			k := end
			for k < len(r.text) && r.text[k] == '\\' {
				k++
			}
			if k > end && k < len(r.text) && r.text[k] == 'u' {
				if low, stop := hex4(r.text, k+1); stop > 0 && 0xdc00 <= low && low < 0xe000 {
					x, end = 0x10000+(x-0xd800)<<10+(low-0xdc00), stop
				}
			}
		}
		switch x {
		case '&':
			return r.entity(i, end)
		case 0x1b:
			return max(end, i+steering(r.text[i:]))
		}
		r.fold(x, i, end)
		return end
	}
	return r.escaped(i, j)
}

// escaped reads a character whose bytes are escaped each: %e4%b8%ad, \xe4\xb8\xad,
// \344\270\255. The mark that comes before the first digits ends at j; without any
// digits that is where it goes on.
func (r *reader) escaped(i, j int) int {
	b, end := escapedByte(r.text, j)
	if end == 0 {
		return j
	}
	var raw [utf8.UTFMax]byte
	raw[0] = b
	n, stop := 1, end
	for n < len(raw) && !utf8.FullRune(raw[:n]) {
		k := stop
		for k < len(r.text) && (r.text[k] == '\\' || r.text[k] == '%' && k == stop) {
			k++
		}
		b, next := escapedByte(r.text, k)
		if k == stop || next == 0 {
			break
		}
		raw[n] = b
		n, stop = n+1, next
	}
	x, size := utf8.DecodeRune(raw[:n])
	if x == utf8.RuneError || size < n {
		return end
	}
	r.fold(x, i, stop)
	return stop
}

// escapedByte reads the digits behind a percent sign or a backslash; end is 0
// when they are none.
func escapedByte(text []byte, i int) (b byte, end int) {
	if i == 0 || i >= len(text) {
		return 0, 0
	}
	from, digits, base := i, 2, 16
	switch {
	case text[i-1] == '%':
	case text[i] == 'x':
		from++
	case '0' <= text[i] && text[i] <= '3':
		digits, base = 3, 8
	default:
		return 0, 0
	}
	if from+digits > len(text) {
		return 0, 0
	}
	x, ok := number(text[from:from+digits], base)
	if !ok {
		return 0, 0
	}
	return byte(x), from + digits
}

// number reads digits of a base; not ok when one is none.
func number(digits []byte, base int) (x int, ok bool) {
	for _, c := range digits {
		d := digit(c)
		if d >= base {
			return 0, false
		}
		x = min(x*base+d, unicode.MaxRune+1)
	}
	return x, true
}

// digit is the value of a hexadecimal digit, or more than any.
func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 99
}

func hex4(text []byte, i int) (x rune, end int) {
	if i+4 > len(text) {
		return 0, 0
	}
	n, ok := number(text[i:i+4], 16)
	if !ok {
		return 0, 0
	}
	return rune(n), i + 4
}

// entities are the names that stand for no letter.
const entities = " amp lt gt quot apos nbsp "

// entity reads an HTML entity, which may have been escaped again; j is behind its
// ampersand.
func (r *reader) entity(i, j int) int {
	const longest = 10 // letters
	for {
		end := j
		for end < len(r.text) && end-j < longest && (r.text[end] == '#' || digit(r.text[end]) < 16 || 'a' <= r.text[end]|0x20 && r.text[end]|0x20 <= 'z') {
			end++
		}
		if end == len(r.text) || end == j || r.text[end] != ';' {
			return j
		}
		name := r.text[j:end]
		switch {
		case string(name) == "amp":
			j = end + 1
			continue
		case strings.Contains(entities, " "+string(name)+" "):
			return end + 1
		case name[0] != '#':
			return j
		}
		digits, base := name[1:], 10
		if len(digits) > 0 && digits[0]|0x20 == 'x' {
			digits, base = digits[1:], 16
		}
		x, ok := number(digits, base)
		if !ok || x == 0 || x > unicode.MaxRune {
			return j
		}
		r.fold(rune(x), i, end+1)
		return end + 1
	}
}
