package recall

import "testing"

func TestWhatIsWantedFallsWithTheNumberOfStatements(t *testing.T) {
	for stated, want := range map[int]float64{
		0:  .36, // nobody counts them
		40: .36, 150: .36, 300: .333, 600: .306, 1200: .279, 100_000: .252,
	} {
		p := &parsed{stated: stated}
		if got := p.wanted(); got < want-.001 || got > want+.001 {
			t.Errorf("%d statements: %.3f, want %.3f", stated, got, want)
		}
	}
}
