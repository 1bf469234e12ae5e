package gate_test

import (
	"math"
	"strings"
	"testing"

	"orihon/internal/gate"
)

func TestProbabilityIsThatOfTheTreesTogether(t *testing.T) {
	m, err := gate.Parse("-1\n0:0.5 1:1 1:2 0.1 0.2 0.3 0.4\n1:7 1 -1\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		signals []float64
		sum     float64
	}{
		{[]float64{0.5, 1}, -1 + 0.1 + 1},
		{[]float64{0.5, 1.1}, -1 + 0.2 + 1},
		{[]float64{0.6, 2}, -1 + 0.3 + 1},
		{[]float64{0.6, 8}, -1 + 0.4 - 1},
	} {
		if got, want := m.Probability(tt.signals), 1/(1+math.Exp(-tt.sum)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %g, want %g", tt.signals, got, want)
		}
	}
	if again, err := gate.Parse(m.String()); err != nil || again.String() != m.String() {
		t.Errorf("written and read: %v, %v", again, err)
	}
}

func TestAModelThatIsNoneIsRefusedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "line 1",
		"x":                 "line 1",
		"0\n0:1 2":          "line 2: 1 values for 1 nodes",
		"0\n0:1 1 2\na:b 1": `line 3: "a:b" is no node`,
		"0\n-1:2 1 1":       `line 2: "-1:2" is no node`,
		"0\n0:1 1 z":        `line 2: "z" is no value`,
		"0\n0:1 1:1 1 1 1":  "line 2: 2 nodes make no tree",
	} {
		if _, err := gate.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestTheModelOfTheBinaryIsSound(t *testing.T) {
	m := gate.Statements()
	if m == nil || len(m.Trees) == 0 {
		t.Fatal("there is none")
	}
}
