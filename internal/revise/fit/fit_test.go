package main

import (
	"bytes"
	"strings"
	"testing"
)

// Both sorts of data are there, and what is marked in them stands in them.
func TestSheets(t *testing.T) {
	sheets, err := openSheets("data")
	if err != nil || len(sheets) < 30 {
		t.Fatalf("%d sheets, %v", len(sheets), err)
	}
	for _, s := range sheets[:2] {
		known := map[string]bool{}
		for _, m := range s.Memories {
			known[m.ID] = true
		}
		for _, p := range s.Prompts {
			for _, c := range p.Changes {
				if !known[c.ID] || !strings.Contains(p.Text, c.Span) {
					t.Errorf("%s: %q of %s", s.writer, c.Span, c.ID)
				}
			}
		}
	}
}

func TestWordsLearnWhatSaysAChange(t *testing.T) {
	var all []said
	for range 20 {
		all = append(all, said{slots([]string{"we", "moved", "to"}), true}, said{slots([]string{"please", "run", "to"}), false})
	}
	l := learn(all, 0.01)
	weight := func(w string) float64 { return l[slots([]string{w})[0]] }
	if weight("moved") < 0.1 || weight("please") > -0.1 {
		t.Errorf("moved %.2f, please %.2f", weight("moved"), weight("please"))
	}
}

func TestTheReportCountsWhatIsFoundAndWhatIsSaidForNothing(t *testing.T) {
	change := &prompt{Changes: []struct{ ID, Span string }{{"m1", ""}}, over: map[int]string{0: ""}}
	touch, life := &prompt{}, &prompt{life: true}
	var out bytes.Buffer
	report(&out, []verdict{{0.95, true, change, 0}, {0.85, false, touch, 0}, {0.05, false, life, 0}}, 0)
	for _, want := range []string{"1 changes; 1 prompts that change nothing, 1 of lives", "0.90  1.000  1.000     0.000  0.000", "0.80  1.000  0.500     1.000  0.000"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}
