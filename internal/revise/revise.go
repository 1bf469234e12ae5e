// Package revise tells which kept statements a prompt changes: after "staging sits
// behind 9443 these days" the statement that it is port 8443 holds no longer.
//
// A prompt is cut into clauses by package reader. Each run of clauses is held against
// each statement: how near they are in words and meaning, what values and names they
// share and which they do not, what the rules of package learn have to say, and what kind
// of saying the clauses are. Trees, fitted
// by go run ./internal/revise/fit on judged prompts that travel with the code, say
// how likely it is that the statement is over.
package revise

import (
	"cmp"
	"slices"
	"strings"

	"orihon/internal/learn"
	"orihon/internal/meaning"
	"orihon/internal/reader"
	"orihon/internal/terms"
)

// Change is a statement that a prompt changes.
type Change struct {
	Known    int     // which of those that were given
	P        float64 // how likely, 0..1
	From, To int     // the part of the prompt that says so, in bytes
}

const (
	mostPieces = 40 // of a prompt are looked at
	longestRun = 3  // pieces
)

// text is what is compared of a statement, a run or a prompt.
type text struct {
	words  []string // its terms, each once
	vector meaning.Vector
	asked  *meaning.Asked
	rare   float64 // sum of how much its words say
	values []string
	names  []string
	ruled  learn.Reading
}

func read(s string) *text {
	t := &text{words: unique(terms.Index(s)), ruled: learn.Read(s)}
	table := meaning.Builtin()
	t.vector = table.Encode(t.words, nil)
	for _, w := range t.words {
		t.rare += table.Rarity(w)
	}
	t.values, t.names = terms.Specifics(s)
	return t
}

func unique(words []string) []string {
	seen := make(map[string]bool, len(words))
	return slices.DeleteFunc(words, func(w string) bool {
		known := seen[w]
		seen[w] = true
		return known
	})
}

// Run is a part of a prompt of one or more clauses beside each other, with its signals
// for each statement.
type Run struct {
	From, To int
	Words    []string // and pairs of them, by which it is read for how it says something
	Signals  [][]float64
}

// Known are statements that prompts are held against. It is used by one goroutine at a
// time.
type Known struct{ texts []*text }

// Against prepares statements.
func Against(statements []string) *Known {
	k := new(Known)
	for _, s := range statements {
		t := read(s)
		t.asked = meaning.Builtin().Asked(t.words)
		k.texts = append(k.texts, t)
	}
	return k
}

// Runs are the parts of a prompt that may change a statement.
func (k *Known) Runs(prompt string) []Run {
	pieces := reader.Pieces(prompt)
	if len(pieces) > mostPieces {
		pieces = slices.Concat(pieces[:mostPieces/2], pieces[len(pieces)-mostPieces/2:])
	}
	whole := read(prompt)
	prompted := make([]float64, len(k.texts))
	for i, t := range k.texts {
		prompted[i] = t.asked.Cover(whole.words)
	}
	var out []Run
	for i := range pieces {
		for n := 1; n <= longestRun && i+n <= len(pieces); n++ {
			if n > 1 && (pieces[i+n-1].From < pieces[i+n-2].To || pieces[i+n-1].Parted) {
				break
			}
			r := Run{From: pieces[i].From, To: pieces[i+n-1].To}
			said := read(prompt[r.From:r.To])
			if len(said.words) == 0 {
				continue
			}
			r.Words = manners(prompt[r.From:r.To])
			r.Signals = signals(said, whole, prompted, k.texts, manner(pieces, i, n, prompt))
			out = append(out, r)
		}
	}
	return out
}

