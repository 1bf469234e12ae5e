package orihon_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A promise that links to its test must not outlive it.
func TestLinksOfThePagesLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
	for _, page := range append(pages, "README.md") {
		text := read(t, page)
		found := link.FindAllStringSubmatch(text, -1)
		if page == "README.md" && len(found) < 20 {
			t.Errorf("%s: only %d links are found", page, len(found))
		}
		for _, m := range found {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s: %s leads nowhere", page, m[1])
			}
		}
	}
}
