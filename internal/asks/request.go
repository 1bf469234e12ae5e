package asks

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"orihon/internal/terms"
)

// Request is what a request to forget has of the words of one.
type Request uint8

// The sorts of requests.
const (
	NoWords  Request = iota // none of them: it tells of the world
	Drops                   // words that may as well speak of things: "drop", 刪
	OfMemory                // words of memory, or of what it keeps: "remember", "rule", 記
)

// Requested tells the words by which people ask to forget something from what they mean.
func Requested(text string) (meant []string, r Request) {
	rest, memory := without(terms.Fold(text), ofMemory(), chineseOfMemory())
	rest, drops := without(rest, ofDropping(), chineseOfDropping())
	rest, _ = without(rest, besideRequest(), chineseBeside())
	switch {
	case memory:
		r = OfMemory
	case drops:
		r = Drops
	}
	for _, t := range terms.Query(rest) {
		// One Chinese character stands in words of any matter.
		if first, size := utf8.DecodeRuneInString(t); size < len(t) || !unicode.Is(unicode.Han, first) {
			meant = append(meant, t)
		}
	}
	return meant, r
}

// PassesOn reports whether a text wants something that memory holds given to other people,
// and nothing dropped: "share the note on the kiln with Ada".
func PassesOn(text string) bool {
	folded := terms.Fold(text)
	said := terms.Words(folded)
	has := func(words map[string]bool) bool {
		return slices.ContainsFunc(said, func(w string) bool { return words[w] })
	}
	if !has(passingOn()) && !holdsOne(folded, chinesePassingOn()) {
		return false
	}
	_, drops := without(folded, ofDropping(), chineseOfDropping())
	return !drops && !has(refusing()) && !holdsOne(folded, chineseNeedless())
}

var (
	passingOn        = lists.Words("passing-on")
	chinesePassingOn = lists.Phrases("chinese-passing-on")
	refusing         = lists.Words("refusing")
	chineseNeedless  = lists.Phrases("chinese-needless")

	ofMemory          = lists.Words("of-memory")
	ofDropping        = lists.Words("of-dropping")
	besideRequest     = lists.Words("beside-request")
	chineseOfDropping = phrases("chinese-of-dropping")
	chineseBeside     = phrases("chinese-beside")
	chineseOfMemory   = sync.OnceValue(func() *strings.Replacer {
		var out []string
		for _, needless := range chineseNeedless() {
			for _, further := range append([]string{""}, lists.Phrases("chinese-further")()...) {
				for _, keeping := range lists.Phrases("chinese-keeping")() {
					out = append(out, needless+further+keeping)
				}
			}
		}
		return replacer(append(out, lists.Phrases("chinese-of-memory")()...))
	})
)

func phrases(list string) func() *strings.Replacer {
	return sync.OnceValue(func() *strings.Replacer { return replacer(lists.Phrases(list)()) })
}

// replacer puts a comma for each phrase, so that what stands on its sides makes no word.
// Earlier phrases go before later ones.
func replacer(phrases []string) *strings.Replacer {
	var pairs []string
	for _, p := range phrases {
		pairs = append(pairs, p, ",")
	}
	return strings.NewReplacer(pairs...)
}

// without is a folded text without some words, and whether it had any.
func without(text string, english map[string]bool, chinese *strings.Replacer) (rest string, had bool) {
	var b strings.Builder
	letter := func(c byte) bool {
		return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '\'' || c == '-' || c == '_'
	}
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && letter(text[end]) {
			end++
		}
		if end > i && !english[text[i:end]] {
			b.WriteString(text[i:end])
		}
		had = had || end > i && english[text[i:end]]
		if end < len(text) {
			b.WriteByte(text[end])
		}
		i = end + 1
	}
	rest = chinese.Replace(b.String())
	return rest, had || rest != b.String()
}
