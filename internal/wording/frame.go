package wording

import (
	"strings"
	"unicode/utf8"

	"orihon/internal/tokens"
)

// Marks around what is told. Memory is foreign text that goes back into a prompt: it
// stands between these marks, and package inert sees to it that nothing in it looks like
// one.
const (
	OpenMark  = "<orihon-memory>"
	CloseMark = "</orihon-memory>"
)

// Section is a group of lines, under a title or without one.
type Section struct {
	Title string
	Lines []string
}

// Frame puts sections between the delimiters and estimates their tokens.
func Frame(w *Words, sections []Section) (string, int) {
	var b strings.Builder
	b.WriteString(OpenMark + "\n" + w.Heading + "\n")
	for _, s := range sections {
		b.WriteString("\n")
		if s.Title != "" {
			b.WriteString(s.Title + "\n")
		}
		for _, l := range s.Lines {
			b.WriteString(l + "\n")
		}
	}
	b.WriteString("\n" + w.Closing + "\n" + CloseMark)
	text := b.String()
	return text, tokens.Estimate(text)
}

// Framed is text of memory as data: between the marks, under the words that say
// so. The lines are the caller's to make inert.
func Framed(language string, lines ...string) string {
	text, _ := Frame(For(language), []Section{{Lines: lines}})
	return text
}

// Fitting returns the longest beginning of text that fits, of at most room
// tokens; it is found to a quarter and may be empty.
func Fitting(text string, room int, fits func(cut string) bool) string {
	for ; text != "" && room > 0; room = room * 3 / 4 {
		if cut := tokens.Fit(text, room); cut != "" && fits(cut) {
			return cut
		}
	}
	return ""
}

// Characters counts UTF-16 code units, as clients in JavaScript do.
func Characters(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// Room is how much may be injected; characters and passages of 0 are no bound.
type Room struct{ Tokens, Characters, Passages int }

// Cost is what a text takes, in quarters of a token and in characters: both add
// up exactly.
type Cost struct{ Quarters, Characters int }

// CostOf is what a text takes.
func CostOf(s string) Cost { return Cost{tokens.Quarters(s), Characters(s)} }

// Plus is the sum of two.
func (c Cost) Plus(d Cost) Cost {
	return Cost{c.Quarters + d.Quarters, c.Characters + d.Characters}
}

// Minus is the difference of two.
func (c Cost) Minus(d Cost) Cost {
	return Cost{c.Quarters - d.Quarters, c.Characters - d.Characters}
}

// Within reports whether there is room for it.
func (c Cost) Within(r Room) bool {
	const perToken = 4
	return c.Quarters <= r.Tokens*perToken && (r.Characters == 0 || c.Characters <= r.Characters)
}
