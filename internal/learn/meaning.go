package learn

import (
	"slices"
	"strings"
	"unicode"

	"orihon/internal/meaning"
	"orihon/internal/terms"
)

// What is told again in other words shares little of its wording. How much of what it
// says stands in what is known tells better. The marks were chosen on half of the
// authors of the lives; docs/benchmarks.md says what they are worth on the others.
const (
	restatedShare  = 0.8 // from here: all of it is known
	resemblesShare = 0.5 // from here, of either in the other: perhaps the same
	sharedWeight   = 2.0 // what both say weighs so much; short rules share their form
)

// gist is what a statement says.
type gist struct {
	*meaning.Said
	values []string // numbers
}

func (r *reading) gist() *gist {
	if r.meant != nil {
		return r.meant
	}
	s := &gist{Said: meaning.Builtin().Said(terms.Query(r.folded))}
	for _, v := range strings.FieldsFunc(r.folded, func(c rune) bool { return !unicode.IsDigit(c) && c != '.' }) {
		if v = strings.Trim(v, "."); v != "" {
			s.values = append(s.values, v)
		}
	}
	r.meant = s
	return s
}

// within is the share of what one says that stands in the other, a word also for one
// that means nearly the same, and what weight of it stands there word by word.
func (s *gist) within(other *gist) (share, weight float64) {
	if s.Total == 0 {
		return 0, 0
	}
	exact, near := s.In(other.Said)
	return (exact + near) / s.Total, exact
}

// restates tells how far a newer statement says what an older one says: all of it, or
// perhaps the same. Values and opposites that differ say that it does not; so does a
// denial that stands on one side only, as far as it is to go without a question.
func restates(older, newer *reading, c *comparison) (all, perhaps bool) {
	if c != nil && len(c.opposites)+len(c.swapped)+len(c.values)+len(c.scopes) > 0 {
		return false, false
	}
	a, b := older.gist(), newer.gist()
	share, weight := b.within(a)
	if weight < sharedWeight {
		return false, false
	}
	back, _ := a.within(b)
	added, missing := b.beyond(a), a.beyond(b)
	denied := c != nil && len(c.flipped) > 0 && !(older.denies() && newer.denies())
	return share >= restatedShare && !added && !denied && !(c != nil && c.exchanged()), max(share, back) >= resemblesShare && !(added && missing)
}

// beyond reports whether one names a number that the other does not.
func (s *gist) beyond(other *gist) bool {
	return slices.ContainsFunc(s.values, func(v string) bool { return !slices.Contains(other.values, v) })
}
