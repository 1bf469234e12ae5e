package orihon_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every place that starts a program is in the table of docs/SECURITY.md, and
// the table names no other.
func TestEveryProgramIsListed(t *testing.T) {
	doc := read(t, filepath.Join("docs", "SECURITY.md"))
	_, doc, found := strings.Cut(doc, "## Programs that Orihon starts")
	doc, _, _ = strings.Cut(doc, "\n## ")
	if !found {
		t.Fatal("docs/SECURITY.md has no list of programs")
	}
	listed := make(map[string]bool)
	for _, m := range regexp.MustCompile("`([a-z/_-]+\\.go)`").FindAllStringSubmatch(doc, -1) {
		listed[m[1]] = true
	}
	starts := regexp.MustCompile(`exec\.Command|os\.StartProcess|syscall\.(Exec|ForkExec)|syscall\.CreateProcess`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if name := filepath.ToSlash(path); starts.Match(text) && !listed[name] {
			t.Errorf("%s starts a program that docs/SECURITY.md does not list", name)
		} else if starts.Match(text) {
			delete(listed, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range listed {
		t.Errorf("docs/SECURITY.md lists %s, which starts nothing", name)
	}
}
