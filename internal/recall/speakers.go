package recall

import (
	"math"

	"orihon/memory"
)

// A question that names who did something, and names the wrong one, is worded
// like one that has an answer: the best-matching turns are told by somebody
// else. What the speaker who is named has said must then cover the question by
// itself, and is doubted as far as somebody else covers it better. This is about
// relevance only: the order knows nothing of it.

// doubt is the power with which the named speaker's turns lose relevance when
// others cover the question better. Without it questions that name the wrong
// speaker got 53 % of the tokens of others on development data, with it at 4 and
// nothing else 37 %; beside the pronouns, see aboutNamed, 2 costs less recall.
const doubt = 2

// doubted is the relevance of the best turns of the speaker who is named, by how
// much of the question they cover and how much the best of others do, all 0..1.
func doubted(named, others float64) float64 {
	if others <= named {
		return named
	}
	return named * math.Pow(named/others, doubt)
}

func anybody(*memory.Hit) bool    { return true }
func theNamed(h *memory.Hit) bool { return h.Speaker }
func others(h *memory.Hit) bool   { return !h.Speaker }

// bestOf is the greatest value among the first few hits of a kind, in order.
func bestOf(order []int, hits []memory.Hit, of func(*memory.Hit) bool, value func(i int) float64) float64 {
	var best float64
	left := topForCoverage
	for _, i := range order {
		if !of(&hits[i]) {
			continue
		}
		best = math.Max(best, value(i))
		if left--; left == 0 {
			break
		}
	}
	return best
}
