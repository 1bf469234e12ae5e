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
		if x := s.share(w, other); x == 1 {
			exact += s.weights[i]
		} else {
			near += x * s.weights[i]
		}
	}
	return exact, near
}

// Words are the weights of its words, each as far as it stands in another text.
func (s *Said) Words(other *Said) []float64 {
	out := make([]float64, len(s.words))
	for i, w := range s.words {
		out[i] = s.share(w, other) * s.weights[i]
	}
	return out
}

// share is how near the nearest word of another text is to one: 1 for the word itself.
func (s *Said) share(w string, other *Said) float64 {
	if other.has[w] {
		return 1
	}
	for _, n := range s.table.Neighbours(w) {
		if other.has[n.Word] {
			return n.Cosine // the nearest comes first
		}
	}
	return 0
}
