package recall

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestListsAreUsedAndHoldTheirWords(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{} // in the code
	for _, f := range files {
		source, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:wordsOf|phrasesOf|: *|, )\(?"([a-z-]+)"`).FindAllStringSubmatch(string(source), -1) {
			named[m[1]] = true
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):$`).FindAllStringSubmatch(lists, -1) {
		name := m[1]
		if !named[name] {
			t.Errorf("%s is used nowhere", name)
		}
		text := list(name)
		if strings.TrimSpace(text) == "" || strings.Contains(text, "#") || strings.ToLower(text) != text {
			t.Errorf("%s is empty, or holds what is no word: %q", name, text)
		}
		for _, p := range phrasesOf(name)() {
			if p == "" || strings.Contains(p, "_") {
				t.Errorf("%s holds %q", name, p)
			}
		}
	}
	for name := range map[string]bool{"bare": true, "runs-earlier": true, "telling": true, "qa": true} {
		if len(wordsOf(name)()) < 10 {
			t.Errorf("%s has few words", name)
		}
	}
	if got := list("no such list"); got != "" {
		t.Errorf("a list that is not there holds %q", got)
	}
}
