package recall

import (
	"fmt"
	"slices"
	"testing"

	"orihon/memory"
)

func TestWhatIsWantedBringsOthersAlong(t *testing.T) {
	for _, tc := range []struct {
		probabilities []float64
		before        []string // words of turns before
		relevant      []bool
	}{
		{[]float64{.35, .3}, nil, []bool{false, false}},
		{[]float64{.39, .3, .20, .18}, nil, []bool{true, true, true, false}},
		{[]float64{.3, .9}, nil, []bool{true, true}},
		{[]float64{.39, .3}, []string{"ferry"}, []bool{true, false}},
	} {
		t.Run(fmt.Sprint(tc.probabilities, tc.before), func(t *testing.T) {
			turn := memory.Hit{Passage: memory.Passage{Population: memory.UserTurns}, Probability: .3, Relevance: .1}
			hits := []memory.Hit{turn}
			for _, p := range tc.probabilities {
				hits = append(hits, memory.Hit{Passage: memory.Passage{Population: memory.Statements}, Probability: p, Relevance: asRelevance(p, wanted)})
			}
			p := &parsed{needs: .7, before: tc.before}
			p.bringAlong(hits)
			var got []bool
			for _, h := range hits[1:] {
				got = append(got, h.Relevance >= relevant)
			}
			if !slices.Equal(got, tc.relevant) {
				t.Errorf("relevant: %v, want %v", got, tc.relevant)
			}
			if hits[0].Relevance != turn.Relevance {
				t.Errorf("a turn came along: %g", hits[0].Relevance)
			}
		})
	}
}
