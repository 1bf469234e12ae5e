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

// LangLike is Lang for somebody who usually writes in a language: Chinese that does not
// tell its script is in that one, and so is what has more Chinese characters than words in
// letters, which is Chinese with many names.
func LangLike(text, usual string) string {
	language, han, tells := lang(text)
	if usual == "" || usual == "en" || han == 0 || language != "en" && tells {
		return language
	}
	if language == "en" {
		words := len(strings.FieldsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf || !unicode.IsLetter(r) && r != '\'' }))
		if han <= words {
			return language
		}
	}
	return usual
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
			if simplify(r) != r {
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
	switch {
	case han == 0, han*10 < letters*3, kana*6 >= han+kana:
		return "en", han, hant != hans
	case hant > hans:
		return "zh-Hant", han, true
	}
	return "zh-Hans", han, hant != hans
}