// Corrects reports whether a short prompt gives another value of the same look as a
// statement that was told right before it: "no wait, make that 60s".
func Corrects(prompt, told string) bool {
	const short = 12 // words
	said, _ := terms.Specifics(prompt)
	if len(said) == 0 || len(terms.Query(prompt)) > short || strings.ContainsAny(prompt, "?？") {
		return false
	}
	kept, _ := terms.Specifics(told)
	return slices.ContainsFunc(said, func(v string) bool {
		return slices.ContainsFunc(kept, func(k string) bool { return terms.Comparable(k, v) && suffix(k) == suffix(v) }) &&
			!slices.ContainsFunc(kept, func(k string) bool { return terms.SameValue(k, v) })
	})
}

// Rivals reports whether each of two statements gives a value that the other does not, of
// one sort, or a name.
func Rivals(a, b string) bool {
	values, names := terms.Specifics(a)
	others, theirs := terms.Specifics(b)
	mine, yours := lacking(values, others), lacking(others, values)
	return len(lacking(names, theirs)) > 0 && len(lacking(theirs, names)) > 0 || slices.ContainsFunc(mine, func(v string) bool {
		return slices.ContainsFunc(yours, func(o string) bool { return terms.Comparable(v, o) })
	})
}

// Plainly is from how likely on a later statement is taken for one that ends an earlier.
const Plainly = 0.3

// Ends is how likely a later statement ends an earlier one: never where the rules find them
// to be about something else, or both have but everyday words in common.
func Ends(earlier, later string) float64 {
	words := terms.Query(earlier)
	shared := slices.ContainsFunc(terms.Query(later), func(t string) bool { return !terms.Common(t) && slices.Contains(words, t) })
	if !shared || learn.Read(earlier).Before(learn.Read(later)) == learn.Unrelated {
		return 0
	}
	return Against([]string{earlier}).Read(later)[0].P
}

// Told reports whether some texts together say nearly all that a statement does, and all
// its values.
func Told(statement string, in ...string) bool {
	const nearlyAll = 0.7 // of its words, by how rare they are
	said := meaning.Builtin().Said(terms.Query(statement))
	text := strings.Join(in, "\n")
	exact, near := said.In(meaning.Builtin().Said(terms.Index(text)))
	return said.Total > 0 && exact+near >= nearlyAll*said.Total && Gives(text, statement)
}

// Gives reports whether a text has all the values of a statement.
func Gives(text, statement string) bool {
	values, _ := terms.Specifics(statement)
	has, _ := terms.Specifics(text)
	return len(lacking(values, has)) == 0
}

// lacking are the values that have no equal among others.
func lacking(values, others []string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool {
		return slices.ContainsFunc(others, func(o string) bool { return terms.SameValue(v, o) })
	})
}

// SaysMore reports whether one of the parts of a statement says something that another
// statement does not touch: "…, and no changes in production until January". A value is
// touched by another of its sort.
func SaysMore(statement, than string) bool {
	const untouched = 1.5 // weight of its words
	values, _ := terms.Specifics(statement)
	others, _ := terms.Specifics(than)
	for _, v := range values {
		if slices.ContainsFunc(others, func(o string) bool { return terms.Comparable(v, o) }) {
			than += "\n" + v
		}
	}
	said := meaning.Builtin().Said(terms.Index(than))
	pieces := reader.Pieces(statement)
	return len(pieces) > 1 && slices.ContainsFunc(pieces, func(p reader.Piece) bool {
		part := meaning.Builtin().Said(terms.Query(statement[p.From:p.To]))
		exact, near := part.In(said)
		return part.Total-exact-near >= untouched && 2*(exact+near) < part.Total
	})
}

// Read returns the statements that a prompt changes, the likeliest first, unlikely ones
// too: the caller draws the line.
func (k *Known) Read(prompt string) []Change {
	best := make([]Change, len(k.texts))
	for _, r := range k.Runs(prompt) {
		says := Says(r.Words, learned)
		for i, s := range r.Signals {
			if p := model().Probability(append(s, says)); p > best[i].P {
				best[i] = Change{Known: i, P: p, From: r.From, To: r.To}
			}
		}
	}
	slices.SortStableFunc(best, func(a, b Change) int { return cmp.Compare(b.P, a.P) })
	return best
}
