package recall

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed words.txt
var lists string

// list is the text of a list in words.txt.
func list(name string) string {
	_, rest, _ := strings.Cut(lists, "\n"+name+":\n")
	text, _, _ := strings.Cut(rest, "\n\n")
	return text
}

// wordsOf is the set of the words of a list, made when it is first needed.
func wordsOf(name string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := make(map[string]bool)
		for w := range strings.FieldsSeq(list(name)) {
			set[w] = true
		}
		return set
	})
}

// phrasesOf are the phrases of a list, made when they are first needed.
func phrasesOf(name string) func() []string {
	return sync.OnceValue(func() []string {
		return strings.Split(strings.TrimSuffix(strings.ReplaceAll(list(name), "_", " "), "\n"), "\n")
	})
}

func contains(text string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
}
