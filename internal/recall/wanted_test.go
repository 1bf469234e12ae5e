package recall

import "testing"

func TestWhatIsWantedFallsWithTheNumberOfStatements(t *testing.T) {
	for stated, want := range map[int]float64{
		0:  .38, // nobody counts them
		40: .38, 60: .38, 120: 0.336, 240: 0.293, 480: 0.249, 1200: .205, 100_000: .205,
	} {
		p := &parsed{stated: stated, needs: .7}
		if got := p.wanted(); got < want-.001 || got > want+.001 {
			t.Errorf("%d statements: %.3f, want %.3f", stated, got, want)
		}
	}
}

func TestAPromptThatMayNeedNothingWantsMore(t *testing.T) {
	for needs, want := range map[float64]float64{1: .318, .7: .38, .5: .450, .05: .450} {
		p := &parsed{needs: needs}
		if got := p.wanted(); got < want-.001 || got > want+.001 {
			t.Errorf("likely to need something by %.2f: %.3f, want %.3f", needs, got, want)
		}
	}
}

func TestInASessionDoubtWeighsMoreAndWhatLeansWantsLess(t *testing.T) {
	for _, tc := range []struct {
		needs   float64
		leans   bool
		without float64
		want    float64
	}{
		{1, true, .318, .186}, {.7, true, .38, .266}, {.4, true, .450, .466}, {.1, true, .450, .621},
		{1, false, .318, .266}, {.7, false, .38, .38}, {.4, false, .450, .665}, {.1, false, .450, .887},
	} {
		p := &parsed{needs: tc.needs, leans: tc.leans}
		if got := p.wanted(); got < tc.without-.001 || got > tc.without+.001 {
			t.Errorf("%+v: %.3f of a first prompt, want %.3f", tc, got, tc.without)
		}
		p.before = []string{"ferry"}
		if got := p.wanted(); got < tc.want-.001 || got > tc.want+.001 {
			t.Errorf("%+v: %.3f in a session, want %.3f", tc, got, tc.want)
		}
	}
}
