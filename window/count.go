package window

import "strings"

// wordCount is how many words a text has.
func wordCount(s string) float64 {
	_, words := wordsUpTo(s, len(s))
	return words
}

// wordsUpTo finds where the word after the first n begins, and counts those before.
func wordsUpTo(s string, n int) (at int, words float64) {
	inWord := false
	for i, r := range s {
		switch {
		case r == ' ' || r == '\n' || r == '\t':
			inWord = false
		case r >= 0x2e80:
			words += 0.5
			inWord = false
		case !inWord:
			words++
			inWord = true
		}
		if words > float64(n) {
			return i, float64(n)
		}
	}
	return len(s), words
}

// firstWords is the first n words; two Chinese characters count as one.
func firstWords(s string, n int) string {
	if at, _ := wordsUpTo(s, n); at < len(s) {
		return strings.TrimRight(s[:at], " ,;:，；：、") + "…"
	}
	return s
}
