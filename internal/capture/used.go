package capture

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/terms"
)

// Used reports whether a passage that was put before an agent came back in what
// it answered and did: one of its identifiers or values, or a good part of its
// words. What the prompt says itself proves nothing, since it would have come
// back anyway.
//
// It is a rule and it errs: a fact that is followed without a word of it counts
// as unused. As a share over many passages it says whether what is injected is
// worth its tokens.
func Used(passage, asked, did string) bool {
	own, known, said := terms.Index(passage), setOf(terms.Index(asked)), setOf(terms.Index(did))
	news := func(term string) bool {
		return !known[term] && !terms.Common(term) && utf8.RuneCountInString(term) > 1
	}
	counted := make(map[string]bool)
	var words, back int
	for i, term := range own {
		if news(term) && !counted[term] {
			counted[term] = true
			words++
			if said[term] {
				back++
				if telling(term) {
					return true
				}
			}
		}
		// Two terms in a row are more than each of them: "make ship".
		if i > 0 && (news(term) || news(own[i-1])) {
			if two := own[i-1] + " " + term; said[two] && !counted[two] && !known[two] {
				counted[two] = true
				back++
			}
		}
	}
	const share, least = 0.3, 2
	return back >= least && float64(back) >= share*float64(words)
}

// telling reports whether a term is so much its passage's own that it does not
// come back by chance: it has a digit within letters, or joins several words.
func telling(term string) bool {
	digits, letters := 0, 0
	for _, r := range term {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	const version = 4 // digits, such as a port or a year
	return digits > 0 && letters > 0 || digits >= version || strings.ContainsAny(term, "._/-")
}

// setOf holds the terms, and each two in a row with a space between.
func setOf(list []string) map[string]bool {
	out := make(map[string]bool, 2*len(list))
	for i, term := range list {
		out[term] = true
		if i > 0 {
			out[list[i-1]+" "+term] = true
		}
	}
	return out
}
