package extract

import (
	"slices"

	"orihon/internal/terms"
)

// Alike reports whether two pieces say the same: most of the words of the shorter one
// stand in the other, and they name the same values.
func Alike(a, b string) bool {
	const share = 0.7
	if va, vb := values(a), values(b); !slices.Equal(sorted(va), sorted(vb)) {
		return false
	}
	short, long := terms.Query(a), terms.Query(b)
	if len(short) > len(long) {
		short, long = long, short
	}
	return len(short) > 0 && float64(Shared(short, long)) >= share*float64(len(short))
}

// Shared counts the words of one text that stand in another.
func Shared(words, in []string) int {
	n := 0
	for _, w := range words {
		if slices.Contains(in, w) {
			n++
		}
	}
	return n
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
