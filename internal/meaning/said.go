package meaning

// Said is what a text says, word by word: each weighs more the rarer it is.
type Said struct {
	Total float64 // weight

	table   *Table
	words   []string
	weights []float64
	has     map[string]bool
}

// Said weighs the words of a text, each once.
func (t *Table) Said(words []string) *Said {
	s := &Said{table: t, has: make(map[string]bool, len(words))}
	for _, w := range words {
		if s.has[w] {
			continue
		}
		weight := t.Rarity(w)
		s.words, s.weights = append(s.words, w), append(s.weights, weight)
		s.has[w], s.Total = true, s.Total+weight
	}
	return s
}

// In is what weight of it stands in another text: word by word, and by words that mean
// nearly the same, as far as they are near.
func (s *Said) In(other *Said) (exact, near float64) {
	for i, w := range s.words {
		if other.has[w] {
			exact += s.weights[i]
			continue
		}
		for _, n := range s.table.Neighbours(w) {
			if other.has[n.Word] {
				near += n.Cosine * s.weights[i]
				break // the nearest comes first
			}
		}
	}
	return exact, near
}
