package agent

import (
	"math"

	"orihon/internal/tokens"
)

// gauge is what a token of ours is worth in those of the model that answers. The
// estimate by kind of character may be off by a third; what the provider reports
// corrects it.
type gauge struct {
	ratio float64
	seen  []float64 // reported over estimated, of the latest requests
}

const (
	// unknownRatio holds until enough was reported.
	unknownRatio = 1.35
	// gaugeSteps rounds the ratio up, so that it hardly ever changes: each change
	// may change how the context is cut, which costs the provider's cache.
	gaugeSteps = 20
	gaugeSeen  = 30 // requests
	gaugeLeast = 3  // requests from which the reports count alone
	// gaugeFrom is the size of a request from which its report says something.
	gaugeFrom = 400 // tokens
)

func newGauge() gauge { return gauge{ratio: unknownRatio} }

// learn takes note of a report.
func (g *gauge) learn(estimated int, reported int64) {
	if estimated < gaugeFrom || reported <= 0 {
		return
	}
	g.seen = append(g.seen, float64(reported)/float64(estimated))
	g.seen = g.seen[max(0, len(g.seen)-gaugeSeen):]
	most := 1.0
	for _, r := range g.seen {
		most = max(most, r)
	}
	if len(g.seen) < gaugeLeast {
		most = max(most, unknownRatio)
	}
	g.ratio = math.Ceil(most*1.02*gaugeSteps) / gaugeSteps
}

// count is a text in tokens of the model, rather more than less.
func (g *gauge) count(text string) int { return scaled(tokens.Estimate(text), g.ratio) }

func scaled(n int, ratio float64) int { return int(math.Ceil(float64(n) * ratio)) }
