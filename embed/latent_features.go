package embed

import (
	"hash/crc32"
	"math"
	"slices"
	"unicode/utf8"

	"orihon/internal/terms"
)

// What a text is made of for [Latent]: its terms, pairs of terms that follow
// each other, and groups of four letters within a term. The weights were tuned
// on LoCoMo, see [Train].
const (
	latentWord = iota
	latentPair
	latentGram
)

// latentWeight is the weight of a feature by its kind.
var latentWeight = [...]float64{latentWord: 1, latentPair: 0.6, latentGram: 0.2}

// latentVersion changes whenever the same text may have other features, or the
// same passages another model.
const latentVersion = "lsa1"

// latentTerms is how many terms of a text are looked at: passages have at most
// a few hundred.
const latentTerms = 2000

// featureSum names how texts are cut into features; a model trained with
// another one is of no use.
func featureSum() uint32 {
	return crc32.ChecksumIEEE([]byte(latentVersion + "/" + terms.Version))
}

// feature is one place of a text's sparse vector.
type feature struct {
	bucket uint32
	weight float32 // of its kind, times 1 + ln of how often it stands there
}

// features cuts texts; its memory is used again for the next one.
type features struct {
	bits int
	keys []uint64
	out  []feature
}

// of returns the features of a text, by bucket. They are valid until the next
// call.
func (f *features) of(text string) []feature {
	f.keys, f.out = f.keys[:0], f.out[:0]
	words := terms.Index(text)
	words = words[:min(len(words), latentTerms)]
	prev := ""
	for _, w := range words {
		f.add(latentWord, w, "")
		if r, _ := utf8.DecodeRuneInString(w); r >= firstCJK {
			prev = "" // pairs of characters are terms already
			continue
		}
		if prev != "" {
			f.add(latentPair, prev, w)
		}
		prev = w
		f.grams(w)
	}
	slices.Sort(f.keys)
	for i := 0; i < len(f.keys); {
		end := i + 1
		for end < len(f.keys) && f.keys[end] == f.keys[i] {
			end++
		}
		weight := latentWeight[f.keys[i]&3]
		if n := end - i; n > 1 {
			weight *= 1 + math.Log(float64(n))
		}
		f.out = append(f.out, feature{uint32(f.keys[i] >> 2), float32(weight)})
		i = end
	}
	return f.out
}

// firstCJK is where the scripts begin whose terms have no letters to group.
const firstCJK = 0x2e80

// grams adds the groups of four letters of a word of more, with marks for its
// ends.
func (f *features) grams(w string) {
	const n = gramLen
	var buf [96]byte
	s := append(append(append(buf[:0], '^'), w...), '$')
	if len(s) <= n+2 {
		return // the word itself says as much
	}
	for i := 0; i+n <= len(s); i++ {
		if !utf8.RuneStart(s[i]) {
			continue
		}
		end := i
		for range n {
			if end >= len(s) {
				return
			}
			_, size := utf8.DecodeRune(s[end:])
			end += size
		}
		f.key(latentGram, hashBytes(hashStart(latentGram), s[i:end]))
	}
}

func (f *features) add(kind uint32, a, b string) {
	h := hashBytes(hashStart(kind), a)
	if b != "" {
		h = hashBytes(hashBytes(h, " "), b)
	}
	f.key(kind, h)
}

func (f *features) key(kind uint32, h uint64) {
	// FNV mixes its high bits badly for short texts.
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	f.keys = append(f.keys, h>>(64-f.bits)<<2|uint64(kind))
}

func hashStart(kind uint32) uint64 {
	return (hashBegin ^ uint64(kind)) * hashPrime
}
