package capture

import (
	"strings"
	"unicode/utf8"
)

// afterwards handles what is said first and asked for behind it: "X, remember
// that", "X，請記住", "X, remember that for all my projects".
func afterwards(s, low string) (text, rule string, wide, ok bool) {
	trimmed, rule, wide, ok := beforeAsking(low)
	if !ok || reported(trimmed) || isQuestion(trimmed) || rule == reminder && momentary(trimmed) {
		return "", "", false, false
	}
	return s[:len(trimmed)], asFact(rule), wide, meaningful(trimmed)
}

// beforeAsking is what stands before words at the end of a text in lower case that ask
// to remember it, their rule, and whether they say that it holds in all projects. They
// are a part of their own.
func beforeAsking(low string) (before, rule string, wide, ok bool) {
	body := strings.TrimRight(low, " .!。！~")
	if before, rule, wide, ok = beforeAskingInChinese(body); ok {
		return before, rule, wide, true
	}
	if told, r, _ := reachBehind(body); r.size > 0 {
		if before, rule, _, ok = beforeAsking(told); ok {
			return before, rule, true, true
		}
	}
	for _, ask := range lists.Phrases("asks-behind") {
		rest, found := strings.CutSuffix(body, ask)
		if !found {
			continue
		}
		rest = strings.TrimRight(rest, " ")
		rest = strings.TrimRight(strings.TrimSuffix(rest, "please"), " ")
		before = strings.TrimRight(rest, behindSaid)
		if told, r, apart := reachBehind(rest); before == rest && r.size > 0 && apart {
			return told, "remember", true, true // "X, for all projects please remember that"
		}
		if before != rest || rest == "" {
			return before, "remember", false, true
		}
	}
	return "", "", false, false
}

// behindSaid are the signs between what is said and words that ask to remember it.
const behindSaid = " ,;:-–—，；：、"

// asFact is the rule of words behind what is said: 記得 reminds of that, and of nothing to
// be done.
func asFact(rule string) string {
	if rule == reminder {
		return "記住"
	}
	return rule
}

// beforeAskingInChinese is beforeAsking for words of Chinese, which a blank may part
// from what is said.
func beforeAskingInChinese(body string) (before, rule string, wide, ok bool) {
	if endsWithAny(body, ":", "：") {
		return "", "", false, false // what is to be kept comes
	}
	part := true // a part begins
	for i, c := range body {
		if sign := strings.ContainsRune(behindSaid, c); sign || !part {
			part = sign
			continue
		}
		part = false
		if rule, wide = asksInChinese(body[i:]); rule != "" {
			return strings.TrimRight(body[:i], behindSaid), rule, wide, true
		}
	}
	return "", "", false, false
}

// asksInChinese is the rule of words of Chinese that ask to remember what stands before
// them and say nothing else, and whether they name all projects: 這個請幫我記一下,
// 所有專案都要記住. It is empty for other words. What notes, without a word that points or
// turns to somebody, may be for a program.
func asksInChinese(low string) (rule string, wide bool) {
	addressed := false
	for at := 0; at < len(low); {
		rest := low[at:]
		c, n := utf8.DecodeRuneInString(rest)
		reach, beside := reachAt(rest).size, longest(rest, "beside-asking-zh")
		asked, asks := askingInChinese(rest)
		switch {
		case strings.ContainsRune(behindSaid, c):
		case asks > beside:
			rule, n = asked, asks
		case reach > 0:
			wide, n = true, reach
		case beside > 0:
			addressed, n = addressed || longest(rest, "particle-zh") < beside, beside
		default:
			return "", false
		}
		at += n
	}
	if rule == noting && (addressed || wide) {
		rule = "記住"
	}
	return rule, wide && rule != ""
}

// askingInChinese is the rule of the longest word of Chinese with which a text asks for
// what was said to be remembered, and its length; 0 for none.
func askingInChinese(low string) (rule string, size int) {
	for list, as := range map[string]string{"asks-behind-zh": "記住", "reminds-behind-zh": reminder, "notes-behind-zh": noting} {
		if n := longest(low, list); n > size {
			rule, size = as, n
		}
	}
	return rule, size
}

// longest is the length of the longest phrase of a list that a text begins with.
func longest(s, list string) (n int) {
	for _, w := range lists.Phrases(list) {
		if len(w) > n && strings.HasPrefix(s, w) {
			n = len(w)
		}
	}
	return n
}

// pointsBack reports of a sentence that says nothing by itself by which rule it asks to
// keep the one before, empty for none, and whether it says that this holds in all
// projects.
func pointsBack(sentence string) (rule string, wide bool) {
	low := asciiLower(sentence)
	low = low[leadIn(low):]
	if before, rule, wide, ok := beforeAsking(low); ok && (before == "" || onlyReach(before)) {
		if rule == noting {
			rule = "記住" // nothing is named that a program could write down
		}
		return asFact(rule), wide || before != ""
	}
	return "", onlyReach(low)
}

// asksBehind reports whether a text ends in words that ask to remember the rest.
func asksBehind(text string) bool {
	_, _, _, ok := beforeAsking(asciiLower(text))
	return ok
}

// onlyPointsBack reports whether a text says nothing but that something said is to be
// kept, or holds in all projects.
func onlyPointsBack(text string) bool {
	rule, wide := pointsBack(text)
	return rule != "" || wide
}
