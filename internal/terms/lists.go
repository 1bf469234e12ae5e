package terms

import (
	"strings"
	"sync"
)

// Lists is a file of lists of words and phrases. Each begins with its name and a
// colon on a line of their own and ends with a blank line; lines that begin with
// # stand before names. Words are apart by blanks; phrases stand one a line, with
// ␣ for a blank at an end. A list that is not there is empty.
type Lists string

// Words is the set of the words of a list, made when it is first asked for.
func (l Lists) Words(name string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := make(map[string]bool)
		for w := range strings.FieldsSeq(l.list(name)) {
			set[w] = true
		}
		return set
	})
}

// Phrases are the phrases of a list in their order, made when they are first
// asked for.
func (l Lists) Phrases(name string) func() []string {
	return sync.OnceValue(func() []string {
		return strings.Split(strings.ReplaceAll(l.list(name), "␣", " "), "\n")
	})
}

func (l Lists) list(name string) string {
	_, rest, _ := strings.Cut(string(l), "\n"+name+":\n")
	text, _, _ := strings.Cut(rest, "\n\n")
	return strings.TrimSuffix(text, "\n")
}
