package follow

import (
	"strings"
	"testing"

	"orihon/internal/capture"
	"orihon/internal/config"
	"orihon/internal/home"
	"orihon/internal/verbs"
)

func TestTrendProposesOnEvidenceAlone(t *testing.T) {
	f := &Sessions{v: &verbs.Verbs{Home: &home.Home{Config: &config.Config{}}}}
	f.v.Config.Capture.Notice = NoticeSure
	score := func(captured, back int) Score {
		s := Score{Captured: captured, Tokens: 1000, TakenBack: map[string]int{"wrong": back}}
		b := &brought{captured: map[string]bool{}, back: map[string]string{}, known: map[string]bool{}}
		for i := range captured {
			b.captured[string(rune('a'+i))] = true
			if i < back {
				b.back[string(rune('a'+i))] = "wrong"
			}
		}
		s.TakenBack = nil
		s.judge(b)
		return s
	}
	of := func(n int, s Score) (out []Score) {
		for range n {
			out = append(out, s)
		}
		return out
	}
	good, bad, none := score(3, 0), score(3, 2), Score{}
	for _, tt := range []struct {
		name     string
		all      []Score
		proposed bool
		swings   int
	}{
		{"nothing yet", nil, false, 0},
		{"all is well", of(20, good), false, 0},
		{"little evidence", of(3, bad), false, 0},
		{"much is taken back", append(of(10, bad), of(10, good)...), true, 0},
		{"sessions that brought nothing do not count", append(of(30, none), of(10, bad)...), true, 0},
		{"up and down", []Score{bad, good, bad, good, bad, good, bad, good, bad, bad, bad, bad}, false, 7},
	} {
		got := f.trend(tt.all)
		if (got.Proposal != "") != tt.proposed || got.Swings != tt.swings {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	f.v.Config.Capture.Notice = NoticeAsk
	if got := f.trend(of(10, bad)); got.Proposal != "" {
		t.Errorf("proposes what is set: %+v", got)
	}
}

func TestAdviceTakesEvidence(t *testing.T) {
	rate := func(n, of int) capture.Rate { return capture.Rate{Times: n, Of: of} }
	got := lessons([]capture.Experience{
		{Situation: capture.Refactor, FirstTry: rate(9, 10), Unchecked: rate(8, 10), Rework: rate(1, 10)},
		{Situation: capture.Migration, FirstTry: rate(0, 1), Unchecked: rate(1, 1)},
		{Situation: capture.SmallFix, Unchecked: rate(50, 50)},
	})
	if len(got) != 1 || !strings.Contains(got[0], "refactor: 8 of 10 ended without") {
		t.Errorf("%q", got)
	}
}
