package reader

import (
	"cmp"
	"slices"
	"strings"
)

// Span is a part of a prompt that may be a statement.
type Span struct {
	From, To    int // bytes
	Kind        Kind
	P           float64 // that it says a statement whole, and nothing else
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
// counts others that are about the same, so that doubt about where a statement ends
// is none about the statement.
func candidates(p Prompt, l *Lattice, net *Pass) []Span {
	r := read(p, l, net)
	var out []Span
	for _, x := range r.runs {
		first, last := x.from, x.to
		s := Span{first: first, last: last}
		inside := 0.0
		for _, o := range r.runs {
			both := r.words(max(first, o.from), min(last, o.to))
			if o.to < first || o.from > last || both == 0 {
				continue
			}
			if o.from >= first && o.to <= last {
				inside += o.p
			}
			if Alike(r.words(first, last), r.words(o.from, o.to), both) {
				s.P += o.p
			}
			for k, p := range o.by {
				s.by[k] += p * float64(both) / float64(r.words(o.from, o.to))
			}
		}
		for k, p := range s.by {
			if p > s.by[s.Kind] {
				s.Kind = Kind(k)
			}
		}
		if max(s.P, inside) < least || s.Kind == None {
			continue
		}
		s.From, s.To = trim(p.Text, p.pieces[first].from, p.pieces[last].to)
		s.Evidence = r.evidence(&s)
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
			return cmp.Compare(a.P+a.Evidence[1]/1000, b.P+b.Evidence[1]/1000)
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

// Alike reports whether two parts of a text are about the same, by their lengths
// and that of what they share: it covers seven tenths of each, and they have six
// of all in common.
func Alike(one, other, both int) bool {
	return both > 0 && 10*both >= 7*max(one, other) && 10*both >= 6*(one+other-both)
}
