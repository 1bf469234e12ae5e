package asks

import (
	"slices"
	"strings"

	"orihon/internal/reader"
	"orihon/internal/terms"
)

var (
	once           = lists.Phrases("once")
	onward         = lists.Phrases("onward")
	telling        = lists.Words("telling")
	chineseOnce    = lists.Phrases("chinese-once")
	chineseOnward  = lists.Phrases("chinese-onward")
	chineseTelling = lists.Phrases("chinese-telling")
)

// Once reports whether all that a text says is an order for one occasion, which excepts
// from what holds and changes nothing of it: "just this once skip the tests",
// 這次先不用跑測試. Neither is what the reader takes for a statement, nor what says that
// something is so: "this time the fair is in Malmö".
func Once(text string) bool {
	const likely, least = 0.7, 3 // a statement, words that say something
	found := false
	for _, s := range Clauses(text) {
		switch {
		case Question(s):
		case onOccasion(s):
			found = true
		case len(terms.Query(s)) >= least:
			return false
		}
	}
	return found && reader.Tells(text) < likely
}

// onOccasion reports whether a sentence orders something on one occasion that it points
// at, and not from there on.
func onOccasion(sentence string) bool {
	folded := terms.Fold(sentence)
	if holdsOne(folded, chineseOnward()) || saysOne(folded, onward()) {
		return false
	}
	return slices.ContainsFunc(strings.FieldsFunc(folded, func(r rune) bool { return r == ',' || r == '，' }), func(part string) bool {
		tells := holdsOne(part, chineseTelling()) || slices.ContainsFunc(terms.Words(part), func(w string) bool { return telling()[w] })
		return !tells && (holdsOne(part, chineseOnce()) || saysOne(part, once()))
	})
}

func holdsOne(text string, of []string) bool {
	return slices.ContainsFunc(of, func(s string) bool { return strings.Contains(text, s) })
}

// saysOne is holdsOne of whole words.
func saysOne(text string, of []string) bool {
	line := " " + strings.Join(terms.Words(text), " ") + " "
	return slices.ContainsFunc(of, func(s string) bool { return strings.Contains(line, " "+s+" ") })
}
