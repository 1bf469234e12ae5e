// Package memo remembers what costs much to find out about a word and never changes.
// It is no cache of what may: nothing is ever taken back. Start with [Words].
package memo

import (
	"strings"
	"sync/atomic"
)

// size is how many words are remembered: a search looks at the same ones again and
// again, in the prompt and in all that it finds. A power of two.
const size = 1 << 12

// Words holds what was found out about words. The zero value is empty and ready; it may
// be used by many goroutines and must not be copied.
type Words[V any] struct {
	at [size]atomic.Pointer[known[V]] // by a hash of the word
}

type known[V any] struct {
	word  string
	value V
}

// Of is what find says of a word. The word may be a part of a long text, which is not
// kept alive: find is given a copy. What is remembered takes the place of another word
// with the same hash.
func (w *Words[V]) Of(word string, find func(string) V) V {
	h := uint32(2166136261) // FNV-1a
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * 16777619
	}
	at := &w.at[(h^h>>16)%size]
	if k := at.Load(); k != nil && k.word == word {
		return k.value
	}
	k := &known[V]{word: strings.Clone(word)}
	k.value = find(k.word)
	at.Store(k)
	return k.value
}
