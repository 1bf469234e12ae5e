package recall

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"orihon/internal/asks"
	"orihon/internal/dates"
	"orihon/internal/terms"
)

// Unknown returns what a prompt asks about by name, in its own words: proper
// names, identifiers, what stands in quotes, as far as none of its terms but those
// unheard stands in memory or in a journal. It is empty for orders and small talk, for questions about the code
// at hand or the world at large, and for those that name nothing: there it
// helps nobody to hear that memory holds nothing.
func Unknown(prompt string, unheard []string) []string {
	const longest, most = 300, 6 // characters, words
	if utf8.RuneCountInString(prompt) > longest {
		return nil
	}
	var out []string
	for _, s := range asks.Clauses(prompt) {
		if !asksToKnow(s) {
			continue
		}
		for _, w := range namesIn(s) {
			if unknown := slices.ContainsFunc(terms.Query(w), func(t string) bool { return slices.Contains(unheard, t) }); unknown && !slices.Contains(out, w) && len(out) < most {
				out = append(out, w)
			}
		}
	}
	return out
}

// asksToKnow reports whether a sentence asks for something that memory might
// know.
func asksToKnow(sentence string) bool {
	folded := terms.Fold(strings.TrimSpace(sentence))
	if contains(folded, notKnowledge()) {
		return false
	}
	why := strings.Contains(folded, "why ") || strings.Contains(folded, "为什么")
	if why && !contains(folded, choices()) {
		return false
	}
	if intent := Classify(folded); intent == Debugging && !why {
		return false
	}
	if strings.ContainsFunc(folded, han) {
		return asks.Question(folded)
	}
	words := terms.Words(folded)
	for len(words) > 0 && openers()[words[0]] {
		words = words[1:]
	}
	for _, lead := range [...]string{"do you know", "can you tell me", "could you tell me", "tell me", "remind me", "do you remember"} {
		if rest, ok := after(words, lead); ok {
			words = rest
			break
		}
	}
	return len(words) > 1 && asksFirst()[words[0]] && words[1] != "you" && words[1] != "it"
}

// after returns the words behind those of a phrase that they begin with.
func after(words []string, phrase string) ([]string, bool) {
	lead := strings.Fields(phrase)
	if len(words) < len(lead) || !slices.Equal(words[:len(lead)], lead) {
		return words, false
	}
	return words[len(lead):], true
}

func han(r rune) bool { return unicode.Is(unicode.Han, r) }

// openers come before what an English sentence begins with.
var openers = lists.Words("openers")

// asksFirst are the words that English questions begin with. "Should we" asks
// for an opinion.
var asksFirst = lists.Words("asks-first")

// notKnowledge are the phrases, folded, of requests in the form of questions, of
// questions for an opinion or a permission, and of those about the world.
var notKnowledge = lists.Phrases("not-knowledge")

// choices are what a question for a reason asks about, folded, when it is the
// reason of a decision and not of a failure.
var choices = lists.Phrases("choices")

var quotes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`([^`]{2,40})`|\"([^\"]{2,40})\"|“([^”]{2,40})”|「([^」]{2,40})」|『([^』]{2,40})』|《([^》]{2,40})》")
})

// namesIn returns the words of a sentence that name something specific.
func namesIn(sentence string) []string {
	var out []string
	for _, m := range quotes().FindAllStringSubmatch(sentence, -1) {
		for _, inner := range m[1:] {
			if inner != "" {
				out = append(out, strings.TrimSpace(inner))
			}
		}
	}
	rest := quotes().ReplaceAllString(sentence, " ")
	for _, d := range dates.Find(rest, time.Unix(0, 0)) { // whichever day it is, it names no thing
		rest = strings.Replace(rest, d.Text, " ", 1)
	}
	return append(out, writtenNames(rest)...)
}

// word is what an English name may look like, a path or an identifier included.
var word = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z0-9](?:[A-Za-z0-9_]|[-./:@#']+[A-Za-z0-9_])*`)
})

// writtenNames returns what the writing shows to be a name or an identifier.
func writtenNames(sentence string) []string {
	var out []string
	first := !strings.ContainsFunc(sentence, han) // in Chinese a capital is a name anywhere
	for _, at := range word().FindAllStringIndex(sentence, -1) {
		w := sentence[at[0]:at[1]]
		begins := first && strings.TrimSpace(sentence[:at[0]]) == ""
		first = false
		if !everyday()[strings.ToLower(w)] && (identifier(w) || unicode.IsUpper(rune(w[0])) && !begins && len(w) > 1) {
			out = append(out, w)
		}
	}
	return out
}

// everyday are words that name nothing of the project although they look like
// names: languages, formats, the words for programming at large.
var everyday = lists.Words("everyday")

// identifier reports whether a word has the looks of one: case, digits or signs
// inside. A word with an apostrophe is none.
func identifier(w string) bool {
	if strings.Contains(w, "'") {
		return false
	}
	if strings.ContainsAny(w, "_/.:@#") {
		return true
	}
	letters, digits, inner := 0, 0, false
	for i, r := range w {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
			inner = inner || i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(w[i-1]))
		}
	}
	if inner || letters > 1 && digits > 0 || letters > 1 && strings.ToUpper(w) == w {
		return true
	}
	parts := strings.Split(w, "-")
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(p string) bool { return len(p) < 4 })
}
