package reader

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a part of a prompt that may be a statement.
type Span struct {
	From, To    int // bytes
	Kind        Kind
	P           float64 // that it is a statement, and whole or nearly so
	Evidence    Evidence
	by          byKind // how likely it is one of each kind, as the lattice has it
	first, last int    // pieces
}

// share is how likely a span is of a kind, if it is a statement.
func (s *Span) share(k Kind) float64 {
	sum := 0.0
	for _, p := range s.by {
		sum += p
	}
	return s.by[k] / sum
}

// As is how likely a span is a statement of a kind.
func (s *Span) As(k Kind) float64 { return s.P * s.share(k) }

const (
	longest = 8    // pieces of a statement
	least   = 0.05 // probability below which a run is no candidate
)

type run struct {
	from, to int // pieces, both included
	by       byKind
	p        float64
}

// candidates are the runs of pieces that may be statements. How likely one is
// counts others that are about the same, so that doubt about where a statement
// ends is none about the statement.
func candidates(p Prompt, l *Lattice) []Span {
	length := make([]int, len(p.pieces)+1) // words before a piece
	for i, x := range p.pieces {
		length[i+1] = length[i] + Length(p.Text[x.from:x.to])
	}
	var runs []run
	l.runs(longest, func(from, to int, by byKind) {
		const never = 1e-3
		r := run{from: from, to: to, by: by}
		for _, p := range by {
			r.p += p
		}
		if r.p > never {
			runs = append(runs, r)
		}
	})
	var out []Span
	for _, r := range runs {
		s := Span{first: r.from, last: r.to}
		for _, o := range runs {
			both := length[min(r.to, o.to)+1] - length[max(r.from, o.from)]
			if Alike(length[r.to+1]-length[r.from], length[o.to+1]-length[o.from], both) {
				for k := range o.by {
					s.by[k] += o.by[k]
				}
			}
		}
		for k, p := range s.by {
			s.P += p
			if p > s.by[s.Kind] {
				s.Kind = Kind(k)
			}
		}
		if s.P < least {
			continue
		}
		s.From, s.To = trim(p.Text, p.pieces[r.from].from, p.pieces[r.to].to)
		s.Evidence = evidence(&s, r, p.pieces, l, length)
		out = append(out, s)
	}
	return out
}

// Pick takes the likeliest of candidates, none over another, in order.
func Pick(all []Span) []Span {
	all = slices.Clone(all)
	var out []Span
	for len(all) > 0 {
		best := slices.MaxFunc(all, func(a, b Span) int {
			return cmp.Compare(a.P+a.Evidence[2]/1000, b.P+b.Evidence[2]/1000)
		})
		out = append(out, best)
		all = slices.DeleteFunc(all, func(r Span) bool { return r.first <= best.last && best.first <= r.last })
	}
	slices.SortFunc(out, func(a, b Span) int { return a.From - b.From })
	return out
}

// trim leaves out signs around a span.
func trim(s string, from, to int) (int, int) {
	t := strings.TrimRight(s[from:to], " \t\r\n,;:，；：、—–-(（[【")
	to = from + len(t)
	u := strings.TrimLeft(t, " \t\r\n,;:，；：、—–-")
	return to - len(u), to
}

// Length counts the words and Chinese characters of a text.
func Length(text string) int {
	n := 0
	in := false
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch {
		case unicode.Is(unicode.Han, r):
			n++
			in = false
		case word(r):
			if !in {
				n++
			}
			in = true
		default:
			in = false
		}
	}
	return n
}

// Alike reports whether two parts of a text are about the same, by their lengths
// and that of what they share: it covers seven tenths of each, and they have six
// of all in common.
func Alike(one, other, both int) bool {
	return both > 0 && 10*both >= 7*max(one, other) && 10*both >= 6*(one+other-both)
}
