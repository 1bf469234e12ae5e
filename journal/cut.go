package journal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// chunkChars is the longest text of one passage, in characters: a long answer is
// found by its best part, and only that part is injected. In ten chats with an
// assistant (BEAM) 1,000 found two points more than 2,000, and four more than
// 4,000; pieces that overlap found nothing more.
const chunkChars = 1000

// chunks cuts a text into pieces of at most chunkChars characters, each as long
// as can be that ends at a paragraph, a line, a sentence or a word, looked for in
// that order in its last quarter. A longer text never has fewer pieces.
func chunks(s string) []string {
	var out []string
	for {
		window, more := firstChars(s, chunkChars)
		if !more {
			break
		}
		at := cutPoint(window)
		if piece := strings.TrimSpace(s[:at]); piece != "" {
			out = append(out, piece)
		}
		s = s[at:]
	}
	if s = strings.TrimSpace(s); s != "" {
		out = append(out, s)
	}
	return out
}

// firstChars returns the first n characters, and whether there are more.
func firstChars(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for i := range s {
		if n == 0 {
			return s[:i], true
		}
		n--
	}
	return s, false
}

func cutPoint(window string) int {
	quarter := len(window) * 3 / 4
	for _, end := range [...]string{"\n\n", "\n", "。", "！", "？", ". ", " "} {
		if i := strings.LastIndex(window, end); i >= quarter {
			return i + len(end)
		}
	}
	return len(window)
}

// tooSmall reports whether a prompt says too little to be found: a slash command,
// what a client says itself, or at most two words. Two Chinese characters count as a
// word.
func tooSmall(prompt string) bool {
	prompt = strings.TrimSpace(prompt)
	return isCommand(prompt) || isWrapped(prompt) || words(prompt, 3) < 3
}

// isWrapped reports whether a prompt begins like "<task-notification>": so clients mark
// what nobody typed.
func isWrapped(prompt string) bool {
	tag, _, ok := strings.Cut(prompt, ">")
	name, begins := strings.CutPrefix(tag, "<")
	return ok && begins && strings.ContainsAny(name, "-_") && !strings.ContainsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' && r != '_' })
}

// isCommand reports whether a prompt is like "/compact" or "/model opus", and
// not a path.
func isCommand(prompt string) bool {
	name, ok := strings.CutPrefix(prompt, "/")
	if !ok {
		return false
	}
	name, _, _ = strings.Cut(name, "\n")
	if f := strings.Fields(name); len(f) > 0 {
		name = f[0]
	}
	for i, r := range name {
		letter := r < utf8.RuneSelf && unicode.IsLetter(r)
		if !letter && (i == 0 || !strings.ContainsRune("-_:0123456789", r)) {
			return false
		}
	}
	return name != ""
}

// words counts words, up to a limit.
func words(s string, limit int) int {
	n, inWord, chars := 0, false, 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			inWord = false
			if chars%2 == 0 {
				n++
			}
			chars++
		case unicode.IsLetter(r) || unicode.IsDigit(r) || (inWord && (r == '\'' || r == '_' || r == '-')):
			if !inWord {
				n++
			}
			inWord, chars = true, 0
		default:
			inWord, chars = false, 0
		}
		if n >= limit {
			break
		}
	}
	return n
}
