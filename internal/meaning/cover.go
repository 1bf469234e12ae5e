package meaning

import (
	"math"
	"math/bits"
)

// Asked is a text whose words are looked for, one by one, in others. It is used by one
// goroutine at a time.
type Asked struct {
	table *Table
	words []*word
	says  []float64
	total float64
	known map[int]*word // by place in the table
}

// word is one of a table: its vector of length 1, when it was wanted, and the signs of
// its dimensions, which find the nearest of many at a fraction of the cost.
type word struct {
	unit  Vector
	signs []uint64
}

// Asked prepares the words of a text; those that the table has not are left out.
func (t *Table) Asked(words []string) *Asked {
	a := &Asked{table: t, known: make(map[int]*word)}
	for _, w := range words {
		i, ok := t.find(w)
		if !ok {
			continue
		}
		// What matters little in telling texts apart is learned as a short vector.
		v := make(Vector, t.dimensions)
		t.add(v, i, 1)
		says := v.scale()
		a.words, a.says = append(a.words, &word{v, t.signs(i)}), append(a.says, says)
		a.total += says
	}
	return a
}

// Cover is how near another text's words come to what is asked: of each word asked
// for the cosine to the nearest of them, their mean by how much each says, 0..1
// (Khattab and Zaharia 2020, "ColBERT": late interaction).
func (a *Asked) Cover(words []string) float64 {
	var others []*word
	var places []int
	for _, w := range words {
		i, ok := a.table.find(w)
		if !ok {
			continue
		}
		other := a.known[i]
		if other == nil {
			other = &word{signs: a.table.signs(i)}
			a.known[i] = other
		}
		others, places = append(others, other), append(places, i)
	}
	if len(others) == 0 || a.total == 0 {
		return 0
	}
	var sum float64
	for k, asked := range a.words {
		nearest, differ := 0, a.table.dimensions+1
		for n, other := range others {
			d := 0
			for s, signs := range asked.signs {
				d += bits.OnesCount64(signs ^ other.signs[s])
			}
			if d < differ {
				nearest, differ = n, d
			}
		}
		other := others[nearest]
		if other.unit == nil {
			other.unit = make(Vector, a.table.dimensions)
			a.table.add(other.unit, places[nearest], 1)
			other.unit.scale()
		}
		sum += a.says[k] * max(0, asked.unit.Cosine(other.unit))
	}
	return sum / a.total
}

// Said is how near what is asked comes to another text's words: of each of them the
// cosine to the nearest word asked for, as the signs of their dimensions estimate it
// (Charikar 2002, "Similarity estimation techniques from rounding algorithms"), their
// mean by how rare each is, 0..1.
func (a *Asked) Said(words []string) float64 {
	var sum, total float64
	for _, w := range words {
		i, ok := a.table.find(w)
		if !ok {
			continue
		}
		other := a.known[i]
		if other == nil {
			other = &word{signs: a.table.signs(i)}
			a.known[i] = other
		}
		differ := a.table.dimensions
		for _, asked := range a.words {
			d := 0
			for s, signs := range asked.signs {
				d += bits.OnesCount64(signs ^ other.signs[s])
			}
			differ = min(differ, d)
		}
		rare := a.table.Rarity(w)
		total += rare
		sum += rare * max(0, math.Cos(math.Pi*float64(differ)/float64(a.table.dimensions)))
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

// signs are those of the i-th word's dimensions, a bit each.
func (t *Table) signs(i int) []uint64 {
	out := make([]uint64, (t.dimensions+63)/64)
	for k := range t.dimensions / 2 {
		c := t.codes[i*t.dimensions/2+k]
		out[k/32] |= uint64(c>>3&1)<<(2*k%64) | uint64(c>>7)<<(2*k%64+1)
	}
	return out
}
