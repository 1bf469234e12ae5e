package copies

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// How much of a text must stand together to be a copy of it. A width is one for a
// character and two for a wide one, such as a Chinese character; of blanks in a
// row, as code is indented by, so many count.
const (
	seed     = 6  // letters that have to be the same before anything is measured
	least    = 24 // width of a piece that nothing marks as one
	leastCut = 16 // width of a piece between the text's own ends and marks of a cut
	blanks   = 4
	leastAll = 12 // letters, a wide one counting two: a shorter text has no pieces
)

// run is a stretch of letters that a text has in common with what is looked for.
type run struct {
	from, n int // in the letters of the text
	at      int // in those of [Words]
}

// block is a window of a text.
type block struct {
	w       *Words
	text    []byte // the whole of it
	letters []letter
	upto    int  // runs that begin here are another window's
	last    bool // the text ends with it
	keep    bool
	out     []Span
}

// seeds are the places in the texts that begin as the letters at i do.
func (b *block) seeds(i int) []int32 {
	if i+seed > len(b.letters) {
		return nil
	}
	l := b.letters[i : i+seed]
	key := [seed]rune{l[0].r, l[1].r, l[2].r, l[3].r, l[4].r, l[5].r}
	if !b.w.common[hash(key)] {
		return nil
	}
	return b.w.seeds[key]
}

// extend makes a run of a seed as long as it goes, to both sides.
func (b *block) extend(i, at int) run {
	w := b.w
	r := run{from: i, n: seed, at: at}
	for r.from > 0 && b.letters[r.from-1].r == w.letters[r.at-1] {
		r.from, r.at, r.n = r.from-1, r.at-1, r.n+1
	}
	for r.from+r.n < len(b.letters) && b.letters[r.from+r.n].r == w.letters[r.at+r.n] {
		r.n++
	}
	return r
}

// widthOf is how much of a text a run stands for.
func (w *Words) widthOf(r run) int { return w.after[r.at+r.n-1] - w.before[r.at] }

// key is the seed at a place; not ok where a text ends before.
func (w *Words) key(i int) (key [seed]rune, ok bool) {
	if i+seed > len(w.letters) {
		return key, false
	}
	copy(key[:], w.letters[i:])
	return key, !slices.Contains(key[:], between)
}

func hash(k [seed]rune) uint16 {
	h := uint32(k[0])*0x9e3779b1 + uint32(k[1])*0x85ebca6b + uint32(k[2])*0xc2b2ae35 + uint32(k[3])*0x27d4eb2f + uint32(k[4])*0x165667b1 + uint32(k[5])*0x2c1b3c6d
	return uint16(h >> 16)
}

// widths is, for each byte, how wide the text before it is.
func widths(text string) []int {
	out := make([]int, len(text)+1)
	sum, blank := 0, 0
	for i, r := range text {
		for j := i; j < len(text) && (j == i || !utf8.RuneStart(text[j])); j++ {
			out[j] = sum
		}
		if blank++; !unicode.IsSpace(r) {
			blank = 0
		}
		if blank <= blanks && !unicode.Is(unicode.Mn, r) {
			sum += width(r)
		}
	}
	out[len(text)] = sum
	return out
}

func width(r rune) int {
	if wide(r) {
		return 2
	}
	return 1
}

// wide reports whether a character is written without blanks around words.
func wide(r rune) bool {
	return r >= 0x2e80 && (r <= 0x9fff || 0xac00 <= r && r <= 0xd7a3 || 0xff00 <= r && r <= 0xff60 || r >= 0x20000)
}
