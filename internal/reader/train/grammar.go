package main

import (
	"fmt"
	"io"
	"unicode"

	"orihon/internal/capture"
	"orihon/internal/reader"
	"orihon/internal/terms"
)

// reportGrammar prints what package capture finds in the same prompts, the same way
// of counting: what it is sure of is kept, as what is asked for outright; what is
// likely waits in review. What it shortens or takes together counts by its words.
func reportGrammar(w io.Writer, data []*prompt) {
	parts := make(tallies)
	for _, p := range data {
		for _, t := range parts.of(p.lang) {
			t.prompts++
			t.statements += len(p.keep)
			for _, s := range capture.Explicit(p.Text) {
				t.kept++
				right := int(one(p.says(s.Text)))
				t.keptRight += right
				t.found += right
			}
			for _, n := range capture.NotAskedFor(capture.Notice(p.Text), p.Text) {
				right := int(one(p.says(n.Text)))
				switch {
				case n.Score >= capture.NoticedSure:
					t.kept++
					t.keptRight += right
					t.found += right
				case n.Score >= capture.NoticedLikely:
					t.review++
					t.reviewRight += right
					t.foundReview += right
				}
			}
		}
	}
	fmt.Fprintln(w, head)
	parts.print(w)
}

// says reports whether a text is about one of the statements of a prompt.
func (p *prompt) says(text string) bool {
	for _, g := range p.keep {
		want := tokens(p.Text[g.from:g.to])
		have := tokens(text)
		left := make(map[string]int)
		for _, t := range want {
			left[t]++
		}
		both := 0
		for _, t := range have {
			if left[t] > 0 {
				left[t]--
				both++
			}
		}
		if reader.Alike(len(have), len(want), both) {
			return true
		}
	}
	return false
}

// tokens are the words and Chinese characters of a text.
func tokens(text string) []string {
	var out []string
	for _, w := range terms.Words(text) {
		if !unicode.Is(unicode.Han, []rune(w)[0]) {
			out = append(out, w)
			continue
		}
		for _, r := range w {
			out = append(out, string(r))
		}
	}
	return out
}
