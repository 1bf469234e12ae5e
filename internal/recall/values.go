package recall

import (
	"slices"

	"orihon/internal/terms"
)

// differ reports whether one of some values has no equal among others, which have one of
// its sort that has none here.
func differ(values, others []string) bool {
	mine, theirs := without(values, others), without(others, values)
	return slices.ContainsFunc(mine, func(v string) bool {
		return slices.ContainsFunc(theirs, func(o string) bool { return terms.Comparable(v, o) })
	})
}

// without are the values that have no equal among others.
func without(values, others []string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool {
		return slices.ContainsFunc(others, func(o string) bool { return terms.SameValue(v, o) })
	})
}
