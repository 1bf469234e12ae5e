package capture

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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

// withoutLeads drops phrases from the beginning of s as often as one stands
// there, with the signs of cutset behind each.
func withoutLeads(s string, phrases []string, cutset string) string {
	for cut := true; cut; {
		cut = false
		for _, lead := range phrases {
			if rest, ok := strings.CutPrefix(s, lead); ok {
				s, cut = strings.TrimLeft(rest, cutset), true
			}
		}
	}
	return s
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

// indexAny is where the first of some parts begins, -1 when there is none.
func indexAny(s string, parts ...string) int {
	first := -1
	for _, p := range parts {
		if i := strings.Index(s, p); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}

func lastRune(s string) string {
	s = strings.TrimRight(s, `"')」』”’） `)
	_, n := utf8.DecodeLastRuneInString(s)
	return s[len(s)-n:]
}

// lowWords are the words of a text in small letters, without signs around them.
func lowWords(text string) []string {
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(text, "’", "'")))
	for i, w := range words {
		words[i] = strings.Trim(w, ".,:;!?()\"`")
	}
	return words
}

// wordAt is word i, empty beyond the last.
func wordAt(words []string, i int) string {
	if i < 0 || i >= len(words) {
		return ""
	}
	return words[i]
}

func numeral(w string) bool { return w != "" && unicode.IsDigit(rune(w[0])) }

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
