package terms_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"orihon/internal/terms"
)

var update = flag.Bool("update", false, "write what is made of groups.txt")

func TestGroupsAreThoseOfTheirText(t *testing.T) {
	text, err := os.ReadFile("groups.txt")
	if err != nil {
		t.Fatal(err)
	}
	var made strings.Builder
	for line := range strings.Lines(string(text)) {
		var list []string
		for words := range strings.SplitSeq(strings.TrimSpace(line), ";") {
			if found := terms.Query(words); len(found) == 1 && !slices.Contains(list, found[0]) {
				list = append(list, found[0])
			}
		}
		if len(list) > 1 {
			made.WriteString(strings.Join(list, " ") + "\n")
		}
	}
	const name = "groups.terms"
	if *update {
		if err := os.WriteFile(name, []byte(made.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile(name); err != nil || string(have) != made.String() {
		t.Errorf("%s is out of date (%v): run go test ./internal/terms -run Groups -update", name, err)
	}
}

func TestTermsThatMeanTheSame(t *testing.T) {
	for _, test := range []struct{ term, alike string }{
		{"deploy", "上线"}, {"上线", "ship"}, {"回滚", "revert"}, {"cach", "快取"},
	} {
		if !slices.Contains(terms.Alike(test.term), test.alike) {
			t.Errorf("%s: %v, want %s among them", test.term, terms.Alike(test.term), test.alike)
		}
		if slices.Contains(terms.Alike(test.term), test.term) {
			t.Errorf("%s means the same as itself", test.term)
		}
	}
	if got := terms.Alike("kangaroo"); got != nil {
		t.Errorf("kangaroo: %v", got)
	}
}
