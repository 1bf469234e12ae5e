package guard

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed words.txt
var wordsText string

// lists are those of words.txt by their names, read when they are first asked for.
// wrong, misuse and noise
// are held against folded lines, and folded as well.
var lists = sync.OnceValue(func() map[string][]string {
	out := make(map[string][]string)
	name := ""
	for line := range strings.Lines(wordsText) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "; "):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && line == strings.ToLower(line):
			name = strings.Trim(line, "[]")
		default:
			if name == "wrong" || name == "misuse" || name == "noise" {
				line = strings.ToLower(line)
			}
			out[name] = append(out[name], line)
		}
	}
	return out
})

// begins is the entry of a list that a line begins with; empty for none.
func begins(list, line string) string {
	for _, entry := range lists()[list] {
		if strings.HasPrefix(line, entry) {
			return entry
		}
	}
	return ""
}

// listed reports whether a folded line is an entry of a list; one that ends in a
// star stands for all lines that begin like it.
func listed(list, folded string) bool {
	for _, entry := range lists()[list] {
		if prefix, open := strings.CutSuffix(entry, "*"); folded == entry || open && strings.HasPrefix(folded, prefix) {
			return true
		}
	}
	return false
}

// holds reports whether a folded line holds an entry of a list.
func holds(list, folded string) bool {
	for _, entry := range lists()[list] {
		if strings.Contains(folded, entry) {
			return true
		}
	}
	return false
}
