package redact

import (
	"slices"
	"strings"
)

// Place is where in a text a rule found something.
type Place struct {
	Line int // from 1, of its beginning
	Rule string
}

// Lines is [Redactor.Text] for a text whose lines are counted: what goes leaves
// the line breaks it held, so that every other line keeps its number. It also
// says where something was found, in the order of the lines, each rule once a
// line.
func (r *Redactor) Lines(s string) (clean string, found []Place) {
	for range maxPasses {
		spans := r.spans(s)
		if len(spans) == 0 {
			break
		}
		var b strings.Builder
		b.Grow(len(s))
		last, line := 0, 1
		for _, sp := range spans {
			line += strings.Count(s[last:sp.from], "\n")
			found = append(found, Place{Line: line, Rule: names[sp.rule]})
			b.WriteString(s[last:sp.from])
			b.WriteString(mark(sp.rule))
			breaks := strings.Count(s[sp.from:sp.to], "\n")
			b.WriteString(strings.Repeat("\n", breaks))
			last, line = sp.to, line+breaks
		}
		b.WriteString(s[last:])
		s = b.String()
	}
	slices.SortStableFunc(found, func(a, b Place) int { return a.Line - b.Line })
	var out []Place
	for _, p := range found {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return s, out
}

// PrivateLines is [Private] for a text whose lines are counted: a span leaves
// the line breaks it held. Open is the line of a span that is never closed,
// from 1, 0 when there is none.
func PrivateLines(s string) (clean string, open int) {
	for range maxPasses {
		next, found, unclosed := cutPrivate(s, true)
		if !found {
			return s, open
		}
		if open == 0 && unclosed >= 0 {
			open = 1 + strings.Count(s[:unclosed], "\n")
		}
		s = next
	}
	if from, _, _ := nextTag(s, 0); from >= 0 {
		return s[:from] + strings.Repeat("\n", strings.Count(s[from:], "\n")), open
	}
	return s, open
}

// Off lists the rules that are switched off, in the order of [Rules].
func (r *Redactor) Off() []string {
	var off []string
	for i, name := range names {
		if r.off[i] {
			off = append(off, name)
		}
	}
	return off
}
