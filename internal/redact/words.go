package redact

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
	"sync"
)

//go:embed words.txt
var wordLines string

// list is one of the lists of words, as one bit.
type list uint32

const (
	placeholderWord list = 1 << iota
	algorithmWord
	sentenceWord
	describingWord
	adjectiveWord
	manualWord
	neutralTailWord
	denyingTailWord
	opensNothing
	joiningWord
	openingWord
	accountWord
	signInWord
	articleWord
	bindingWord
	passwordName
	tokenName
	pluralName
	keyOf
	openingKey
	objectID
	credentialFile
	secretsFile
	settingsExt
	exampleFile
	fileShower
)

// listNames are the names of the lists, in the order of their bits.
var listNames = [...]string{
	"placeholder:", "algorithm:", "sentence:", "describing:", "adjective:", "manual:", "neutral-tail:", "denying-tail:", "opens-nothing:",
	"joining:", "opening:", "account:", "sign-in:", "article:", "binding:",
	"password-name:", "token-name:", "plural-name:", "key-of:", "opening-key:", "object-id:",
	"credential-file:", "secrets-file:", "settings-ext:", "example-file:", "file-shower:",
}

// wordLists are the lists that each word stands in.
var wordLists = sync.OnceValue(func() map[string]list {
	out := make(map[string]list, 1024)
	var at list
	for line := range entries(wordLines) {
		if n := slices.Index(listNames[:], line); n >= 0 {
			at = 1 << n
			continue
		}
		for w := range strings.FieldsSeq(line) {
			out[w] |= at
		}
	}
	return out
})

// listed reports whether a word, in small letters, stands in a list.
func listed(word string, in list) bool { return wordLists()[word]&in != 0 }

// entries yields the lines of a list that are no comments.
func entries(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(list) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

func containsAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

func startsWithAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(s, w) })
}

func endsWithAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(s, w) })
}
