package planted_test

import (
	"strings"
	"testing"

	"orihon/internal/planted"
)

func TestInstinctsAreHeldAgainstWhatWasPlanted(t *testing.T) {
	authors, err := planted.Read("testdata/open")
	if err != nil {
		t.Fatal(err)
	}
	a := &authors[0]
	if a.Name != "h1" || len(a.Sessions) != 20 || len(a.Labels) != 50 || a.Sessions[0].Lines[0].Number != 2 {
		t.Fatalf("%s: %d sessions, %d labels", a.Name, len(a.Sessions), len(a.Labels))
	}
	at := func(places ...string) planted.Instinct {
		in := planted.Instinct{Confidence: 0.5, Kind: "correction"}
		for _, p := range places {
			session, line, _ := strings.Cut(p, ":")
			n := 0
			for _, d := range line {
				n = 10*n + int(d-'0')
			}
			in.Seen = append(in.Seen, planted.Seen{Session: session, Line: n})
		}
		return in
	}
	weak := at("02:6", "08:6")
	weak.Confidence = 0.4
	r := planted.Score(a, []planted.Instinct{
		at("01:8", "06:17"),                   // h01, within two lines
		at("01:7"),                            // one place is too few
		at("01:7", "01:8"),                    // the same place twice, too
		at("02:22", "05:12", "01:3", "01:4"),  // h02, half of it elsewhere
		at("02:22", "05:12", "1", "2", "3:3"), // less than half
		at("02:24", "07:17"),                  // n20, taken back
		weak,                                  // h06, only suggested
	})
	if r.Sure != 6 || r.Right != 2 || r.Found != 3 || r.TakenUp != 1 || r.Tentative != 1 || len(r.Wrong) != 4 {
		t.Errorf("%+v", r.Line())
	}
	if r.Wrong[3].Near != "n20 taken-back" {
		t.Errorf("stands on %q", r.Wrong[3].Near)
	}
}

func TestALabelOfStepsHoldsToTheLast(t *testing.T) {
	authors, err := planted.Read("testdata/open")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range authors[0].Labels {
		if l.ID == "h10" { // four steps from 02:9 on
			if _, ok := l.Place("02", 12); !ok {
				t.Error("the last step does not count")
			}
			if _, ok := l.Place("02", 18); ok {
				t.Error("what comes long after counts")
			}
		}
	}
}
