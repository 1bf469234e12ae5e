package redact

import (
	"slices"
	"strings"
	"sync/atomic"
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
	// glances counts the texts that were looked at without the automaton.
	glances atomic.Int32
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

// Text returns s as it is [Shown], with every secret replaced by
// [redacted:<rule>], and what was found, the most specific rule first. Marks that already stand in s are left
// alone, so that Text of a clean text is that text. Valid UTF-8 stays valid.
func (r *Redactor) Text(s string) (clean string, found []Finding) {
	var counts [ruleCount]int
	s = Shown(s)
	for range maxPasses {
		spans := r.spans(s)
		if len(spans) == 0 {
			break
		}
		s = replaced(s, spans, func(sp span) string {
			counts[sp.rule]++
			return mark(sp.rule)
		})
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

// spans are the secrets of s, in order and apart.
func (r *Redactor) spans(s string) []span {
	if r.passing(s) {
		return nil
	}
	m := machine()
	sc := scan{s: s, words: m.words, off: &r.off}
	m.each(s, sc.hit)
	sc.again()
	return merge(sc.spans)
}

// again takes out what was found elsewhere in the text as well, where nobody would write
// it but for the secret.
func (sc *scan) again() {
	const most = 16 // values
	var seen []string
	for _, sp := range sc.spans {
		v := sc.s[sp.from:sp.to]
		if len(seen) == most || slices.Contains(seen, v) || !madeUp(v) && !randomText(v) {
			continue
		}
		seen = append(seen, v)
		for at := 0; ; {
			n := strings.Index(sc.s[at:], v)
			if n < 0 {
				break
			}
			from := at + n
			if at = from + len(v); wordStart(sc.s, from) && (at == len(sc.s) || !alnum.has(sc.s[at])) {
				sc.spans = append(sc.spans, span{from, at, sp.rule})
			}
		}
	}
}

// hit is what the automaton calls.
func (sc *scan) hit(word, from, to int) {
	w := &sc.words[word]
	for _, sh := range w.shapes {
		sc.shape(sh, from)
	}
	if from < sc.cueDone {
		return
	}
	if w.look != nil && (!w.exact || strings.EqualFold(sc.s[from:to], w.text)) {
		w.look(sc, from, to)
	}
	if len(w.beside) > 0 {
		sc.provider(w.beside, from)
	}
	for _, c := range w.commands {
		sc.command(c, from)
	}
}
