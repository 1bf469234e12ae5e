package mining

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"

	"orihon/internal/terms"
)

//go:embed over.txt
var overText string

// overPhrases are the phrases of over.txt by what they say, each cut at its star.
var overPhrases = sync.OnceValue(func() map[string][][]string {
	out := make(map[string][][]string)
	for line := range strings.Lines(overText) {
		if what, phrase, ok := strings.Cut(strings.TrimSpace(line), " "); ok && what != "#" {
			out[what] = append(out[what], strings.Split(phrase, "*"))
		}
	}
	return out
})

// overKinds are the kinds of phrases, in the order of the facts.
var overKinds = [...]string{"over", "perhaps", "before", "itself"}

// says are how many phrases of each kind something that was said holds.
type says [len(overKinds)]float64

// sayings counts the phrases, two of each kind at most.
func sayings(said string) (out says) {
	low := strings.ReplaceAll(strings.ToLower(said), "’", "'")
	for i, k := range overKinds {
		for _, p := range overPhrases()[k] {
			if out[i] < 2 && holds(low, p) {
				out[i]++
			}
		}
	}
	return out
}

// holds reports whether the parts of a phrase stand in a text, at most six characters
// from one to the next.
func holds(low string, parts []string) bool {
	const gap = 6
	for at := 0; ; {
		i := strings.Index(low[at:], parts[0])
		if i < 0 {
			return false
		}
		at += i + len(parts[0])
		if len(parts) == 1 {
			return true
		}
		if j := strings.Index(low[at:], parts[1]); j >= 0 && utf8.RuneCountInString(low[at:at+j]) <= gap {
			return true
		}
	}
}

// ended are the sentences of something that was said that say that something is over,
// each with the one before it.
func ended(said string) string {
	var out []string
	before := ""
	for s := range terms.Sentences(said) {
		if x := sayings(s); x[0]+x[1] > 0 {
			out = append(out, before, s)
		}
		before = s
	}
	return strings.Join(out, "\n")
}
