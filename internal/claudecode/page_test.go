package claudecode_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orihon/internal/claudecode"
)

// The page has one section for each event that is installed, in that order.
func TestThePageDescribesEveryHook(t *testing.T) {
	page, err := os.ReadFile("../../docs/HOOKS.md")
	if err != nil {
		t.Fatal(err)
	}
	w, err := claudecode.Status(filepath.Join(t.TempDir(), "settings.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want, described, listed []string
	for _, event := range w.Missing {
		want = append(want, string(event))
	}
	for _, m := range regexp.MustCompile(`(?m)^## (\w+)\r?$`).FindAllStringSubmatch(string(page), -1) {
		described = append(described, m[1])
	}
	for _, m := range regexp.MustCompile(`(?m)^\| \[(\w+)\]`).FindAllStringSubmatch(string(page), -1) {
		listed = append(listed, m[1])
	}
	if diff := cmp.Diff(want, described); diff != "" {
		t.Errorf("sections: %s", diff)
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("table: %s", diff)
	}
}
