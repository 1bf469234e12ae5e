package revise

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"orihon/internal/learn"
	"orihon/internal/meaning"
	"orihon/internal/reader"
	"orihon/internal/terms"
)

// manner is what kind of saying a run of pieces is, the same for all statements.
func manner(pieces []reader.Piece, first, n int, prompt string) []float64 {
	var sum [reader.States]float64
	for _, p := range pieces[first : first+n] {
		for s, x := range p.States {
			sum[s] += x / float64(n)
		}
	}
	kind := func(k reader.Kind) float64 { return sum[reader.Begins(k)] + sum[reader.Goes(k)] }
	out := []float64{kind(reader.Decision), kind(reader.Preference), kind(reader.Instruction), kind(reader.Fact), kind(reader.Pitfall), kind(reader.Correction), kind(reader.Forget), sum[0]}
	for i := range reader.Others {
		out = append(out, sum[reader.Other(i)])
	}
	last := pieces[first+n-1]
	asks := strings.ContainsAny(prompt[last.From:last.To]+after(prompt, last.To), "?？")
	return append(out, float64(n), float64(utf8.RuneCountInString(prompt[pieces[first].From:last.To])), float64(len(prompt)),
		flag(first == 0), flag(first+n == len(pieces)), flag(asks), flag(pieces[first].Parted))
}

func after(s string, at int) string {
	s = s[at:]
	return s[:min(len(s), 3)]
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func signals(said, whole *text, prompted []float64, kept []*text, manner []float64) [][]float64 {
	table := meaning.Builtin()
	near := make([]float64, len(kept))
	cover := make([]float64, len(kept))
	for i, k := range kept {
		near[i] = said.vector.Cosine(k.vector)
		cover[i] = k.asked.Cover(said.words)
	}
	out := make([][]float64, len(kept))
	for i, k := range kept {
		shared, sharedN := 0.0, 0.0
		for _, w := range said.words {
			if slices.Contains(k.words, w) {
				shared += table.Rarity(w)
				sharedN++
			}
		}
		inPrompt := 0.0
		for _, w := range whole.words {
			if slices.Contains(k.words, w) {
				inPrompt += table.Rarity(w)
			}
		}
		s := []float64{
			near[i], whole.vector.Cosine(k.vector), cover[i], k.asked.Said(said.words), prompted[i], better(prompted, i), margin(prompted, i),
			better(near, i), margin(near, i), better(cover, i), margin(cover, i),
			ratio(shared, k.rare), ratio(shared, said.rare), sharedN, shared, ratio(inPrompt, k.rare),
		}
		s = append(s, values(said, whole, k)...)
		s = append(s, ruled(k.ruled, said.ruled)...)
		out[i] = append(s, manner...)
	}
	return out
}

// ruled is how a text stands to a kept one by the rules of package learn.
func ruled(kept, said learn.Reading) []float64 {
	rel := kept.Before(said)
	return []float64{flag(rel == learn.Contradicts), flag(rel == learn.Unrelated), flag(rel == learn.Extends || rel == learn.Duplicates)}
}

// better counts those that are higher than the i-th.
func better(all []float64, i int) (n float64) {
	for _, x := range all {
		if x > all[i] {
			n++
		}
	}
	return n
}

// margin is by how much the i-th is above the highest of the others.
func margin(all []float64, i int) float64 {
	most := 0.0
	for k, x := range all {
		if k != i {
			most = max(most, x)
		}
	}
	return all[i] - most
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func values(said, whole, k *text) []float64 {
	var other, same, alike, gone, swapped, unit float64
	for _, v := range said.values {
		if slices.ContainsFunc(k.values, func(o string) bool { return terms.SameValue(o, v) }) {
			same++
			continue
		}
		other++
		for _, o := range k.values {
			if !terms.Comparable(o, v) {
				continue
			}
			if !slices.ContainsFunc(whole.values, func(w string) bool { return terms.SameValue(o, w) }) {
				alike++
			} else {
				swapped++
			}
			if a, b := suffix(o), suffix(v); a != "" && a == b {
				unit++
			}
			break
		}
	}
	for _, v := range k.values {
		if !slices.ContainsFunc(whole.values, func(o string) bool { return terms.SameValue(o, v) }) {
			gone++
		}
	}
	var newNames, sameNames, goneNames float64
	for _, v := range said.names {
		if slices.Contains(k.names, v) {
			sameNames++
		} else {
			newNames++
		}
	}
	for _, v := range k.names {
		if !slices.Contains(whole.names, v) {
			goneNames++
		}
	}
	return []float64{other, same, alike, gone, newNames, sameNames, goneNames, float64(len(k.values)), float64(len(k.names)), swapped, unit}
}

// suffix is the unit that stands with a value, its first letter.
func suffix(v string) string {
	i := strings.IndexFunc(v, func(r rune) bool { return unicode.IsLetter(r) || r == '%' })
	if i <= 0 {
		return ""
	}
	_, n := utf8.DecodeRuneInString(v[i:])
	return v[i : i+n]
}
