package learn

import (
	"slices"
	"strings"
	"unicode/utf8"

	"orihon/internal/reader"
)

// The least likelihoods, as package reader has them, at which a whole sentence is worth
// keeping. The reader learnt from what people type by the way, most of which is worth
// nothing; what somebody asks to keep was chosen, so less will do, and less again where
// it names a value.
const (
	worthAtLeast    = 0.3
	worthWithAValue = 0.2
)

// stands reports whether a text is a whole sentence that says what holds, however short;
// valued says that it names a value. What was just done, is under way, or points at what
// it does not name is none.
func (r *reading) stands(text string, valued bool) bool {
	if !r.whole() || r.underWay() || r.hangs() || r.told() {
		return false
	}
	least := worthAtLeast
	if valued {
		least = worthWithAValue
	}
	// Most Chinese that people type ends in no full stop: with one it is less like theirs.
	return reader.Tells(strings.TrimRight(text, " .。!！")) >= least
}

// whole reports whether a text ends as a sentence does, or says something of something,
// and names at least two things. A Chinese character that is no word counts for half.
func (r *reading) whole() bool {
	const things = 2.0
	names, says := 0.0, false
	for i := range r.words {
		w := &r.words[i]
		says = says || i > 0 && (w.class == predicate || w.class == negator || w.class == quantity)
		switch {
		case w.heft == 0:
		case utf8.RuneCountInString(w.text) == 1 && strings.ContainsFunc(w.text, isHan):
			names += 0.5
		default:
			names++
		}
	}
	return names >= things && (says || strings.TrimRight(r.folded, ".。!") != r.folded)
}

// underWay reports whether a text tells of the work at hand: of who does it, or in the
// words for what is just done, going on, or next.
func (r *reading) underWay() bool {
	first := r.textAt(0)
	return r.says(lists.Phrases("at-hand")...) || containsOf(r.folded, lists.Phrases("at-hand-anywhere")...) ||
		slices.Contains(lists.Phrases("at-hand-first"), first) || lists.Words("past")[first] ||
		strings.HasSuffix(first, "ed") && len(first) > len("need") || strings.HasSuffix(strings.TrimRight(r.folded, " .。!"), "了")
}

// hangs reports whether a text begins with a word for something that it does not name.
func (r *reading) hangs() bool {
	return slices.Contains(lists.Phrases("unnamed"), r.textAt(0)) && (r.textAt(1) == "" || r.words[1].class != content)
}
