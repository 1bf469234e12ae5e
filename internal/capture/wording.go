package capture

import "strings"

// words are what episodes say themselves, in one language, by what it is for. All
// the rest is taken from the journal.
type words map[string]string

// wordsFor returns the wording of a language; English for any unknown one.
func wordsFor(language string) words {
	lines := lists.Phrases("episode")
	switch language {
	case "zh-Hant":
		lines = lists.Phrases("episode-traditional")
	case "zh-Hans":
		lines = lists.Phrases("episode-simplified")
	}
	w := make(words, len(lines))
	for _, line := range lines {
		what, text, _ := strings.Cut(line, "=")
		w[what] = text
	}
	return w
}

// list joins what is listed as a sentence does.
func (w words) list(entries []string) string {
	if n := len(entries); n > 1 {
		return strings.Join(entries[:n-1], w["comma"]) + w["and"] + entries[n-1]
	}
	return strings.Join(entries, "")
}

func redacted(text string) bool { return strings.Contains(text, "[redacted:") }
