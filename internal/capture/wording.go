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

// withRedaction is text[from:to] with a secret that was taken out right beside it: what
// leads to one is no statement without it.
func withRedaction(text string, from, to int) string {
	const begins, beside = "[redacted:", " \t\r\n,，;；:：=\"'`“”「」"
	rest := strings.TrimLeft(text[to:], beside)
	if end := strings.IndexByte(rest, ']'); end > 0 && strings.HasPrefix(rest, begins) {
		to = len(text) - len(rest) + end + 1
	}
	before := strings.TrimRight(text[:from], beside)
	if at := strings.LastIndex(before, begins); at >= 0 && strings.IndexByte(before[at:], ']') == len(before)-at-1 {
		from = at
	}
	return text[from:to]
}
