package terms_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"orihon/internal/terms"
)

func TestListsAreReadByName(t *testing.T) {
	const lists terms.Lists = "# of a test\n\n# colours\ncolours:\nred green\nblue\n\n# leads\nleads:\n␣and then\nplease␣\n␣\nnote:\n"
	if set := lists.Words("colours")(); len(set) != 3 || !set["red"] || !set["blue"] {
		t.Errorf("colours are %v", set)
	}
	if got, want := lists.Phrases("leads")(), []string{" and then", "please ", " ", "note:"}; !slices.Equal(got, want) {
		t.Errorf("leads are %q, want %q", got, want)
	}
	if set := lists.Words("shapes")(); len(set) != 0 {
		t.Errorf("a list that is not there holds %v", set)
	}
}

// What the rooms keep in lists: each that the code asks for is there and holds
// something, and there is none that nobody asks for.
func TestListsOfTheRoomsAreThoseTheirCodeAsksFor(t *testing.T) {
	quoted := regexp.MustCompile(`"([a-z-]+)"`)
	asked := regexp.MustCompile(`lists\.(?:Words|Phrases)\("([a-z-]+)"\)`)
	for _, room := range []string{"capture", "learn", "recall"} {
		text, err := os.ReadFile(filepath.Join("..", room, "words.txt"))
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join("..", room, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		var code strings.Builder
		for _, f := range files {
			source, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(source)
		}
		lists, named := terms.Lists(text), map[string]bool{}
		for _, m := range quoted.FindAllStringSubmatch(code.String(), -1) {
			named[m[1]] = true
		}
		for _, m := range asked.FindAllStringSubmatch(code.String(), -1) {
			if len(lists.Words(m[1])()) == 0 {
				t.Errorf("%s: there is no list %s", room, m[1])
			}
		}
		for part := range strings.SplitSeq(string(text), "\n\n") {
			for line := range strings.Lines(part) {
				if line[0] == '#' {
					continue
				}
				if name, ok := strings.CutSuffix(strings.TrimSpace(line), ":"); !ok || !named[name] {
					t.Errorf("%s: %s is used nowhere", room, name)
				}
				break
			}
			if strings.Contains(part, "\n#") && strings.LastIndex(part, "\n#") > strings.Index(part, ":\n") && strings.Contains(part, ":\n") {
				t.Errorf("%s: a comment stands in a list: %q", room, part)
			}
		}
	}
}
