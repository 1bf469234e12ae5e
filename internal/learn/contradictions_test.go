package learn_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon/internal/learn"
)

// labelled is one line of testdata/contradictions.
type labelled struct {
	ID, Lang, Old, New string
	Label              learn.Relation
}

func labelledPairs(t *testing.T, name string) (out []labelled) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "contradictions", name))
	if err != nil {
		t.Skip("SKIPPED: no labelled pairs here: ", err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var p labelled
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// tally counts how one relation was found.
type tally struct{ found, right, there int }

func (c tally) String() string {
	return fmt.Sprintf("precision %s (%d/%d)  recall %s (%d/%d)", interval(c.right, c.found), c.right, c.found, interval(c.right, c.there), c.right, c.there)
}

func (c tally) precision() float64 { return float64(c.right) / float64(max(1, c.found)) }
func (c tally) recall() float64    { return float64(c.right) / float64(max(1, c.there)) }

// interval is a share with Wilson's interval at 95 per cent.
func interval(k, n int) string {
	if n == 0 {
		return "–"
	}
	const z = 1.96
	p, m := float64(k)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return fmt.Sprintf("%.2f [%.2f, %.2f]", p, mid-half, mid+half)
}

func score(t *testing.T, pairs []labelled, wrong func(labelled, learn.Relation, string)) map[string]tally {
	t.Helper()
	out := make(map[string]tally)
	for _, p := range pairs {
		got, why, err := learn.Rules{}.Classify(t.Context(), p.Old, p.New)
		if err != nil {
			t.Fatal(err)
		}
		if got != p.Label && wrong != nil {
			wrong(p, got, why)
		}
		for _, rel := range []learn.Relation{learn.Contradicts, learn.Extends, learn.Duplicates, learn.Unrelated} {
			for _, group := range []string{"all", p.Lang} {
				key := string(rel) + " " + group
				c := out[key]
				if got == rel {
					c.found++
				}
				if p.Label == rel {
					c.there++
				}
				if got == rel && p.Label == rel {
					c.right++
				}
				out[key] = c
			}
		}
	}
	return out
}

// The rules were tuned on all but frozen; of frozen only totals are printed.
func TestTheRulesFindContradictionsInLabelledPairs(t *testing.T) {
	for _, tt := range []struct {
		file              string
		precision, recall float64
	}{
		{"dev.jsonl", 0.95, 0.8},
		{"narratives.jsonl", 0.95, 0.75},
		{"wordings.jsonl", 0.95, 0.7},
		{"standing.jsonl", 0.98, 0.95},
		{"frozen.jsonl", 0.87, 0.5},
	} {
		t.Run(tt.file, func(t *testing.T) {
			var wrong func(labelled, learn.Relation, string)
			if tt.file != "frozen.jsonl" && testing.Verbose() {
				wrong = func(p labelled, got learn.Relation, why string) {
					t.Logf("%s want %s, got %s (%s): %s || %s", p.ID, p.Label, got, why, p.Old, p.New)
				}
			}
			totals := score(t, labelledPairs(t, tt.file), wrong)
			for _, rel := range []learn.Relation{learn.Contradicts, learn.Extends, learn.Duplicates, learn.Unrelated} {
				for _, lang := range []string{"all", "en", "zh-Hant", "zh-Hans"} {
					t.Logf("%-12s %-8s %s", rel, lang, totals[string(rel)+" "+lang])
				}
			}
			if c := totals["contradicts all"]; c.precision() < tt.precision || c.recall() < tt.recall {
				t.Errorf("contradictions: %s; want at least %.2f and %.2f", c, tt.precision, tt.recall)
			}
		})
	}
}
