// Package dates finds the dates and periods that a text names, in English and
// in Chinese (both scripts), absolute ("8 May 2023", "五月三日") or relative to
// a given time ("two weeks ago", "上週三").
//
// It is for prompts: what is found says which time a question is about. It is
// not a parser of timestamps and knows no clock times, time zones or holidays;
// in doubt (version numbers, "5/8", the verb "may") it finds nothing. Start
// with [Find].
package dates

import (
	"time"
	"unicode/utf8"
)

// most is how many periods Find returns.
const most = 4

// Find returns the dates and periods that text names, in order, at most four.
// Where two overlap, the longer one counts. Days are those of UTC, weeks begin
// on Monday, seasons are those of the northern hemisphere.
func Find(text string, now time.Time) []Period {
	s := scanner{text: text, cal: newCalendar(now)}
	var prev token // the English word before, if only spaces part it from here
	for i := 0; i < len(text) && !s.full(i); {
		c := text[i]
		switch {
		case isLetter(c):
			tok := s.token(i)
			if s.clean(i) {
				s.add(i, s.english(tok, prev))
			}
			prev, i = tok, tok.end
		case isDigit(c):
			tok := s.token(i)
			s.add(i, s.numeric(i))
			if s.clean(i) {
				s.add(i, s.english(tok, prev))
			}
			s.add(i, s.chinese(i))
			prev, i = tok, tok.end
		case c < utf8.RuneSelf:
			if !isSpace(c) {
				prev = token{}
			}
			i++
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			if begins(r) {
				s.add(i, s.chinese(i))
			}
			prev = token{}
			i += size
		}
	}
	return s.found
}
