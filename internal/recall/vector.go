package recall

import (
	"math"
	"strings"

	"orihon/memory"
)

// likeness says what the cosines of one kind of embedder are worth. Raw
// cosines of two models cannot be compared: unrelated texts lie around 0.1 in
// one and around 0.5 in another.
type likeness struct {
	weight float64 // in fusion, against 1 for the passage's own text
	// Up to low a cosine says nothing, from high on it is evidence of strength
	// most, 0..1, that the passage bears on the prompt whatever its words.
	low, high, most float64
}

// evidence is what a cosine says by itself, 0..1.
func (l likeness) evidence(cosine float64) float64 {
	if l.most == 0 {
		return 0
	}
	return l.most * math.Min(1, math.Max(0, (cosine-l.low)/(l.high-l.low)))
}

// likeness is that of an embedder, by the beginning of its ID. The built-in
// ones were measured on development data; a model of meaning gets 0.7 of all
// that text and vector weigh together (there is none to measure here), and its
// scale by how near passages lie to the prompt by chance.
func (s *Settings) likeness(embedder string, usual memory.Spread) likeness {
	const (
		enough    = 30   // passages that tell what is usual
		low, high = 2, 6 // deviations above the mean: two in a hundred lie above the first by chance
	)
	l := likeness{weight: s.NearWeight + 1, low: 0.45, high: 0.85, most: 0.9}
	measured := usual.N >= enough && usual.Deviation > 0 && !strings.HasPrefix(embedder, memory.BuiltinEmbedders)
	l.weight *= 0.7 / 0.3
	switch {
	case strings.HasPrefix(embedder, "builtin/hash"):
		// Unrelated texts lie around 0.1, paraphrases that share words above 0.4.
		l = likeness{weight: 0.3, low: 0.2, high: 0.7, most: 0.5}
	case strings.HasPrefix(embedder, "builtin/"):
		l = likeness{weight: 0.85, low: 0.5, high: 1, most: 0.4}
	case strings.HasPrefix(embedder, "static"):
		l = likeness{weight: s.NearWeight + 1, low: 0.3, high: 0.8, most: 0.7}
	}
	if measured {
		l.low, l.high = usual.Mean+low*usual.Deviation, usual.Mean+high*usual.Deviation
	}
	switch {
	case s.VectorWeight < 0:
		l.weight, l.most = 0, 0
	case s.VectorWeight > 0:
		l.weight = s.VectorWeight
	}
	return l
}
