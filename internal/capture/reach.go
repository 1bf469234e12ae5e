package capture

import (
	"strings"
	"unicode/utf8"

	"orihon/memory"
)

// A person says for how many of their projects something holds by a few words: "in all
// my projects", "everywhere", 所有項目都. Where these say that and nothing else they are
// no part of the statement.

// reaching are such words.
type reaching struct {
	size  int  // in bytes
	named bool // projects are named, as "everywhere" does not
	own   bool // they are the speaker's
	loose bool // they stand beside the sentence, not in it: 在所有項目裡, 所有項目都
}

// reachAt reads them at the start of a text in lower case.
func reachAt(low string) (r reaching) {
	if low == "" {
		return r
	}
	if low[0] >= utf8.RuneSelf {
		return reachInChinese(low)
	}
	at := 0
	take := func(is func(word string) bool) bool {
		rest := strings.TrimLeft(low[at:], " ")
		word := firstWord(rest)
		if !is(word) {
			return false
		}
		at = len(low) - len(rest) + len(word)
		return true
	}
	of := func(list string) func(string) bool { return func(w string) bool { return lists.Words(list)[w] } }
	isOf := func(w string) bool { return w == "of" }
	if take(of("everywhere")) {
		return reaching{size: at}
	}
	take(of("within"))
	if !take(of("all-of")) {
		return reaching{}
	}
	take(isOf)
	r.own = take(of("ones-own"))
	if take(of("other-ones")); !take(of("project")) {
		return reaching{}
	}
	r.size, r.named = at, true
	if take(isOf) && take(of("ones-own")) {
		r.size, r.own = at, true
	}
	return r
}

func reachInChinese(s string) (r reaching) {
	at := 0
	take := func(list string) bool {
		rest := strings.TrimLeft(s[at:], " ")
		n := prefix(rest, lists.Phrases(list)...)
		if n > 0 {
			at = len(s) - len(rest) + n
		}
		return n > 0
	}
	if take("everywhere-zh") {
		return reaching{size: at}
	}
	r.loose = take("within-zh")
	r.own = take("ones-own-zh")
	if !take("all-of-zh") {
		return reaching{}
	}
	take("of-zh")
	if r.own = take("ones-own-zh") || r.own; !take("project-zh") {
		return reaching{}
	}
	inside := take("inside-zh")
	alike := take("alike-zh")
	r.loose = r.loose || inside || alike
	r.size, r.named = at, true
	return r
}

// everywhere takes off a statement what only says that it holds in all projects of the
// speaker, and reports whether it says so. In doubt it does not.
func everywhere(text string) (rest string, all bool) {
	low, at := asciiLower(text), 0
	if n := prefix(low, "this ", "that ", "it "); n > 0 {
		at = n // "remember this everywhere: …"
	}
	if r := reachAt(low[at:]); r.size > 0 {
		if told, apart := besides(text[at+r.size:], r); apart && meaningful(told) {
			return told, true
		}
		return text, r.own && at == 0
	}
	before, r, apart := reachBehind(text)
	if r.size > 0 && apart && meaningful(before) {
		return before, true
	}
	return text, r.own
}

// besides is what a sentence says behind such words in front of it, and whether a sign
// or a joint shows that they are no part of it.
func besides(behind string, r reaching) (told string, apart bool) {
	if told, apart = behindSign(behind); apart {
		return told, true
	}
	told = strings.TrimLeft(behind, " ")
	n := prefix(asciiLower(told), "that ", "to ")
	return told[n:], n > 0 || r.loose && prefix(told, lists.Phrases("of-projects-zh")...) == 0
}

// reachBehind finds the words at the end of a sentence, what stands before them, and
// whether they stand apart from that.
func reachBehind(text string) (before string, r reaching, apart bool) {
	const longest = 120 // bytes of such words
	low := asciiLower(text)
	end := len(strings.TrimRight(text, " .!。！~)）"))
	for i := range text[:end] {
		if i < end-longest || i > 0 && isWordByte(text[i]) && isWordByte(text[i-1]) {
			continue
		}
		if r = reachAt(low[i:end]); r.size == 0 || !saysNoMore(low[i+r.size:end]) {
			continue
		}
		before = strings.TrimRight(text[:i], " ")
		if word := strings.TrimRight(low[:i], " "); lists.Words("not-all")[word[strings.LastIndexAny(word, " ,")+1:]] {
			break
		}
		clause := strings.LastIndexAny(before, ",;:(-") + 1
		for _, sign := range [...]string{"，", "；", "：", "（", "—", "–"} {
			if at := strings.LastIndex(before, sign); at >= clause {
				clause = at + len(sign)
			}
		}
		if clause > 0 && saysNoMore(asciiLower(before[clause:])) {
			return strings.TrimRight(before[:clause], " ,;:(-，；：（—–"), r, true
		}
		return before, r, false
	}
	return text, reaching{}, false
}

// saysNoMore reports whether words around those of a reach say no more than that it
// holds there: "this goes for", 都一樣.
func saysNoMore(low string) bool {
	for _, w := range strings.FieldsFunc(low, func(r rune) bool { return strings.ContainsRune(" ,;:，、", r) }) {
		if !lists.Words("holds")[w] {
			return false
		}
	}
	return true
}

// onlyReach reports whether a sentence says for how many projects something holds, and
// nothing else.
func onlyReach(text string) bool {
	before, r, _ := reachBehind(text)
	return r.size > 0 && saysNoMore(before)
}

// Reaches reports whether a statement seems to hold in all projects of its speaker by
// what it says: by projects that it names, or as an instruction for everywhere.
func Reaches(text string, topic memory.Topic) bool {
	low := asciiLower(text)
	for i := range low {
		if i > 0 && isWordByte(low[i]) && isWordByte(low[i-1]) {
			continue
		}
		r := reachAt(low[i:])
		asked := r.named || r.size > 0 && low[i] < utf8.RuneSelf && topic == memory.Preference
		if asked && !lists.Words("within")[firstWord(strings.TrimLeft(low[i+r.size:], " "))] {
			return true
		}
	}
	return false
}
