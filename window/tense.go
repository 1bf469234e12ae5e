package window

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/terms"
)

//go:embed titles.txt
var titleLists terms.Lists

var titling = titleLists.Keep()

// intends reports a sentence that only announces what its writer is about to
// do: what came of it says more.
func intends(sentence string) bool {
	sentence = strings.TrimSpace(sentence)
	return announced(sentence) != sentence
}

// announced is what a sentence says its writer is about to do, or the sentence.
// "Now" before anything but a verb announces nothing.
func announced(sentence string) string {
	s := strings.ToLower(sentence)
	if len(s) != len(sentence) {
		return sentence
	}
	for _, start := range titling.Phrases("announcing") {
		if !strings.HasPrefix(s, start) {
			continue
		}
		rest := strings.TrimSpace(sentence[len(start):])
		if start == "now " || start == "next, " {
			if verb, _, _ := strings.Cut(plainly(rest), " "); !titling.Words("verbs")[strings.ToLower(verb)] {
				return sentence
			}
		}
		return rest
	}
	return sentence
}

// planned is announced, also of a sentence that gives a reason first.
func planned(sentence string) (plan string, ok bool) {
	if plan = announced(sentence); plan != sentence {
		return plan, true
	}
	s := strings.ToLower(sentence)
	for _, within := range titling.Phrases("announcing-within") {
		if at := strings.LastIndex(s, within); at > 0 && len(s) == len(sentence) {
			return strings.TrimSpace(sentence[at+len(within):]), true
		}
	}
	return sentence, false
}

// plainly is what was announced without the words before its verb.
func plainly(s string) string {
	for {
		word, rest, ok := strings.Cut(s, " ")
		if !ok || !titling.Words("adverbs")[strings.ToLower(strings.TrimRight(word, ","))] {
			return s
		}
		s = rest
	}
}

// past tells what was announced as done: "add tests and run them" is "Added tests
// and ran them". Chinese verbs have no tense and stay. Where it begins with no
// verb there is nothing to tell.
func past(s string) (told string, looks, ok bool) {
	s = plainly(s)
	if r, _ := utf8.DecodeRuneInString(s); unicode.Is(unicode.Han, r) {
		for verb := range titling.Words("looking") {
			looks = looks || strings.HasPrefix(s, verb)
		}
		return s, looks, true
	}
	for _, next := range [...]string{" and then ", ", then "} {
		s, _, _ = strings.Cut(s, next) // it may still be to come
	}
	words := strings.Split(s, " ")
	verb := strings.ToLower(strings.TrimRight(words[0], ".,:"))
	if !titling.Words("verbs")[verb] {
		return "", false, false
	}
	looks = titling.Words("looking")[verb]
	words[0] = pastOf(verb) + words[0][len(verb):]
	and := false
	for i := 1; i+1 < len(words); i++ {
		w := strings.ToLower(words[i])
		switch {
		case w == "and":
			and = true
			continue
		case and && titling.Words("adverbs")[w]:
			continue
		case and && titling.Words("verbs")[w] && opensObject(words[i+1]):
			if looks && !titling.Words("looking")[w] {
				words = words[:slices.Index(words, "and")]
				break
			}
			words[i] = pastOf(w)
		}
		and = false
	}
	return capital(strings.Join(words, " ")), looks, true
}

// opensObject reports a word that follows a verb rather than a noun.
func opensObject(w string) bool {
	return strings.HasPrefix(w, "`") || titling.Words("objects")[strings.ToLower(w)] || strings.ContainsAny(w, "_.()") || strings.ToLower(w) != w
}

// pastOf is the past form of an English verb.
func pastOf(verb string) string {
	if irregular := titling.Table("past")[verb]; irregular != "" {
		return irregular
	}
	last := verb[len(verb)-1]
	switch {
	case last == 'e':
		return verb + "d"
	case last == 'y' && len(verb) > 1 && !strings.ContainsRune("aeiou", rune(verb[len(verb)-2])):
		return verb[:len(verb)-1] + "ied"
	case titling.Words("doubled")[verb]:
		return verb + string(last) + "ed"
	}
	return verb + "ed"
}

