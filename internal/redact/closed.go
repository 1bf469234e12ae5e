package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// ClosedPrivateLines is [PrivateLines] for source code and documentation, which
// may speak of the tags without meaning them: only a span that is closed goes,
// and a tag in quotes of its own, as in `<private>`, is none. A closing tag ends
// the span that was opened last, so that one that is never closed takes nothing
// with it. A span that holds nothing but dots is an example, and stays.
func ClosedPrivateLines(s string) string {
	s = Shown(s)
	for range maxPasses {
		spans := closedSpans(s)
		if len(spans) == 0 {
			break
		}
		s = replaced(s, spans, func(sp span) string { return breaks(s[sp.from:sp.to]) })
	}
	return s
}

// closedSpans are the outermost spans that are closed, in their order.
func closedSpans(s string) (spans []span) {
	type tag struct{ from, to int }
	var open []tag
	for i := 0; ; {
		from, to, closing := nextTag(s, i)
		if from < 0 {
			return spans
		}
		i = to
		switch {
		case quotedTag(s, from, to):
		case !closing:
			open = append(open, tag{from, to})
		case len(open) > 0:
			begin := open[len(open)-1]
			open = open[:len(open)-1]
			if inside := s[begin.to:from]; inside == "…" || inside == "..." {
				continue
			}
			for len(spans) > 0 && spans[len(spans)-1].from > begin.from {
				spans = spans[:len(spans)-1]
			}
			spans = append(spans, span{from: begin.from, to: to})
		}
	}
}

// quotes are the pairs in which text is quoted, each the opening one first.
var quotes = [...]string{"``", `""`, "''", "“”", "‘’", "「」", "『』", "«»"}

// quotedTag reports whether quotes stand right around the tag from..to. The
// closing one may be escaped, as it is in a string literal.
func quotedTag(s string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:from])
	after, _ := utf8.DecodeRuneInString(strings.TrimPrefix(s[to:], `\`))
	return slices.Contains(quotes[:], string(before)+string(after))
}
