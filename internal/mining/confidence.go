package mining

import (
	"math"

	"orihon/habit"
	"orihon/memory"
)

// sure is the probability from which a habit is believed as far as it was seen; what
// is less likely is only suggested. The marks are those at which nine of ten are right
// of what writers planted whose other sessions taught nothing: docs/benchmarks.md.
var sure = map[habit.Kind]float64{habit.Correction: 0.8, habit.Fix: 0.8, habit.Sequence: 0.8}

// tentative is the confidence of what is only suggested.
const tentative = 0.4

// Confidence is how far a habit is believed, by how often it was seen.
func (f *Found) Confidence() float64 {
	switch {
	case f.back >= surelyBack:
		return min(tentative, believed(f.Kind, len(f.Evidence), len(f.Against)))
	case f.P < sure[f.Kind], f.vague, f.dropped, len(f.Against) > 0:
		return min(tentative, f.Believed())
	}
	return f.Believed()
}

// Believed is the confidence by how often it was seen alone.
func (f *Found) Believed() float64 { return believed(f.Kind, len(f.Evidence), 0) }

// believed is the confidence that memory's rules give to something that was seen so
// often, and taken back so often. Who corrects the same again confirms it.
func believed(kind habit.Kind, seen, against int) float64 {
	start, again := memory.SingleConfidence, memory.SeenAgain
	switch kind {
	case habit.Correction, habit.Preference:
		again = memory.UserConfirms
	case habit.Fix:
		start = memory.InferredConfidence
	}
	c := start + again*float64(max(0, seen-1)) - memory.UserCorrects*float64(against)
	return rounded(c)
}

// rounded is a confidence within its bounds, in hundredths.
func rounded(c float64) float64 { return math.Round(100*min(1, max(0, c))) / 100 }

// Affirm notes that somebody who was asked takes it for a habit: it is believed as far as
// it was seen, unless it was taken back.
func (f *Found) Affirm() { f.P = max(f.P, sure[f.Kind]) }

// spread is in how many sessions evidence lies.
func spread(evidence []habit.Evidence) int {
	in := make(map[string]bool)
	for i := range evidence {
		in[evidence[i].Session] = true
	}
	return len(in)
}
