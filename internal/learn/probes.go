package learn

import (
	"slices"
	"strings"

	"orihon/internal/terms"
)

// Probes are further words by which statements may be found that exclude a
// text: the alternatives of what it names. An index asked for the text alone
// would not find "use spaces" for "use tabs".
func Probes(text string) []string {
	r := read(text)
	var out []string
	for i := range r.words {
		for _, line := range lists.Phrases("alternatives") {
			if others, ok := strings.CutPrefix(line, r.words[i].key+"\t"); ok && r.words[i].class == member {
				out = append(out, terms.Query(others)...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
