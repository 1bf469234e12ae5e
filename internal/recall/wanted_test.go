package recall

import "testing"

func TestWhatIsWantedFallsWithTheNumberOfStatements(t *testing.T) {
	for stated, want := range map[int]float64{
		0:  .45, // nobody counts them
		40: .45, 150: .45, 300: .416, 600: .383, 1200: .351, 100_000: .351,
	} {
		p := &parsed{stated: stated}
		if got := p.wanted(); got < want-.001 || got > want+.001 {
			t.Errorf("%d statements: %.3f, want %.3f", stated, got, want)
		}
	}
}
