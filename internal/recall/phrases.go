package recall

import (
	"math"
	"slices"

	"orihon/internal/meaning"
	"orihon/internal/terms"
	"orihon/memory"
)

// looked is how a passage is met by what is asked, in its own words and in the phrases
// by which it may be looked for.
type looked struct {
	nearest, second float64 // cosines of its text and phrases, the two best
	said            float64 // of the phrase that is said most fully, how much
	covered         float64 // how near all words come to each of those asked for
	phrases         int
}

// look holds a passage's words and phrases against what is asked: as a text, and word
// by word.
func look(table *meaning.Table, asked meaning.Vector, each *meaning.Asked, cosine float64, words []string, it *memory.Item) looked {
	l := looked{nearest: cosine}
	all := slices.Clone(words)
	for _, phrase := range it.Phrases() {
		said := terms.Query(phrase)
		if c := asked.Cosine(table.Encode(said, nil)); c > l.nearest {
			l.nearest, l.second = c, l.nearest
		} else {
			l.second = math.Max(l.second, c)
		}
		l.said = math.Max(l.said, each.Said(said))
		all = append(all, said...)
		l.phrases++
	}
	l.covered = each.Cover(all)
	return l
}
