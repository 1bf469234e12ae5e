package recall

import (
	"math"
	"sort"

	"orihon/memory"
)

// inOrder points to hits in order, since they are large. Equals stay as they
// were.
func inOrder(hits []memory.Hit, before func(a, b *memory.Hit) bool) []*memory.Hit {
	order := make([]*memory.Hit, len(hits))
	for i := range order {
		order[i] = &hits[i]
	}
	sort.SliceStable(order, func(i, j int) bool { return before(order[i], order[j]) })
	return order
}

// sorted returns hits in order.
func sorted(hits []memory.Hit, before func(a, b *memory.Hit) bool) []memory.Hit {
	out := make([]memory.Hit, len(hits))
	for i, h := range inOrder(hits, before) {
		out[i] = *h
	}
	return out
}

// before orders by score. Scores that differ by less than a hundredth are
// ties, which activation, the fused score, confidence and finally the ID break: bucketed, so
// that the order is transitive.
func before(a, b *memory.Hit) bool {
	const tie = 100
	if x, y := int(a.Score*tie), int(b.Score*tie); x != y {
		return x > y
	}
	if a.Activation != b.Activation {
		return a.Activation > b.Activation
	}
	if a.Fused != b.Fused {
		return a.Fused > b.Fused
	}
	if x, y := a.Passage.Item.Metadata.Confidence, b.Passage.Item.Metadata.Confidence; x != y {
		return x > y
	}
	return a.Passage.ID < b.Passage.ID
}

// round makes scores comparable across machines: sums of floats may differ in
// the last bits.
func round(x float64) float64 { return math.Round(x*1e6) / 1e6 }
