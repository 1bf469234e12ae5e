package recall

import (
	"math"
	"slices"
	"strings"

	"orihon/internal/meaning"
	"orihon/internal/score"
	"orihon/memory"
)

// looked is how a passage is met by what is asked, in its own words and in the phrases
// by which it may be looked for.
type looked struct {
	text         float64 // cosine of its text
	phrase       float64 // the same, or of the phrase that is said most fully
	said, second float64 // how fully that one is said, and the next
	leant        float64 // how fully one is said by the prompt with the turns that it leans on
	own          float64 // how much of the prompt's own words stands in the phrase said most fully
	covers       float64 // how near its text's words come to each of those asked for
	covered      float64 // the same with all phrases
	phrases      int
}

// lookedFor is what is asked, as passages are held against it.
type lookedFor struct {
	table  *meaning.Table
	vector meaning.Vector // of the question
	each   *meaning.Asked // its words
	before []string       // the words of the question and of the turns before it; nil without these
	leant  *meaning.Asked // the same, looked for; nil until a passage has phrases
	own    []string       // the prompt's own words
	says   []float64      // how much each says, as a share of all
}

// look holds a passage against what is asked: as a text, and word by word. It returns
// its text's words and their vector, too.
func (q *lookedFor) look(c *memory.Candidate) (looked, []string, meaning.Vector) {
	all := c.Words
	if all == "" {
		all = score.Words(&c.Passage.Item)
	}
	lines := strings.Split(all, "\n")
	texts := make([][]string, len(lines))
	for i, line := range lines {
		texts[i] = strings.Fields(line)
	}
	vector := q.table.Encode(texts[0], nil)
	l := looked{text: q.vector.Cosine(vector), covers: q.each.Cover(texts[0]), phrases: len(texts) - 1}
	l.phrase, l.covered = l.text, l.covers
	if l.phrases == 0 {
		return l, texts[0], vector
	}
	if q.leant == nil && len(q.before) > 0 {
		q.leant = q.table.Asked(q.before)
	}
	best := 0
	for i, words := range texts[1:] {
		if q.leant != nil {
			l.leant = math.Max(l.leant, q.leant.Said(words))
		}
		switch said := q.each.Said(words); {
		case said > l.said:
			best, l.said, l.second = i+1, said, l.said
		case said > l.second:
			l.second = said
		}
	}
	l.leant = math.Max(l.leant, l.said)
	if best > 0 {
		l.phrase = math.Max(l.text, q.vector.Cosine(q.table.Encode(texts[best], nil)))
		for i, word := range q.own {
			if slices.Contains(texts[best], word) {
				l.own += q.says[i]
			}
		}
	}
	l.covered = q.each.Cover(texts...)
	return l, texts[0], vector
}
