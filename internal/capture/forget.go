package capture

import (
	"slices"
	"strings"

	"orihon/internal/asks"
	"orihon/internal/reader"
	"orihon/internal/terms"
)

// forgetting is what of a message asks to forget something: whole sentences.
type forgetting struct {
	text  string
	P     float64 // how likely it does
	parts []span  // the clauses up to the last that asks
	rest  []span  // the clauses behind it, which may tell what holds instead
}

// span is a part of a text in bytes.
type span struct{ from, to int }

func (s span) meets(o span) bool { return s.from < o.to && s.to > o.from }

func (f *forgetting) holds(s span) bool { return slices.ContainsFunc(f.parts, s.meets) }

// takes reports whether words are a part of what asks to forget something.
func (f *forgetting) takes(own, said string) bool {
	return strings.Contains(f.text, said) && !slices.ContainsFunc(f.rest, func(s span) bool { return strings.Contains(own[s.from:s.to], said) })
}

// notForgotten is how likely, at most, a clause asks to forget something that tells what
// holds instead.
const notForgotten = 0.1

// tellsOfTheWorld is how likely, at most, a message asks to forget something that has none
// of the words of such a request: "the Harbour stall cancelled". It is heard as it stands,
// and only the agent at hand is told what it may end.
const tellsOfTheWorld = 0.2

// forgets finds the sentences of a message that ask to forget something, with the one
// before where they name nothing: "It's over. No need to keep that."
func forgets(own string) (f forgetting) {
	p := reader.Prepare(own)
	likely := asks.Forgets(p)
	none, best := 1.0, 0.0
	for i, x := range likely {
		if from, to := p.Piece(i); onlyPointsBack(own[from:to]) {
			likely[i] = 0 // it asks to remember
			continue
		}
		none, best = none*(1-x), max(best, x)
	}
	if f.P = 1 - none; f.P < ForgetMaybe {
		return f
	}
	for i := 0; i < len(likely); {
		end, most := i+1, likely[i]
		for end < len(likely) && !p.Parted(end) {
			most = max(most, likely[end])
			end++
		}
		from, _ := p.Piece(i)
		if _, to := p.Piece(end - 1); 2*most >= best {
			last := end
			for most >= notForgotten && likely[last-1] < notForgotten {
				last--
			}
			_, until := p.Piece(last - 1)
			f.parts = append(f.parts, span{from, until})
			if last < end {
				behind, _ := p.Piece(last)
				f.rest = append(f.rest, span{behind, to})
			}
			f.text += " " + own[from:to]
		}
		i = end
	}
	const few = 2 // words
	if from := f.parts[0].from; len(terms.Query(f.text)) <= few && from > 0 {
		before := strings.TrimSpace(own[:from])
		f.text = before[strings.LastIndexAny(strings.TrimRight(before, ".!?。！？"), ".!?。！？\n")+1:] + " " + f.text
	}
	f.text = strings.TrimSpace(f.text)
	switch _, how := asks.Requested(f.text); {
	case asks.PassesOn(f.text), how == asks.NoWords && f.P < ForgetLikely:
		f.P = 0
	case how == asks.NoWords:
		f.P = min(f.P, tellsOfTheWorld)
	}
	return f
}
