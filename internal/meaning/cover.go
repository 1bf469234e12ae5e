package meaning

import (
	"math"
	"math/bits"
)

// Asked is a text whose words are looked for, one by one, in others. It is used by one
// goroutine at a time.
type Asked struct {
	table *Table
	words []asked
	total float64
	met   map[string]*met
}

// asked is a word that is looked for.
type asked struct {
	unit  Vector // of length 1
	signs []uint64
	says  float64
}

// met is a word of other texts, held against each word that is looked for.
type met struct {
	place   int
	rare    float64
	differ  []int  // in how many dimensions the signs differ, by word asked for
	nearest int    // the least of them
	unit    Vector // of length 1, when it was wanted
}

// Asked prepares the words of a text; those that the table has not are left out.
func (t *Table) Asked(words []string) *Asked {
	a := &Asked{table: t, met: make(map[string]*met)}
	for _, w := range words {
		i, ok := t.find(w)
		if !ok {
			continue
		}
		// What matters little in telling texts apart is learned as a short vector.
		v := make(Vector, t.dimensions)
		t.add(v, i, 1)
		says := v.scale()
		a.words = append(a.words, asked{v, t.signs(i), says})
		a.total += says
	}
	return a
}

// meet holds a word of another text against what is asked; nil when the table has not
// got it.
func (a *Asked) meet(w string) *met {
	m, known := a.met[w]
	if known {
		return m
	}
	if i, ok := a.table.find(w); ok {
		m = &met{place: i, rare: float64(a.table.rare[i]) / 255, differ: make([]int, len(a.words)), nearest: a.table.dimensions}
		signs := a.table.signs(i)
		for k := range a.words {
			for s, of := range a.words[k].signs {
				m.differ[k] += bits.OnesCount64(of ^ signs[s])
			}
			m.nearest = min(m.nearest, m.differ[k])
		}
	}
	a.met[w] = m
	return m
}

// Cover is how near other texts' words come to what is asked: of each word asked
// for the cosine to the nearest of them, as far as the signs of their dimensions tell
// which that is, their mean by how much each says, 0..1 (Khattab and Zaharia 2020,
// "ColBERT": late interaction).
func (a *Asked) Cover(texts ...[]string) float64 {
	nearest := make([]*met, len(a.words))
	for _, words := range texts {
		for _, w := range words {
			m := a.meet(w)
			if m == nil {
				continue
			}
			for k, d := range m.differ {
				if nearest[k] == nil || d < nearest[k].differ[k] {
					nearest[k] = m
				}
			}
		}
	}
	var sum float64
	for k, m := range nearest {
		if m == nil {
			return 0 // no word is known
		}
		if m.unit == nil {
			m.unit = make(Vector, a.table.dimensions)
			a.table.add(m.unit, m.place, 1)
			m.unit.scale()
		}
		sum += a.words[k].says * max(0, a.words[k].unit.Cosine(m.unit))
	}
	if a.total == 0 {
		return 0
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
		if m := a.meet(w); m != nil {
			total += m.rare
			sum += m.rare * max(0, math.Cos(math.Pi*float64(m.nearest)/float64(a.table.dimensions)))
		}
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
