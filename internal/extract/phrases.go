package extract

import (
	"context"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// PhrasesBatch is how many statements one question asks about at most.
const PhrasesBatch = 10

const (
	mostPhrases  = 6 // of a statement
	phraseLength = 120
	phrasesTime  = 60 * time.Second
)

// Phrases asks for phrases by which statements may be looked for by somebody who does
// not know their words: a list, which may be empty, for each of the first
// [PhrasesBatch] statements; the others are not asked about.
func (x *Extractor) Phrases(ctx context.Context, statements []string) ([][]string, error) {
	statements = statements[:min(len(statements), PhrasesBatch)]
	q := question{Purpose: Purpose{Feature: Phrases, Large: true, Patience: phrasesTime}, name: "phrases", most: 300 * PhrasesBatch, max: 160 * len(statements)}
	for i, s := range statements {
		q.data = append(q.data, document{"statement " + strconv.Itoa(i+1), s})
	}
	var answer struct {
		Statements []struct {
			Number     int
			NeededWhen []string `json:"needed_when"`
		}
	}
	c, err := x.ask(ctx, q, &answer)
	out := make([][]string, len(statements))
	if err == nil {
		for _, a := range answer.Statements {
			if a.Number < 1 || a.Number > len(out) || out[a.Number-1] != nil {
				c.Refused++
				continue
			}
			out[a.Number-1] = phrases(a.NeededWhen)
		}
	}
	for _, p := range out {
		c.Found += found(len(p) > 0)
	}
	x.o.Note(c)
	return out, err
}

// phrases are those of a model's that can be used.
func phrases(given []string) []string {
	var out []string
	for _, p := range given {
		p = line(p)
		if p != "" && utf8.RuneCountInString(p) <= phraseLength && !slices.Contains(out, p) && len(out) < mostPhrases {
			out = append(out, p)
		}
	}
	return out
}
