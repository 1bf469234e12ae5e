package mining

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"

	"orihon/habit"
)

//go:embed weights.txt
var weightsText string

// Weights are what a model gives each fact; models are known by their names.
type Weights map[string][]float64

var builtin = sync.OnceValue(func() Weights { return ParseWeights(weightsText) })

// ParseWeights reads weights as weights.txt has them: the name of a model and its
// numbers on each line. A line that is none is passed over.
func ParseWeights(text string) Weights {
	out := make(Weights)
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 || strings.HasPrefix(words[0], "#") {
			continue
		}
		for _, w := range words[1:] {
			x, err := strconv.ParseFloat(w, 64)
			if err != nil {
				break
			}
			out[words[0]] = append(out[words[0]], x)
		}
	}
	return out
}

// p is the probability that a model gives facts; a model that is not there knows
// nothing.
func (w Weights) p(model string, facts []float64) float64 {
	sum := 0.0
	weights := w[model]
	if len(weights) != len(facts) {
		return 0
	}
	for i, x := range facts {
		sum += weights[i] * x
	}
	return 1 / (1 + math.Exp(-sum))
}

// The models.
const (
	modelTurn       = "turn"       // a message takes back what was done
	modelEnds       = "ends"       // a message ends something
	modelCorrection = "correction" // two messages correct the same
	modelFix        = "fix"        // two failures were mended alike
	modelSequence   = "sequence"   // steps belong together
	modelBack       = "back"       // a message takes back a habit
)

// worth is the model that tells habits of a kind from coincidences.
func worth(k habit.Kind) string { return "worth-" + string(k) }
