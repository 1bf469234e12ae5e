package revise

import (
	_ "embed"
	"hash/fnv"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Slots is how many weights words share by their hashes (Weinberger et al. 2009,
// "Feature hashing for large scale multitask learning").
const Slots = 1 << 14

// Step is the least difference between two weights of words.bin, one byte each.
const Step = 1.0 / 32

//go:embed words.bin
var weights string

// Slot is where the weight of a word stands.
func Slot(word string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(word))
	return int(h.Sum32() % Slots)
}

// Says is how much words say of a change, by a weight for each slot.
func Says(words []string, weight func(slot int) float64) float64 {
	sum := 0.0
	for _, w := range words {
		sum += weight(Slot(w))
	}
	return sum / math.Sqrt(float64(len(words))+4)
}

func learned(slot int) float64 {
	if slot >= len(weights) {
		return 0
	}
	return Step * float64(int8(weights[slot]))
}

// manners are what a run is read by for how it says something: its words and pairs of
// them, numbers and names apart from what they are, and pairs of Chinese characters.
func manners(s string) []string {
	var tokens []string
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '_'):
			end := i + size
			for end < len(s) && s[end] < utf8.RuneSelf && (unicode.IsLetter(rune(s[end])) || unicode.IsDigit(rune(s[end])) || strings.IndexByte("'_-./:@", s[end]) >= 0 && end+1 < len(s) && s[end+1] < utf8.RuneSelf && (unicode.IsLetter(rune(s[end+1])) || unicode.IsDigit(rune(s[end+1])))) {
				end++
			}
			tokens = append(tokens, token(s[i:end]))
			size = end - i
		case unicode.Is(unicode.Han, r) || strings.ContainsRune("?？!！(（>→", r):
			tokens = append(tokens, string(r))
		}
		i += size
	}
	out := make([]string, 0, 2*len(tokens)+2)
	before := "^"
	for _, t := range append(tokens, "$") {
		if t != "$" {
			out = append(out, t)
		}
		out = append(out, before+" "+t)
		before = t
	}
	return out
}

func token(w string) string {
	switch {
	case strings.ContainsFunc(w, unicode.IsDigit):
		return "0"
	case strings.ContainsAny(w, "_./:@") || strings.ContainsFunc(w[1:], unicode.IsUpper):
		return "N"
	}
	return strings.ToLower(w)
}
