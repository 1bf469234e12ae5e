package capture

import (
	"slices"
	"strings"
	"unicode"

	_ "embed"

	"orihon/internal/terms"
)

//go:embed words.txt
var listed terms.Lists

var lists = listed.Keep()

func containsAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

func startsWithAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(s, w) })
}

func endsWithAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(s, w) })
}

// hasWord reports whether an English word stands in s as a word.
func hasWord(s, word string) bool {
	for i := 0; ; {
		n := strings.Index(s[i:], word)
		if n < 0 {
			return false
		}
		from := i + n
		i = from + len(word)
		if (from == 0 || !isWordByte(s[from-1])) && (i == len(s) || !isWordByte(s[i])) {
			return true
		}
	}
}

func isWordByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '-'
}

// prefix is the length of the first of the words that s begins with, 0 when it
// begins with none.
func prefix(s string, words ...string) int {
	for _, w := range words {
		if strings.HasPrefix(s, w) && (w[0] >= 0x80 || len(s) == len(w) || !isWordByte(s[len(w)]) || !isWordByte(w[len(w)-1])) {
			return len(w)
		}
	}
	return 0
}

func han(r rune) bool { return unicode.Is(unicode.Han, r) }

func firstWord(low string) string {
	for i := range len(low) {
		if b := low[i]; !isWordByte(b) && b != '\'' {
			return low[:i]
		}
	}
	return low
}

// asciiLower lowers the ASCII letters only, so that places in both texts are
// the same.
func asciiLower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

func isHanText(s string) bool { return strings.ContainsFunc(s, isHan) }

// hasOneOf reports whether one of some words stands between the blanks of a text.
func hasOneOf(text string, words map[string]bool) bool {
	return slices.ContainsFunc(strings.Fields(asciiLower(text)), func(w string) bool {
		return words[strings.ReplaceAll(strings.Trim(w, ".,:;!?()"), "’", "'")]
	})
}
