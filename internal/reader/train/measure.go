package main

import (
	"strings"
	"unicode"

	"orihon/internal/reader"
)

// Measures by which a span is right.
const (
	strict = iota // it and a statement are about the same, by their words
	whole         // it says a statement or several whole, and no other matter
	measures
)

var measureNames = [measures]string{"same span", "said whole"}

// said returns the statements that a span says whole when it is right by that
// measure, none when it is not.
//
// A statement is said whole when at most one of ten of its words is missing, and no
// number. What else stands in the span must be of the same sentence as such a
// statement, most often its reason, no longer than they are, and nothing that is
// labelled as no statement.
func (p *prompt) said(s reader.Span) []gold {
	var out []gold
	words, others := 0, 0
	for _, g := range p.keep {
		if p.covers(s, g) {
			out = append(out, g)
			words += reader.Length(p.Text[g.from:g.to])
		}
	}
	if len(out) == 0 {
		return nil
	}
	near := false // the piece is of a sentence that says a statement, so far
	pending := false
	for i := range p.state {
		from, to := p.Piece(i)
		if min(to, s.To) <= max(from, s.From) {
			continue
		}
		if p.Parted(i) {
			if pending {
				return nil
			}
			near = false
		}
		if within(out, from, to) {
			near, pending = true, false
			continue
		}
		if state := p.state[i]; state > 0 && state <= len(reader.Others) {
			return nil
		}
		pending = !near
		others += reader.Length(p.Text[max(from, s.From):min(to, s.To)])
	}
	if pending || others > words {
		return nil
	}
	return out
}

// covers reports whether a span says all of a statement.
func (p *prompt) covers(s reader.Span, g gold) bool {
	if s.From >= g.to || s.To <= g.from {
		return false
	}
	missing := p.Text[g.from:max(g.from, s.From)] + " " + p.Text[min(g.to, s.To):g.to]
	return 10*reader.Length(missing) <= reader.Length(p.Text[g.from:g.to]) && !strings.ContainsFunc(missing, unicode.IsDigit)
}

// within reports whether text[from:to] is for the most part of one of statements.
func within(all []gold, from, to int) bool {
	for _, g := range all {
		if 2*(min(to, g.to)-max(from, g.from)) >= to-from {
			return true
		}
	}
	return false
}
