package learn

import (
	"cmp"
	"unicode/utf8"

	_ "embed"
	"slices"
	"strings"
	"sync"

	"orihon/internal/terms"
)

// class is what a word does in a statement, as far as the rules look at it.
type class uint8

const (
	content   class = iota // says what the statement is about
	noise                  // function words, light verbs: say nothing for themselves
	predicate              // separates what is spoken of from what is said of it
	negator                // turns what follows it in its clause
	rejector               // turns the next word alone: instead of X, over X
	verdict                // turns its whole clause: X is forbidden
	relative               // turns what follows, and cancels a negation before it: not without
	qualifier              // begins a restriction: in, for, when
	reason                 // begins an explanation that is not held against anything
	partial                // not all, some: denies or affirms a part only
	comparing              // below, at least: a number beside it is a bound
	also                   // says that what was said stays true
	change                 // says that what was said no longer holds
	history                // speaks of the past
	axis                   // one of two opposites, see word.key
	member                 // one of several that exclude each other, see word.key
	placed                 // names where something holds: an environment, a language, a system
	quantity               // a number, a version, a time; see reading.values
	pause                  // end of a clause
)

// sense is what the lexicon knows of a word.
type sense struct {
	class class
	key   string // axis, category or canonical form
	sign  int8   // side of an axis
}

//go:embed words.txt
var listed terms.Lists

var lists = listed.Keep()

//go:embed english.tsv
var englishLines string

//go:embed chinese.tsv
var chineseLines string

// English words stand in small letters, Chinese ones in their folded, simplified
// form.
var (
	english = sync.OnceValue(func() map[string]sense { return readSenses(englishLines) })
	chinese = sync.OnceValue(func() map[string]sense { return readSenses(chineseLines) })
)

// zhLongest is the most characters a Chinese word of the lexicon has.
const zhLongest = 4

// classNames are the classes that words of the lexicon have.
var classNames = [...]string{
	content: "content", noise: "noise", predicate: "predicate", negator: "negator", rejector: "rejector", verdict: "verdict",
	relative: "relative", qualifier: "qualifier", reason: "reason", partial: "partial", comparing: "comparing", also: "also",
	change: "change", history: "history", axis: "axis", member: "member", placed: "placed", pause: "pause",
}

// classOf is the class of a name, otherwise for one that is none.
func classOf(name string, otherwise class) class {
	if i := slices.Index(classNames[:], name); i >= 0 {
		return class(i)
	}
	return otherwise
}

// readSenses reads a lexicon; english.tsv says how its lines are made.
func readSenses(lines string) map[string]sense {
	out := make(map[string]sense, 1024)
	for line := range strings.Lines(lines) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) != 4 {
			continue // a comment, or blank
		}
		s := sense{class: class(slices.Index(classNames[:], columns[0]))}
		switch columns[2] {
		case "+":
			s.sign = 1
		case "-":
			s.sign = -1
		}
		for w := range strings.FieldsSeq(columns[3]) {
			s.key = columns[1]
			if s.key == "=" {
				if s.key = w; s.class == predicate {
					s.key = canon(w)
				}
			}
			out[w] = s
		}
	}
	return out
}

// stem is the stem of an English word, the word itself where it has none.
func stem(w string) string {
	for i := range len(w) {
		if w[i] >= utf8.RuneSelf || !('a' <= w[i] && w[i] <= 'z') {
			return w
		}
	}
	if t := terms.Index(w); len(t) > 0 {
		return t[len(t)-1]
	}
	return w
}

// canon gives words of the same meaning one form.
func canon(stem string) string { return cmp.Or(lists.Table("synonym")[stem], stem) }
