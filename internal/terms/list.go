package terms

import (
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// list holds the words of a file, one a line, sorted by their bytes, behind lines
// that begin with #. Where the words stand is found when it is first searched,
// in some 10 µs.
type list struct {
	text string
	at   []uint16 // where each word begins
}

// newList is the list of a file of less than 64 KB.
func newList(text string) func() list {
	return sync.OnceValue(func() list {
		l := list{text: text, at: make([]uint16, 0, len(text)/6)}
		for i := 0; i < len(text); i += strings.IndexByte(text[i:], '\n') + 1 {
			if text[i] != '#' {
				l.at = append(l.at, uint16(i))
			}
		}
		return l
	})
}

func (l list) word(i int) string {
	if i+1 < len(l.at) {
		return l.text[l.at[i] : l.at[i+1]-1]
	}
	return l.text[l.at[i] : len(l.text)-1]
}

// behind is the number of the first word that is greater than a text.
func (l list) behind(text string) int {
	return sort.Search(len(l.at), func(i int) bool { return l.word(i) > text })
}

// has reports whether a word stands in the list.
func (l list) has(word string) bool {
	i := l.behind(word)
	return i > 0 && l.word(i-1) == word
}

// prefix returns the length of the longest word with which a text begins, 0
// when none does. Words are looked at that begin as the text does.
func (l list) prefix(text string, first int) int {
	for i := l.behind(text) - 1; i >= 0; i-- {
		switch word := l.word(i); {
		case strings.HasPrefix(text, word):
			return len(word)
		case !strings.HasPrefix(word, text[:first]):
			return 0
		}
	}
	return 0
}

// longestWord is the length of the longest Chinese word of a list, in characters.
const longestWord = 4

// known returns the length in bytes of the longest word of a list with which
// folded Chinese goes on at i, 0 when none does.
func known(l list, run string, i int) int {
	end, first := i, 0
	for n := 0; n < longestWord && end < len(run); n++ {
		_, size := utf8.DecodeRuneInString(run[end:])
		if end += size; n == 0 {
			first = size
		}
	}
	return l.prefix(run[i:end], first)
}
