package asks

import (
	"slices"
	"strings"

	"orihon/internal/reader"
	"orihon/internal/terms"
)

var (
	once            = lists.Phrases("once")
	onceOnly        = lists.Phrases("once-only")
	occasion        = lists.Words("occasion")
	onward          = lists.Phrases("onward")
	telling         = lists.Words("telling")
	chineseOnce     = lists.Phrases("chinese-once")
	chineseOnceOnly = lists.Phrases("chinese-once-only")
	chineseOnward   = lists.Phrases("chinese-onward")
	chineseTelling  = lists.Phrases("chinese-telling")
)

// Once reports whether all that a text says is an order for one occasion, which excepts
// from what holds and changes nothing of it: "just this once skip the tests",
// 這次先不用跑測試. Neither is what the reader takes for a statement, nor what says that
// something is so: "this time the fair is in Malmö"; but whatever says that it holds but
// once, holds but once.
func Once(text string) bool {
	const likely, least = 0.7, 3 // a statement, words that say something
	found, only := false, false
	for _, s := range Clauses(text) {
		switch {
		case Question(s):
		case slices.ContainsFunc(parts(s), butOnce):
			only = true
		case onOccasion(s):
			found = true
		case len(terms.Query(s)) >= least:
			return false
		}
	}
	return only || found && reader.Tells(text) < likely
}

// parts are those between the commas of a sentence, folded.
func parts(sentence string) []string {
	return strings.FieldsFunc(terms.Fold(sentence), func(r rune) bool { return strings.ContainsRune(",，;；", r) })
}

// butOnce reports whether a part of a sentence begins or ends with what limits it to one
// occasion.
func butOnce(part string) bool {
	part = strings.TrimSpace(strings.TrimRight(part, " .!。！~"))
	if slices.ContainsFunc(chineseOnceOnly(), func(s string) bool {
		before, ends := strings.CutSuffix(strings.TrimSuffix(part, "而已"), s)
		return strings.HasPrefix(part, s) || ends && !strings.HasSuffix(before, "不") && !strings.HasSuffix(before, "唔")
	}) {
		return true
	}
	said := terms.Words(part)
	line := strings.Join(said, " ")
	return slices.ContainsFunc(onceOnly(), func(s string) bool {
		before, ends := strings.CutSuffix(line, " "+s)
		word := before[strings.LastIndexByte(before, ' ')+1:]
		return strings.HasPrefix(line+" ", s+" ") || ends && word != "not" && word != "just" && word != "only"
	}) || forOneOnly(said)
}

// forOneOnly reports whether words begin or end with "just for this commit" or "for this
// one mail only".
func forOneOnly(said []string) bool {
	for i := range said {
		rest := said[i:]
		limited := i > 0 && (said[i-1] == "just" || said[i-1] == "only")
		if len(rest) < 3 || rest[0] != "for" || rest[1] != "this" || i > 1 && said[i-2] == "not" {
			continue
		}
		if rest = rest[2:]; rest[0] == "one" && len(rest) > 1 {
			rest = rest[1:]
		}
		behind := len(rest) > 1 && rest[1] == "only"
		if occasion()[rest[0]] && (limited || behind) {
			return true
		}
	}
	return false
}

// onOccasion reports whether a sentence orders something on one occasion that it points
// at, and not from there on.
func onOccasion(sentence string) bool {
	folded := terms.Fold(sentence)
	if holdsOne(folded, chineseOnward()) || saysOne(folded, onward()) {
		return false
	}
	return slices.ContainsFunc(parts(sentence), func(part string) bool {
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
