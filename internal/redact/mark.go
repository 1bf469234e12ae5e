package redact

import (
	"cmp"
	"slices"
	"strings"
)

// span is a secret: the bytes from..to of the text.
type span struct {
	from, to int
	rule     rule
}

// merge joins spans that overlap; the more specific rule gives the name.
func merge(spans []span) []span {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	out := spans[:0]
	for _, sp := range spans {
		if len(out) == 0 || sp.from >= out[len(out)-1].to {
			out = append(out, sp)
			continue
		}
		last := &out[len(out)-1]
		last.to = max(last.to, sp.to)
		last.rule = min(last.rule, sp.rule)
	}
	return out
}

// replaced is s with another text in the place of each span.
func replaced(s string, spans []span, by func(span) string) string {
	var b strings.Builder
	b.Grow(len(s))
	last := 0
	for _, sp := range spans {
		b.WriteString(s[last:sp.from])
		b.WriteString(by(sp))
		last = sp.to
	}
	b.WriteString(s[last:])
	return b.String()
}

// breaks are the line breaks of a text.
func breaks(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) }

const markOpen = "[redacted:"

func mark(r rule) string { return markOpen + names[r] + "]" }

// markAt is the length of the mark that begins at s[i:], 0 when none does.
// Names of rules are lower-case letters and hyphens, so nothing that could be
// a secret passes for a mark.
func markAt(s string, i int) int {
	if !strings.HasPrefix(s[i:], markOpen) {
		return 0
	}
	for j := i + len(markOpen); j < len(s) && j < i+len(markOpen)+32; j++ {
		switch c := s[j]; {
		case c == ']':
			return j + 1 - i
		case c != '-' && !isLower(c):
			return 0
		}
	}
	return 0
}
