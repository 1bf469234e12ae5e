package learn

import (
	"math"
	"slices"
	"unicode/utf8"
)

// similarity says how alike two statements are in wording, from 0 to 1,
// whatever their case, width and script: above 0.95 they are the same but for
// the dressing, from 0.90 nearly, from 0.80 they overlap so far that one may be
// a newer wording of the other, and from 0.60 on they speak of the same subject.
// It knows nothing of meaning: statements that contradict each other are often
// very similar.
//
// It is the weighted Dice coefficient of the words (everyday words weigh less,
// English ones are compared by their stems) and of pairs of letters and of
// Chinese characters, drawn onto that scale by a fixed broken line.
func similarity(a, b *reading) float64 {
	if a.folded == b.folded {
		return 1
	}
	pa, pb := a.gramSet(), b.gramSet()
	letters := 0.0
	if len(pa)+len(pb) > 0 {
		letters = 2 * float64(common(pa, pb)) / float64(len(pa)+len(pb))
	}
	words := overlap(a, b)
	raw := letters
	if words >= 0 {
		raw = wordShare*words + (1-wordShare)*letters
	}
	if raw >= 1 && a.signs != b.signs {
		raw = 0.99
	}
	return calibrated(raw)
}

const wordShare = 0.6

// calibrated draws the raw overlap onto the scale of the thresholds.
func calibrated(raw float64) float64 {
	points := [...][2]float64{{0, 0}, {0.15, 0.25}, {0.4, 0.6}, {0.65, 0.8}, {0.82, 0.9}, {0.93, 0.95}, {1, 1}}
	for i := 1; i < len(points); i++ {
		lo, hi := points[i-1], points[i]
		if raw <= hi[0] {
			return lo[1] + (raw-lo[0])/(hi[0]-lo[0])*(hi[1]-lo[1])
		}
	}
	return 1
}

// overlap is the weighted Dice coefficient of the words; -1 when neither text
// has any.
func overlap(a, b *reading) float64 {
	total, both := 0, 0 // in tenths: sums do not depend on the order
	type kind struct {
		class class
		name  string
	}
	bag := make(map[kind]int, len(a.words))
	for i := range a.words {
		if w := &a.words[i]; w.weight() > 0 {
			bag[kind{w.class, w.name()}]++
			total += tenths(w)
		}
	}
	for i := range b.words {
		w := &b.words[i]
		if w.weight() == 0 {
			continue
		}
		total += tenths(w)
		if n := (kind{w.class, w.name()}); bag[n] > 0 {
			bag[n]--
			both += tenths(w)
		}
	}
	if total == 0 {
		return -1
	}
	return min(1, 2*float64(both)/float64(total))
}

func tenths(w *word) int { return int(math.Round(10 * w.weight())) }

// gramSet is the sorted set of the pairs of neighbouring letters, spaces left
// out.
func (r *reading) gramSet() []uint64 {
	if r.pairs != nil {
		return r.pairs
	}
	out := make([]uint64, 0, len(r.folded))
	last := rune(0)
	for i := 0; i < len(r.folded); {
		c, size := utf8.DecodeRuneInString(r.folded[i:])
		i += size
		if !letter(c) {
			continue
		}
		if last != 0 {
			out = append(out, uint64(last)<<32|uint64(c))
		}
		last = c
	}
	if len(out) == 0 && last != 0 {
		out = append(out, uint64(last))
	}
	slices.Sort(out)
	r.pairs = slices.Compact(out)
	return r.pairs
}

// common counts what two sorted sets share.
func common(a, b []uint64) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			n, i, j = n+1, i+1, j+1
		}
	}
	return n
}