// claimed is a sentence that says something was done, without "I have"; ok is
// false for any other.
func claimed(s string) (told string, ok bool) {
	low := strings.ToLower(s)
	for _, start := range titling.Phrases("claiming") {
		if len(low) == len(s) && strings.HasPrefix(low, start) {
			s = s[len(start):]
			break
		}
	}
	s = plainly(s)
	r, _ := utf8.DecodeRuneInString(s)
	if unicode.Is(unicode.Han, r) {
		return s, strings.HasPrefix(low, "已") || strings.Contains(s, "已经") || strings.Contains(s, "已經") || strings.Contains(strings.ReplaceAll(s, "了解", ""), "了")
	}
	word, rest, _ := strings.Cut(s, " ")
	return capital(s), rest != "" && !strings.HasPrefix(rest, "by ") && isPast(strings.ToLower(word))
}

// isPast reports the past form of a verb of the list.
func isPast(word string) bool {
	if strings.HasSuffix(word, "ed") {
		stem := strings.TrimSuffix(word, "ed")
		for _, verb := range [...]string{stem, stem + "e", strings.TrimSuffix(stem, "i") + "y", stem[:max(0, len(stem)-1)]} {
			if titling.Words("verbs")[verb] && pastOf(verb) == word {
				return true
			}
		}
		return false
	}
	for verb, form := range titling.Table("past") {
		if form == word && verb != word {
			return true
		}
	}
	return false
}

// frank is a sentence without what its beginning does not say.
func frank(s string) string {
	s = strings.TrimLeftFunc(s, func(r rune) bool {
		return unicode.IsSymbol(r) && r != '`' && r > 0x7f || unicode.IsSpace(r) || r == 0xfe0f
	})
	low := strings.ToLower(s)
	if len(low) != len(s) {
		return s
	}
	for _, word := range titling.Phrases("interjections") {
		rest, ok := strings.CutPrefix(low, word)
		if !ok {
			continue
		}
		cut := strings.TrimLeft(rest, " ")
		for _, mark := range [...]string{"- ", "— ", "– ", ",", "!", ":", ".", "，", "！", "：", "。"} {
			if after, marked := strings.CutPrefix(cut, mark); marked && strings.TrimSpace(after) != "" {
				return frank(strings.TrimSpace(s[len(s)-len(after):]))
			}
		}
	}
	return s
}

// hollow reports a sentence that tells nothing by itself.
func hollow(s string) bool {
	return wordCount(s) < leastTitle || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？")
}

// capital is s with a capital at its beginning.
func capital(s string) string {
	if s == "" {
		return ""
	}
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// shortened is a sentence in about n words. One that is longer by more than a half
// ends where a clause does, and has an ellipsis only where none does.
func shortened(s string, n int) string {
	s = strings.TrimRight(s, ".?:;,。？：；，、 ")
	if 2*wordCount(s) <= float64(3*n) {
		return s
	}
	end, _ := wordsUpTo(s, n)
	for _, mark := range titling.Phrases("breaks") {
		for at := strings.LastIndex(s[:min(len(s), end+len(mark))], mark); at > 0; at = strings.LastIndex(s[:at], mark) {
			head := s[:at]
			if words := wordCount(head); words < leastTitle || words*3 < float64(n) {
				break
			}
			if first, _, _ := strings.Cut(strings.TrimSpace(head[strings.LastIndex(head, ": ")+1:]), " "); titling.Words("subordinate")[strings.ToLower(first)] && !strings.ContainsAny(head, ",，") {
				continue // the clause that it leads to would be cut off
			}
			if balanced(head) {
				return strings.TrimRight(head, ".:;,。：；，、 ")
			}
		}
	}
	return firstWords(s, n)
}

// balanced reports a text in which nothing that was opened stays open.
func balanced(s string) bool {
	return strings.Count(s, "`")%2 == 0 && strings.Count(s, `"`)%2 == 0 && strings.Count(s, "(") == strings.Count(s, ")") &&
		strings.Count(s, "“") == strings.Count(s, "”") && strings.Count(s, "「") == strings.Count(s, "」") && strings.Count(s, "（") == strings.Count(s, "）")
}
