package main

import (
	"strings"
	"unicode"

	"orihon/internal/reader"
)

// Shares of what is kept that readers held for worth keeping and whole, by how it lies
// to what is labelled: of 950 spans of t01 to t06, each read with its prompt by somebody
// who did not see the labels (docs/benchmarks.md, "What is said in passing"). What
// stands before a statement does little harm, and a reason behind it may be missing; a
// statement without its beginning is not understood, and what follows it is often the
// next order.
const (
	worthSame   = 0.95 // a statement, or several, and no more
	worthBefore = 0.90 // and something of its sentence before
	worthBehind = 0.79 // and something of its sentence behind
	worthAround = 0.65 // and both, or another sentence
	worthBegun  = 0.88 // a statement without its end
	worthTorn   = 0.35 // without its beginning, or cut short
	worthNone   = 0.02 // no statement
	worthAmong  = 0.35 // times any of them, when a part is labelled as no statement
)

// worth is how likely somebody holds a span for worth keeping and whole; told is how
// many statements it then tells.
func (p *prompt) worth(s reader.Span) (worth float64, told int) {
	first, last := len(p.Text), 0 // of the statements that it covers
	torn, begun := false, false
	for _, g := range p.keep {
		switch {
		case s.From >= g.to || s.To <= g.from:
		case p.covers(s, g):
			first, last = min(first, g.from), max(last, g.to)
			told++
		case p.length(g.from, s.From) > 0 || 2*p.length(g.from, s.To) < p.length(g.from, g.to) && !p.parted(s.To, g.to):
			torn = true
		default:
			begun = true
		}
	}
	const few = 1 // words that a span may hold besides
	before, behind := p.length(s.From, first) > few, !begun && p.length(last, s.To) > few
	switch {
	case told == 0 && torn:
		worth, told = worthTorn, 1
	case told == 0 && begun:
		worth, told = worthBegun, 1
	case told == 0:
		worth = worthNone
	case before && (behind || p.parted(s.From, first)), behind && p.parted(last, s.To):
		worth = worthAround
	case behind:
		worth = worthBehind
	case before:
		worth = worthBefore
	default:
		worth = worthSame
	}
	if told > 0 && p.among(s) {
		worth *= worthAmong
	}
	return worth, told
}

// parted reports whether a sentence or a line begins behind text[from] and not behind to.
func (p *prompt) parted(from, to int) bool {
	for i := range p.state {
		if at, _ := p.Piece(i); at > from && at <= to && p.Parted(i) {
			return true
		}
	}
	return false
}

// length counts the words of text[from:to], 0 when it ends before it begins.
func (p *prompt) length(from, to int) int { return reader.Length(p.Text[from:max(from, to)]) }

// covers reports whether a span says all of a statement: at most one of ten of its words
// is missing, and no number.
func (p *prompt) covers(s reader.Span, g gold) bool {
	if s.From >= g.to || s.To <= g.from {
		return false
	}
	missing := p.Text[g.from:max(g.from, s.From)] + " " + p.Text[min(g.to, s.To):g.to]
	return 10*reader.Length(missing) <= p.length(g.from, g.to) && !strings.ContainsFunc(missing, unicode.IsDigit)
}

// among reports whether a piece of a span is labelled as no statement.
func (p *prompt) among(s reader.Span) bool {
	for i, state := range p.state {
		if from, to := p.Piece(i); state > 0 && state <= len(reader.Others) && min(to, s.To) > max(from, s.From) {
			return true
		}
	}
	return false
}
