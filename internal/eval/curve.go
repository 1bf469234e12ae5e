package eval

import (
	"orihon/internal/recall"
	"orihon/memory"
)

// Point is what would be injected at one fixed threshold of relevance, without
// adaptation, budget and limit. Tokens are those of whole turns.
type Point struct {
	Threshold float64
	Groups    []Injection
}

// curve is injection at the thresholds 0.05, 0.10 … 0.95.
type curve [19]injections

func threshold(i int) float64 { return float64(i+1) / 20 }

func (c *curve) add(kind string, q *Question, hits []memory.Hit, given func([]memory.Hit) given) {
	for i := range c {
		if c[i] == nil {
			c[i] = make(injections)
		}
		var above []memory.Hit
		for k := range hits {
			if hits[k].Relevance >= threshold(i) {
				above = append(above, hits[k])
			}
		}
		c[i].add(kind, q, given(above))
	}
}

func (c *curve) points() []Point {
	var out []Point
	for i := range c {
		if c[i] != nil {
			out = append(out, Point{threshold(i), c[i].groups()})
		}
	}
	return out
}

// Stages names the stages of recall that can be left out, see the setting
// recall.without.
func Stages() []string { return recall.Stages() }
