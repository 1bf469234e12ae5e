package capture_test

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"orihon/internal/capture"
	"orihon/memory"
)

// TestExplicitTellsRequestsFromTasks holds Explicit against labelled sentences,
// each of which is a prompt.
func TestExplicitTellsRequestsFromTasks(t *testing.T) {
	f, err := os.Open("testdata/explicit.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type figures struct{ asked, kept, right int }
	var total figures
	language, per := "", map[string]*figures{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "## "); ok {
			language = name
			per[language] = &figures{}
		}
		want, prompt, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		got := "pass"
		if found := capture.Explicit(prompt); len(found) == 1 {
			got = "keep"
			if found[0].Topic == memory.Preference {
				got = "rule"
			}
		} else if len(found) > 1 {
			t.Errorf("%s: %d statements, want at most one", prompt, len(found))
		}
		for _, n := range []*figures{per[language], &total} {
			if want != "pass" {
				n.asked++
			}
			if got != "pass" {
				n.kept++
				if want != "pass" {
					n.right++
				}
			}
		}
		if got != want && (got == "pass" || want != "keep") {
			t.Errorf("%s: %q is %s, want %s", language, prompt, got, want)
		}
	}
	for name, n := range per {
		t.Logf("%s: precision %d/%d, recall %d/%d", name, n.right, n.kept, n.right, n.asked)
	}
	if total.asked < 90 {
		t.Errorf("the table holds %d requests", total.asked)
	}
}
