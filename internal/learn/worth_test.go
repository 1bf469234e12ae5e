package learn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orihon/internal/learn"
	"orihon/memory"
)

// A short sentence that says a fact is worth keeping in either language; what an agent
// tells of its work, an answer out of politeness and a piece of a sentence are not.
func TestShortFactsAreKeptInEitherLanguage(t *testing.T) {
	for _, name := range []string{"english.txt", "chinese.txt"} {
		lines, err := os.ReadFile(filepath.Join("testdata", "worth", name))
		if err != nil {
			t.Fatal(err)
		}
		var facts, kept, others, wrong int
		for line := range strings.Lines(string(lines)) {
			text, other := strings.CutPrefix(strings.TrimSpace(line), "-")
			if strings.HasPrefix(text, "#") {
				continue
			}
			added := learn.Gate(learn.Statement{Text: text, Source: memory.FromAgent}).Action == learn.Added
			switch {
			case other:
				others++
				if added {
					wrong++
					t.Logf("%s: kept: %s", name, text)
				}
			default:
				facts++
				if added {
					kept++
				} else {
					t.Logf("%s: not kept: %s", name, text)
				}
			}
		}
		if float64(kept) < 0.9*float64(facts) || float64(wrong) > 0.07*float64(others) {
			t.Errorf("%s: %d of %d facts kept, and %d of %d others", name, kept, facts, wrong, others)
		}
	}
}
