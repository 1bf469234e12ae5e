package terms

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences yields the sentences of a text, trimmed, with the signs that end
// them; the end of a line ends one, too. A full stop does so only before a space,
// so that v1.2 and go.mod stay whole, and not behind an abbreviation. What stands
// in quotes or brackets stays within its sentence.
func Sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from := 0
		for i := 0; i < len(text); {
			r, size := utf8.DecodeRuneInString(text[i:])
			i += size
			next, _ := utf8.DecodeRuneInString(text[i:])
			ends := false
			switch r {
			case '\n':
				ends = true
			case '。', '！', '？':
				ends = true
				i = len(text) - len(strings.TrimLeft(text[i:], closing))
			case '!', '?':
				ends = unicode.IsSpace(next) || unicode.Is(unicode.Han, next)
			case '.':
				ends = unicode.IsSpace(next) && !Abbreviated(text[from:i], text[i:])
			}
			if !ends {
				continue
			}
			if s := strings.TrimSpace(text[from:i]); s != "" && !yield(s) {
				return
			}
			from = i
		}
		if s := strings.TrimSpace(text[from:]); s != "" {
			yield(s)
		}
	}
}

// closing are the signs that belong to the Chinese sentence that has just ended.
const closing = "\"')」』”’）。！？!?"
