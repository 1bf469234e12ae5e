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
	parts [][2]int
}

func (f *forgetting) holds(from, to int) bool {
	return slices.ContainsFunc(f.parts, func(p [2]int) bool { return from < p[1] && to > p[0] })
}

// forgets finds the sentences of a message that ask to forget something, with the one
// before where they name nothing: "It's over. No need to keep that."
func forgets(own string) (f forgetting) {
	p := reader.Prepare(own)
	likely := asks.Forgets(p)
	none, best := 1.0, 0.0
	for _, x := range likely {
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
			f.parts = append(f.parts, [2]int{from, to})
			f.text += " " + own[from:to]
		}
		i = end
	}
	const few = 2 // words
	if from := f.parts[0][0]; len(terms.Query(f.text)) <= few && from > 0 {
		before := strings.TrimSpace(own[:from])
		f.text = before[strings.LastIndexAny(strings.TrimRight(before, ".!?。！？"), ".!?。！？\n")+1:] + " " + f.text
	}
	f.text = strings.TrimSpace(f.text)
	return f
}
