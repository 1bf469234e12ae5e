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
	s = Shown(s)
	for range maxPasses {
		spans := r.spans(s)
		if len(spans) == 0 {
			break
		}
		last, line := 0, 1
		s = replaced(s, spans, func(sp span) string {
			line += strings.Count(s[last:sp.from], "\n")
			last = sp.from
			found = append(found, Place{Line: line, Rule: names[sp.rule]})
			return mark(sp.rule) + breaks(s[sp.from:sp.to])
		})
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
	s = Shown(s)
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
		return s[:from] + breaks(s[from:]), open
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
