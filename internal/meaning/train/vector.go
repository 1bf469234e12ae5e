package main

import (
	"math"
	"slices"
	"sort"
)

// neighbour is a word near to another.
type neighbour struct {
	id     int32
	cosine float32
}

func unit(v []float32) float32 {
	var s float64
	for _, x := range v {
		s += float64(x) * float64(x)
	}
	n := float32(math.Sqrt(s))
	for i := range v {
		v[i] /= n + 1e-9
	}
	return n
}

func dot(a, b []float32) (s float32) {
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// nearer puts a neighbour among the k best.
func nearer(best []neighbour, o neighbour, k int) []neighbour {
	if len(best) == k && o.cosine <= best[k-1].cosine {
		return best
	}
	at := sort.Search(len(best), func(b int) bool { return best[b].cosine < o.cosine })
	best = slices.Insert(best, at, o)
	return best[:min(len(best), k)]
}
