package copies

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Words are the texts that are looked for.
type Words struct {
	letters []rune         // of all texts, with [between] around each
	before  []int          // width of the texts up to the letter before
	after   []int          // width of the texts up to the letter behind
	tails   map[int]string // by the place behind a text, what it has behind its last letter
	seeds   map[[seed]rune][]int32
	common  [1 << 16]bool // of which hashes there are seeds

	short *regexp.Regexp // texts too short to have pieces; nil without any
	// Letters that stand in what may be kept, in pieces of either width.
	kept, keptCut []bool
}

// New returns what finds copies of the texts. Blank ones are left out.
func New(texts ...string) *Words {
	w := &Words{seeds: make(map[[seed]rune][]int32), tails: make(map[int]string), letters: []rune{between}, before: []int{0}, after: []int{0}}
	var short []string
	for _, text := range texts {
		text = strings.TrimSpace(norm.NFC.String(strings.ToValidUTF8(text, "\ufffd")))
		if text != "" && !w.add(text) {
			short = append(short, text)
		}
	}
	for i := range w.letters {
		if key, ok := w.key(i); ok {
			const most = 16 // of places with the same seed: repeated text is found by any
			if at := w.seeds[key]; len(at) < most {
				w.seeds[key] = append(at, int32(i))
			}
			w.common[hash(key)] = true
		}
	}
	w.kept, w.keptCut = make([]bool, len(w.letters)), make([]bool, len(w.letters))
	w.short = asWords(short)
	return w
}

// add takes up a text and reports whether it is long enough to have pieces.
func (w *Words) add(text string) bool {
	own := letters(nil, []byte(text), 0)
	size := 0
	for _, l := range own {
		size += width(l.r)
	}
	if size < leastAll || len(own) < seed {
		return false
	}
	upto := widths(text)
	for i, l := range own {
		before, after := 0, upto[len(text)]
		if j := i - 1; j >= 0 {
			before = upto[own[j].to]
			if own[j].r == parted {
				before = upto[own[j].from]
			}
		}
		if j := i + 1; j < len(own) {
			after = upto[own[j].from]
			if own[j].r == parted {
				after = upto[own[j].to]
			}
		}
		w.letters, w.before, w.after = append(w.letters, l.r), append(w.before, before), append(w.after, after)
	}
	w.tails[len(w.letters)] = text[own[len(own)-1].to:]
	w.letters, w.before, w.after = append(w.letters, between), append(w.before, 0), append(w.after, 0)
	return true
}

// Empty reports whether there is nothing to look for.
func (w *Words) Empty() bool { return len(w.seeds) == 0 && w.short == nil }

// Keep says that a text stays as it is: pieces that it has as well tell nothing of
// the texts that are looked for, and are not found from now on. A text that is
// whole is found all the same.
func (w *Words) Keep(text string) {
	b := block{w: w, letters: letters(nil, []byte(text), 0)}
	for i := range b.letters {
		for _, at := range b.seeds(i) {
			if a := int(at); i > 0 && b.letters[i-1].r == w.letters[a-1] {
				continue // part of a run that was measured
			}
			r := b.extend(i, int(at))
			if w.widthOf(r) >= least {
				mark(w.kept, r)
			}
			if w.widthOf(r) >= leastCut {
				mark(w.keptCut, r)
			}
		}
	}
}

func mark(kept []bool, r run) {
	for i := r.at; i < r.at+r.n; i++ {
		kept[i] = true
	}
}

// asWords matches texts of a word or two, where they stand by themselves: "go" is
// no part of "google".
func asWords(texts []string) *regexp.Regexp {
	slices.SortStableFunc(texts, func(a, b string) int { return len(b) - len(a) })
	var alternatives []string
	for _, text := range texts {
		for _, text := range []string{text, strings.TrimRight(text, finalMarks)} {
			words := strings.Fields(text)
			if len(words) == 0 {
				continue
			}
			for i := range words {
				words[i] = regexp.QuoteMeta(words[i])
			}
			pattern := strings.Join(words, `\s+`)
			if wordByte(text[0]) {
				pattern = `\b` + pattern
			}
			if wordByte(text[len(text)-1]) {
				pattern += `\b`
			}
			alternatives = append(alternatives, pattern)
		}
	}
	if len(alternatives) == 0 {
		return nil
	}
	return regexp.MustCompile("(?i:" + strings.Join(alternatives, "|") + ")") // all quoted
}

// finalMarks may end a sentence, or not, wherever it is said.
const finalMarks = ".。!！?？;；…"

func wordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
