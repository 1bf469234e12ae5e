package main

import (
	"testing"

	"orihon/internal/mining"
	"orihon/internal/planted"
)

// The weights were learned on these sessions, so that this says only that they and the
// code fit together still; what they are worth on others stands in docs/benchmarks.md.
func TestPlantedHabitsAreFound(t *testing.T) {
	authors, err := planted.Read("../../planted/testdata/open")
	if err != nil {
		t.Fatal(err)
	}
	var all []planted.Report
	for i := range authors {
		r, err := score(&authors[i], sessionsOf(&authors[i]), nil, new(marks))
		if err != nil {
			t.Fatal(err)
		}
		t.Log(r.Line())
		all = append(all, r)
	}
	sum := planted.Sum(all)
	if t.Log(sum.Line()); 100*sum.Right < 92*sum.Sure || sum.Sure < 40 || 100*sum.Found < 80*sum.Habits || sum.TakenUp > 0 {
		t.Error("found less than nine of ten right, four of five habits, or one that was taken back")
	}
}

func TestAModelIsLearned(t *testing.T) {
	var rows []mining.Example
	for i := range 200 {
		x := float64(i%20) / 20
		rows = append(rows, mining.Example{Facts: []float64{1, x, 5}, Right: x > 0.5 == (i%10 > 0)})
	}
	if w := logistic(rows, 0.1); w[1] < 1 {
		t.Errorf("learned %v", w)
	}
}
