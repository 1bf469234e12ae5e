package mining

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"
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

// isOver reports whether something that was said says that something is over, and
// whether it says that it was otherwise before.
func isOver(said string) (over, before bool) {
	low := strings.ReplaceAll(strings.ToLower(said), "’", "'")
	return holdsAny(low, overPhrases()["over"]), holdsAny(low, overPhrases()["before"])
}

func holdsAny(low string, phrases [][]string) bool {
	for _, p := range phrases {
		if holds(low, p) {
			return true
		}
	}
	return false
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
