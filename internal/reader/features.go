package reader

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/meaning"
	"orihon/internal/terms"
)

// Features are what a piece is judged by: hashes that are there or not, and what
// it means.
type Features struct {
	Hashes  []uint32
	Meaning meaning.Vector // nil is nothing
	Words   []uint32       // hashes, in their order
}

// token is a word, a Chinese character or a sign of a piece.
type token struct {
	hash  uint32
	shape uint32 // the same for words of one form: short ones are themselves
}

// Sorts of features, so that the same words count apart by where they stand.
const (
	sortWord = iota + 1
	sortPair
	sortTriple
	sortShape2
	sortShape3
	sortShape4
	sortSkip
	sortFirst
	sortFirst2
	sortFirst3
	sortLast
	sortLast2
	sortPlace
	sortNear
	sortBorder
	sortBorderAfter
	sortBefore    = 32 // and beyond: of the piece before
	sortAfter     = 64
	sortFarBefore = 96
	sortFarAfter  = 97
)

// features of the pieces of a prompt.
func features(prompt string, pieces []piece) []Features {
	const few = 40 // words of a piece, in their order, that say what it is
	tokens := make([][]token, len(pieces))
	out := make([]Features, len(pieces))
	for i, p := range pieces {
		tokens[i] = tokenize(begin(prompt[p.from:p.to]))
		for _, t := range tokens[i][:min(len(tokens[i]), few)] {
			out[i].Words = append(out[i].Words, t.hash)
		}
	}
	for i, p := range pieces {
		out[i].Meaning = meaning.Builtin().Encode(terms.Query(begin(prompt[p.from:p.to])), nil)
	}
	for i, p := range pieces {
		text := prompt[p.from:p.to]
		b := builder{hashes: make([]uint32, 0, 512)}
		b.place(pieces, i, text)
		b.own(tokens[i])
		if i > 0 {
			b.neighbour(sortBefore, tokens[i-1])
			near := uint32(8 * max(0, out[i].Meaning.Cosine(out[i-1].Meaning)))
			b.add(sortNear, near)
			b.add(sortNear, near, uint32(p.before))
			b.border(sortBorder, tokens[i-1], p.before, tokens[i])
		}
		if i+1 < len(pieces) {
			b.neighbour(sortAfter, tokens[i+1])
			b.border(sortBorderAfter, tokens[i], pieces[i+1].before, tokens[i+1])
		}
		for k := max(0, i-6); k < i-1; k++ {
			b.words(sortFarBefore, tokens[k])
		}
		for k := i + 2; k < min(len(pieces), i+6); k++ {
			b.words(sortFarAfter, tokens[k])
		}
		out[i].Hashes = b.hashes
	}
	return out
}

// begin is the part of a piece that is read.
func begin(text string) string {
	const enough = 300 // bytes
	if len(text) > enough {
		return text[:border(text, enough)]
	}
	return text
}

type builder struct{ hashes []uint32 }

func (b *builder) add(sort uint32, parts ...uint32) {
	h := mix(2166136261, sort)
	for _, p := range parts {
		h = mix(h, p)
	}
	b.hashes = append(b.hashes, h)
}

func mix(h, x uint32) uint32 {
	h ^= x
	h *= 0x9E3779B1
	h ^= h >> 15
	return h
}

// own adds the n-grams of a piece.
func (b *builder) own(t []token) {
	for i := range t {
		b.add(sortWord, t[i].hash)
		if i+1 < len(t) {
			b.add(sortPair, t[i].hash, t[i+1].hash)
			b.add(sortShape2, t[i].shape, t[i+1].shape)
		}
		if i+2 < len(t) {
			b.add(sortTriple, t[i].hash, t[i+1].hash, t[i+2].hash)
			b.add(sortShape3, t[i].shape, t[i+1].shape, t[i+2].shape)
			b.add(sortSkip, t[i].hash, t[i+2].hash)
		}
		if i+3 < len(t) {
			b.add(sortShape4, t[i].shape, t[i+1].shape, t[i+2].shape, t[i+3].shape)
		}
	}
	b.ends(0, t)
}

// ends adds how a piece begins and ends.
func (b *builder) ends(where uint32, t []token) {
	n := len(t)
	if n == 0 {
		return
	}
	b.add(where+sortFirst, t[0].hash)
	b.add(where+sortLast, t[n-1].hash)
	if n > 1 {
		b.add(where+sortFirst2, t[0].hash, t[1].hash)
		b.add(where+sortLast2, t[n-2].hash, t[n-1].hash)
	}
	if n > 2 {
		b.add(where+sortFirst3, t[0].shape, t[1].shape, t[2].shape)
	}
}

