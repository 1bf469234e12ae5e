package recall

import (
	"testing"

	"orihon/memory"
)

func TestWhatIsNearlyAsRelevantAsTheBestIsNotCutOff(t *testing.T) {
	for _, tt := range []struct {
		name      string
		relevance []float64
		want      float64
	}{
		{"the best just reaches the base", []float64{0.71, 0.68, 0.5}, 0.66},
		{"and after it was lowered", []float64{0.62, 0.58}, 0.57},
		{"far above it the base stands", []float64{0.9, 0.68}, 0.7},
		{"never below the least", []float64{0.52, 0.49}, 0.5},
		{"nothing reaches it", []float64{0.3}, 0.5},
	} {
		e := New(&Options{})
		hits := make([]*memory.Hit, len(tt.relevance))
		for i, r := range tt.relevance {
			hits[i] = &memory.Hit{Relevance: r}
		}
		if got := e.adapt(0.7, hits); got != tt.want {
			t.Errorf("%s: %g, want %g", tt.name, got, tt.want)
		}
	}
}
