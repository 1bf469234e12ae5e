package recall

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Memory is foreign text that goes back into a prompt: it stands between these
// marks, and nothing in it may look like one of them or like the marks of the
// clients it is shown to.
const (
	openMark  = "<orihon-memory>"
	closeMark = "</orihon-memory>"
)

// brackets are what an opening bracket begins with, as itself, as a look-alike
// or written out.
const brackets = `<＜﹤&\`

// marks matches the bracket of a mark together with what may stand between it
// and the name: blanks of any script, and what only shapes a character.
var marks = sync.OnceValue(func() *regexp.Regexp {
	const gap = `[\s\p{Z}\x{200c}\x{200d}\x{fe00}-\x{fe0f}]*`
	return regexp.MustCompile(`(?i)(?:[<＜﹤]|&(?:lt|#0*60|#x0*3c);?|\\u003c|\\x3c)(` + gap + `[/／]?` + gap +
		`(?:orihon|system|user|assistant|human|tool|function|command-|local-command|bash-|ide_|task-|thinking|antml|invoke|parameter|\|))`)
})

// Escape keeps recalled text from closing its delimiter or opening another:
// the bracket of such a mark becomes ‹. What cannot be seen is dropped, since
// it could hide a mark from this rule and words from the user.
func Escape(s string) string {
	s = visible(s)
	if !strings.ContainsAny(s, brackets) {
		return s
	}
	return marks().ReplaceAllString(s, "‹$1")
}

// visible drops control characters, direction marks and what has no width.
// Line ends of any kind become newlines. Joiners and variation selectors stay
// where they shape a letter or an emoji, which they never do in ASCII, keycaps
// apart.
func visible(s string) string {
	var before rune
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', ' ' <= r && r <= '~':
		case r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
			r = '\n'
		case unicode.IsControl(r):
			return -1
		case r == 0x200c, r == 0x200d:
			if before < 0x80 {
				return -1
			}
		case unicode.Is(unicode.Variation_Selector, r):
			if before < 0x80 && !strings.ContainsRune("0123456789#*", before) || unicode.Is(unicode.Variation_Selector, before) {
				return -1
			}
		case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		case unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		}
		before = r
		return r
	}, s)
}
