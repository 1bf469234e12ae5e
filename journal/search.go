package journal

import (
	"cmp"
	"math"
	"slices"

	"orihon/internal/terms"
)

// Match is an event that answers a question.
type Match struct {
	Event Event
	Score float64 // comparable within one answer only
}

// searchable is how much of an event's text is indexed, in bytes: tool outputs
// have no upper bound.
const searchable = 64 << 10

// wordIndex has the events in which a term stands. It takes up new events when
// it is asked.
type wordIndex struct {
	upto     int // events indexed
	postings map[string][]posting
	lengths  []int32 // terms of each event
	total    int
}

type posting struct {
	event int32
	count int32
}

// Search returns the events that say something of the query, best first, at
// most limit of them; 0 is 20. Rare words weigh more, short events and what was
// said more than long outputs.
//
// The first search indexes all events, later ones those that are new.
func (v *View) Search(query string, limit int) []Match {
	if limit <= 0 {
		limit = 20
	}
	wanted := terms.Query(query)
	if len(wanted) == 0 {
		return nil
	}
	x := &v.words
	v.indexWords()
	scores := map[int32]float64{}
	mean := float64(x.total)/float64(max(1, len(x.lengths))) + 1
	for _, term := range wanted {
		list := x.postings[term]
		rarity := math.Log(1 + (float64(len(x.lengths))-float64(len(list))+0.5)/(float64(len(list))+0.5))
		for _, p := range list {
			// BM25 with k1 = 1.2, b = 0.75.
			tf := float64(p.count)
			norm := 1.2 * (0.25 + 0.75*float64(x.lengths[p.event])/mean)
			scores[p.event] += rarity * tf * 2.2 / (tf + norm)
		}
	}
	out := make([]Match, 0, len(scores))
	for i, s := range scores {
		e := v.events[i]
		if e.Type == UserMessage || e.Type == AssistantMessage {
			s *= 1.3
		}
		out = append(out, Match{e, s})
	}
	slices.SortFunc(out, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Event.Seq, a.Event.Seq))
	})
	return out[:min(limit, len(out))]
}

func (v *View) indexWords() {
	x := &v.words
	if x.postings == nil {
		x.postings = map[string][]posting{}
	}
	counts := map[string]int32{}
	for ; x.upto < len(v.events); x.upto++ {
		clear(counts)
		text := v.Text(v.events[x.upto])
		all := terms.Index(text[:min(len(text), searchable)])
		for _, t := range all {
			counts[t]++
		}
		for t, n := range counts {
			x.postings[t] = append(x.postings[t], posting{int32(x.upto), n})
		}
		x.lengths = append(x.lengths, int32(len(all)))
		x.total += len(all)
	}
}
