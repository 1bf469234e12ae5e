package recall

import (
	"slices"
	"strings"
	"unicode"

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

// specifics are the values and names of a text.
type specifics struct{ values, names []string }

func specificsOf(text string) (s specifics) {
	s.values, s.names = terms.Specifics(text)
	return s
}

// rival reports whether each of two texts gives a value or a name that the other does not.
func (s specifics) rival(other specifics) bool {
	return differ(s.values, other.values) || eachMore(s.names, other.names)
}

// eachMore reports whether each of two lists has something that the other lacks.
func eachMore(a, b []string) bool { return len(without(a, b)) > 0 && len(without(b, a)) > 0 }

// anotherThing reports whether two texts speak of things of one kind that a letter tells apart:
// rev B and rev C.
func anotherThing(a, b string) bool { return eachMore(lettersOf(a), lettersOf(b)) }

// lettersOf are the letters that stand alone in a text and tell things of one kind apart:
// rev B, hall C, A 區.
func lettersOf(text string) (out []string) {
	const words = "ai" // which are letters, too
	word := func(r rune) bool {
		return r <= unicode.MaxLatin1 && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("'’.-_/", r)
	}
	for f := range strings.FieldsFuncSeq(text, func(r rune) bool { return !word(r) }) {
		if f = strings.Trim(f, "'’.-_/"); len(f) == 1 && unicode.IsLetter(rune(f[0])) && !strings.Contains(words, f) {
			out = append(out, strings.ToLower(f))
		}
	}
	return out
}
