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

// Table maps the words of a list to what stands before them: on each line a
// value, a tab and words.
func (l Lists) Table(name string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		table := make(map[string]string)
		for line := range strings.SplitSeq(l.list(name), "\n") {
			value, words, _ := strings.Cut(line, "\t")
			for w := range strings.FieldsSeq(words) {
				table[w] = value
			}
		}
		return table
	})
}

// Keep returns the lists as a room asks for them again and again.
func (l Lists) Keep() *Kept { return &Kept{lists: l} }

// Kept is [Lists] with every list that was asked for kept as it was read.
type Kept struct {
	lists                  Lists
	words, phrases, tables sync.Map
}

// Words is the set of the words of a list.
func (k *Kept) Words(name string) map[string]bool { return kept(&k.words, name, k.lists.Words) }

// Phrases are the phrases of a list in their order.
func (k *Kept) Phrases(name string) []string { return kept(&k.phrases, name, k.lists.Phrases) }

// Table is a list whose lines give words a value.
func (k *Kept) Table(name string) map[string]string { return kept(&k.tables, name, k.lists.Table) }

func kept[T any](lists *sync.Map, name string, read func(string) func() T) T {
	list, ok := lists.Load(name)
	if !ok {
		list, _ = lists.LoadOrStore(name, read(name)())
	}
	return list.(T)
}
