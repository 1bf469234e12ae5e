package redact

import (
	"cmp"
	"slices"
	"strings"
)

// Finding is how often one rule found something.
type Finding struct {
	Rule  string
	Count int
}

// Redactor applies the rules that are not switched off. The zero value applies
// all of them. It is safe for use by several goroutines.
type Redactor struct {
	off [ruleCount]bool
}

// Unknown are those of some names that no rule has, and all names that rules have.
func Unknown(off []string) (unknown, known []string) {
	for _, name := range off {
		if !slices.Contains(names[:], name) {
			unknown = append(unknown, name)
		}
	}
	return unknown, slices.Clone(names[:])
}

// New returns a Redactor without the named rules. Names of no rule are ignored,
// see [Unknown].
func New(off []string) *Redactor {
	r := new(Redactor)
	for i, name := range names {
		r.off[i] = slices.Contains(off, name)
	}
	return r
}

// Text applies all rules to s, see [Redactor.Text].
func Text(s string) (clean string, found []Finding) { return new(Redactor).Text(s) }

// maxPasses bounds how often a cleaned text is looked at again. A second pass
// finds what only became visible beside a mark; more are needed only by texts
// made for the purpose.
const maxPasses = 8

// Text returns s with every secret replaced by [redacted:<rule>], and what was
// found, the most specific rule first. Marks that already stand in s are left
// alone, so that Text of a clean text is that text. Valid UTF-8 stays valid.
func (r *Redactor) Text(s string) (clean string, found []Finding) {
	var counts [ruleCount]int
	for range maxPasses {
		next, any := r.pass(s, &counts)
		if !any {
			break
		}
		s = next
	}
	return s, findings(&counts)
}

func findings(counts *[ruleCount]int) []Finding {
	var found []Finding
	for i, n := range counts {
		if n > 0 {
			found = append(found, Finding{Rule: names[i], Count: n})
		}
	}
	return found
}

// pass looks at s once. It reports false, and copies nothing, when there was
// nothing to replace.
func (r *Redactor) pass(s string, counts *[ruleCount]int) (string, bool) {
	m := machine()
	sc := scan{s: s, words: m.words, off: &r.off}
	m.each(s, sc.hit)
	if len(sc.spans) == 0 {
		return s, false
	}
	spans := merge(sc.spans)
	var b strings.Builder
	b.Grow(len(s))
	last := 0
	for _, sp := range spans {
		b.WriteString(s[last:sp.from])
		b.WriteString(mark(sp.rule))
		last = sp.to
		counts[sp.rule]++
	}
	b.WriteString(s[last:])
	return b.String(), true
}

// span is a secret: the bytes from..to of the text.
type span struct {
	from, to int
	rule     rule
}

// merge joins spans that overlap; the more specific rule gives the name.
func merge(spans []span) []span {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	out := spans[:1]
	for _, sp := range spans[1:] {
		last := &out[len(out)-1]
		if sp.from >= last.to {
			out = append(out, sp)
			continue
		}
		last.to = max(last.to, sp.to)
		last.rule = min(last.rule, sp.rule)
	}
	return out
}

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
