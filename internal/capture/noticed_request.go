package capture

import (
	"slices"
	"strings"
	"unicode"
)

// withoutRequest drops the words before or behind a sentence that only ask to
// keep it: "…, remember that", 記住，….
func withoutRequest(sentence string) string {
	sentence = strings.TrimSpace(sentence)
	for {
		end := strings.TrimRight(sentence, " .!。！")
		low := asciiLower(end)
		cut := sentence
		for _, tail := range lists.Phrases("request-tail") {
			if !strings.HasSuffix(low, tail) {
				continue
			}
			before := strings.TrimRight(end[:len(end)-len(tail)], " ")
			trimmed := strings.TrimRight(before, ",;:，；：—-– ")
			if trimmed != "" && (trimmed != before || strings.HasSuffix(asciiLower(before), " please")) {
				cut = strings.TrimSpace(trimmed)
			}
		}
		if cut == sentence {
			break
		}
		sentence = cut
	}
	low := asciiLower(sentence)
	for _, lead := range lists.Phrases("request-lead") {
		if strings.HasPrefix(low, lead) {
			return strings.TrimSpace(sentence[len(lead):])
		}
	}
	return sentence
}

// NotAskedFor leaves out of what was noticed in a message what [Explicit] keeps
// of it.
func NotAskedFor(noticed []Noticed, message string) []Noticed {
	if len(noticed) == 0 {
		return nil
	}
	asked := Explicit(message)
	return slices.DeleteFunc(noticed, func(n Noticed) bool { return keptAlready(asked, n.Text) })
}

// keptAlready reports whether an explicit request keeps a statement.
func keptAlready(asked []Statement, text string) bool {
	key := letters(text)
	return slices.ContainsFunc(asked, func(s Statement) bool {
		kept := letters(s.Text)
		return strings.Contains(kept, key) || 2*len(kept) >= len(key) && strings.Contains(key, kept)
	})
}

// letters are the letters and digits of a text, small ones.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
