package terms

import _ "embed"

//go:embed common.txt
var commonText string

var common = newList(commonText)

// Common reports whether a term (a stem, or a folded Chinese pair) is one of
// the everyday words of talk about programming, which say little by
// themselves; single ASCII letters and digits are among them.
func Common(term string) bool {
	if len(term) == 1 {
		return true
	}
	return common().has(term)
}
