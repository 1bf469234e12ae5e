package terms

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Width counts characters, Chinese ones twice.
func Width(text string) (n int) {
	for _, r := range text {
		n++
		if unicode.Is(unicode.Han, r) {
			n++
		}
	}
	return n
}

// Lang returns the language to answer a text in: "zh-Hant" or "zh-Hans" when
// at least 30 % of its letters are Chinese characters, "en" for everything
// else, Japanese and Korean among it. Chinese is traditional when characters
// of that script alone outnumber those of the simplified script alone.
func Lang(text string) string {
	language, _, _ := lang(text)
	return language
}

// LangLike is Lang for somebody who usually writes in a language, empty for unknown:
// Chinese that does not tell its script is in that one. What has more Chinese characters
// than words in letters is Chinese with many names, and of who writes Chinese, more than
// half as many; addresses, paths, identifiers and code are no words.
func LangLike(text, usual string) string {
	language, han, tells := lang(text)
	if usual == "en" {
		usual = ""
	}
	enough := han
	if usual != "" {
		enough = 2 * han
	}
	if han == 0 || language == "en" && (enough <= latinWords(text) || strings.ContainsFunc(text, kana)) {
		return language
	}
	if language == "en" {
		language, _, tells = lang(strings.Map(chineseAlone, text))
	}
	if usual != "" && !tells {
		return usual
	}
	return language
}

// latinWords counts the words in letters that are no code, address or name of one.
func latinWords(text string) (n int) {
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			continue // between two marks of code
		}
		for _, token := range strings.FieldsFunc(part, func(r rune) bool { return r >= utf8.RuneSelf || unicode.IsSpace(r) }) {
			token = strings.Trim(token, ".,:;!?()\"'")
			if strings.ContainsAny(token, "./_:=@\\0123456789") {
				continue
			}
			n += len(strings.FieldsFunc(token, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }))
		}
	}
	return n
}

func kana(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul) }

// chineseAlone leaves out what is no Chinese character.
func chineseAlone(r rune) rune {
	if unicode.Is(unicode.Han, r) {
		return r
	}
	return -1
}

// Script is the language of a text that is Chinese and tells its script, else empty.
func Script(text string) string {
	if language, _, tells := lang(text); tells && language != "en" {
		return language
	}
	return ""
}

// lang also returns how many characters are Chinese, and whether they tell the script.
func lang(text string) (language string, han int, tells bool) {
	letters, kana, hant, hans := 0, 0, 0, 0
	for _, r := range text {
		switch {
		case r < 0x80:
			if 'a' <= r|0x20 && r|0x20 <= 'z' {
				letters++
			}
			continue
		case hanFirst <= r && r <= hanLast:
			han++
			if Simplified(r) != r {
				if !strings.ContainsRune(hanShared, r) {
					hant++
				}
			} else if _, ok := search3(hanSimplified, 0, len(hanSimplified)/3, r); ok {
				hans++
			}
		case isCJK(r):
			if unicode.Is(unicode.Han, r) {
				han++
			} else {
				kana++
			}
		case !unicode.IsLetter(r):
			continue
		}
		letters++
	}
	if han > 0 && hant <= hans {
		for word := range strings.Lines(cantonese) {
			hant += strings.Count(text, strings.TrimSpace(word))
		}
	}
	switch {
	case han == 0, han*10 < letters*3, kana*6 >= han+kana:
		return "en", han, hant != hans
	case hant > hans:
		return "zh-Hant", han, true
	}
	return "zh-Hans", han, hant != hans
}
