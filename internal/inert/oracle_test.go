package inert_test

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// The oracle knows a few boundaries and looks for them in the plainest way: it
// flattens the whole text and searches it. It shares nothing with the rules.

var (
	oracleLetters = strings.NewReplacer(
		"а", "a", "е", "e", "о", "o", "с", "c", "р", "p", "у", "y", "ѕ", "s", "т", "t", "м", "m", "н", "h", "і", "i", "ο", "o", "α", "a", "υ", "u", "ı", "i", "ø", "o",
		"‹", "<", "〈", "<", "⟨", "<", "《", "<", "«", "<", "›", ">", "〉", ">", "⟩", ">", "》", ">", "»", ">",
		"⁄", "/", "∕", "/", "–", "-", "—", "-", "∶", ":", "&lt;", "<", "&#60;", "<", "&#x3c;", "<", `\u003c`, "<",
	)
	oracleTag = regexp.MustCompile(`<\s*/?\s*(?:orihon|system[-_ ]?reminder|antml:)|<\s*/?\s*(?:tool_results?|function_results?|working_memory)\s*(?:>|$)|` +
		`</(?:document|documents|system|user|assistant|human|instructions|reminder)\s*>|` +
		`(?:^|[\s"'.])<(?:document|system|user|assistant|human|instructions|reminder)>|` +
		`<!--|<!\[cdata|<\|[a-z_]+\|>`)
	oracleTurn    = regexp.MustCompile(`(?m)^[ \t]*(?:[-*>][ \t]+)?(?:human|assistant|用户|系統)[ \t]*:`)
	oracleCapital = regexp.MustCompile(`(?m)^[ \t]*(?:Human|Assistant|System|User)[ \t]*:|^#+[ \t]+(?:System|User|Human|Assistant|Always applies|Memory index)[ \t]*$|^[ \t]*[📌📎🗂🧭]`)
)

// survivor is a boundary that a text holds, empty for none.
func survivor(text string) string {
	flat := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
			return -1
		}
		return r
	}, norm.NFKD.String(text))
	low := oracleLetters.Replace(strings.ToLower(flat))
	for _, find := range []struct {
		re *regexp.Regexp
		in string
	}{{oracleTag, low}, {oracleTurn, low}, {oracleCapital, flat}} {
		if at := find.re.FindString(find.in); at != "" {
			return at
		}
	}
	return ""
}