// neighbour adds what stands beside a piece.
func (b *builder) neighbour(where uint32, t []token) {
	b.words(where+sortWord, t)
	for i := range len(t) - 1 {
		b.add(where+sortPair, t[i].hash, t[i+1].hash)
	}
	b.ends(where, t)
}

// border adds what two pieces say to be parted or not.
func (b *builder) border(where uint32, one []token, sign rune, other []token) {
	first, last := other[0].hash, one[len(one)-1].hash
	b.add(where, 1, uint32(sign), first)
	b.add(where, 2, uint32(sign), last)
	b.add(where, 3, one[0].hash, first)
	b.add(where, 4, last, first)
	if len(other) > 1 {
		b.add(where, 5, uint32(sign), first, other[1].hash)
	}
	b.add(where, 6, uint32(sign), uint32(min(len(one), 30)/3), uint32(min(len(other), 30)/3))
}

func (b *builder) words(sort uint32, t []token) {
	for i := range t {
		b.add(sort, t[i].hash)
	}
}

// place adds where a piece stands and what it looks like.
func (b *builder) place(pieces []piece, i int, text string) {
	p := pieces[i]
	n := uint32(0)
	flag := func(values ...int) {
		for _, v := range values {
			b.add(sortPlace, n, uint32(v))
			n++
		}
	}
	after := rune(0)
	if i+1 < len(pieces) {
		after = pieces[i+1].before
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	han, upper, digits := 0, 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.IsUpper(r):
			upper++
		case unicode.IsDigit(r):
			digits++
		}
	}
	size := terms.Width(text)
	length := 0
	for length < 7 && size > 6<<length {
		length++
	}
	rest := len(pieces) - 1 - i
	m := p.line
	flag(bit(p.line.fenced), bit(m.marked), bit(m.indented), bit(m.listed), m.signs, bit(m.led), bit(p.quoted))
	flag(int(p.before), int(after), int(last), min(i, 4), min(rest, 4), bit(len(pieces) == 1), length, min(len(pieces)/3, 5))
	flag(bit(han > 0), bit(digits > 0), min(digits, 3), min(upper, 4))
	flag(int(p.before)<<3|length, min(i, 2)<<3|length, m.signs<<8|int(p.before))
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// tokenize folds a text and cuts it into words, Chinese characters and signs.
// Numbers of the same length are one word.
func tokenize(text string) []token {
	s := terms.Fold(text)
	out := make([]token, 0, len(s)/3+1)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError || unicode.IsSpace(r):
			i += size
			continue
		case unicode.Is(unicode.Han, r):
			h := mix(7, uint32(r))
			out = append(out, token{hash: h, shape: h})
		case word(r):
			end := i + size
			name, digits, letters := false, 0, 0
			for j := i; j < len(s); {
				r, size := utf8.DecodeRuneInString(s[j:])
				switch {
				case unicode.Is(unicode.Han, r):
					j = len(s)
					continue
				case r >= '0' && r <= '9':
					digits++
				case word(r):
					letters++
				case (r == '\'' || r == '’') && j+size < len(s):
				case strings.ContainsRune("_./-:@", r) && j+size < len(s) && s[j+size] < utf8.RuneSelf && word(rune(s[j+size])):
					name = name || r != '-'
				default:
					j = len(s)
					continue
				}
				j += size
				end = j
			}
			out = append(out, wordToken(s[i:end], name, digits, letters))
			i = end
			continue
		default:
			h := mix(11, uint32(r))
			out = append(out, token{hash: h, shape: h})
		}
		i += size
	}
	return out
}

func wordToken(w string, name bool, digits, letters int) token {
	switch {
	case letters == 0 && digits > 0:
		h := mix(13, uint32(min(digits, 6)))
		return token{hash: h, shape: mix(13, 0)}
	case name, digits > 0:
		return token{hash: mix(17, uint32(bit(name)*2+bit(digits > 0))), shape: mix(17, 0)}
	}
	h := hashText(strings.ReplaceAll(strings.ReplaceAll(w, "'", ""), "’", ""))
	if len(w) <= 4 {
		return token{hash: h, shape: h}
	}
	return token{hash: h, shape: mix(19, hashText(w[len(w)-2:]))}
}

func hashText(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}
