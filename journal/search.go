package journal

import (
	"cmp"
	"math"
	"slices"

	"orihon/internal/meaning"
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
	means    map[string]meaning.Vector // of the words that have one
	lengths  []int32                   // terms of each event
	total    int
}

type posting struct {
	event int32
	count int32
}

// What a word must be to one of the query to count for it, as a cosine; and what an
// event must say that holds no word of the query: as much as a rare word from which on
// one is said for another, and a share of all that is asked for.
const leastNear, leastAlike, leastSaid = 0.1, 0.3, 0.04

// Search returns the events that say something of the query, best first, at
// most limit of them; 0 is 20. Words that are near in meaning count for those of the
// query, in both languages, by how near they are. Rare words weigh more, short
// events and what was said more than long outputs.
//
// The first search indexes all events, later ones those that are new.
func (v *View) Search(query string, limit int) []Match {
	v = v.whole()
	if limit <= 0 {
		limit = 20
	}
	wanted := terms.Query(query)
	if len(wanted) == 0 {
		return nil
	}
	v.indexWords()
	x, table := &v.words, meaning.Builtin()
	scores, whole, most := make([]float64, len(v.events)), 0.0, 0.0
	holds := make([]bool, len(v.events)) // a word of the query itself
	for _, term := range wanted {
		for _, p := range x.postings[term] {
			holds[p.event] = true
		}
		// Of all words of an event that are near to the term the best counts.
		best, weight := map[int32]float64{}, table.Rarity(term)
		for word, near := range x.near(term) {
			for _, p := range x.postings[word] {
				best[p.event] = max(best[p.event], near*x.score(word, p))
			}
		}
		for event, s := range best {
			scores[event] += weight * s
		}
		whole += weight * x.rarity(0)
		most = max(most, weight*x.rarity(1))
	}
	var out []Match
	least := max(leastSaid*whole, leastAlike*most)
	for i, s := range scores {
		if !holds[i] && s < least {
			continue
		}
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

// near are the words of the run that are near to a term, by how near, the term itself
// among them.
func (x *wordIndex) near(term string) map[string]float64 {
	out := map[string]float64{term: 1}
	meant := meaning.Builtin().Encode([]string{term}, nil)
	for word, means := range x.means {
		if c := meant.Cosine(means); c >= leastNear && word != term {
			out[word] = c
		}
	}
	return out
}

// rarity of a word that stands in some events of the run.
func (x *wordIndex) rarity(events int) float64 {
	in := float64(events)
	return math.Log(1 + (float64(len(x.lengths))-in+0.5)/(in+0.5))
}

// score is what a word says of an event: BM25 with k1 = 1.2, b = 0.75.
func (x *wordIndex) score(word string, p posting) float64 {
	mean := float64(x.total)/float64(max(1, len(x.lengths))) + 1
	norm := 1.2 * (0.25 + 0.75*float64(x.lengths[p.event])/mean)
	tf := float64(p.count)
	return x.rarity(len(x.postings[word])) * tf * 2.2 / (tf + norm)
}

func (v *View) indexWords() {
	x := &v.words
	if x.postings == nil {
		x.postings, x.means = map[string][]posting{}, map[string]meaning.Vector{}
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
			if x.postings[t] == nil {
				if means := meaning.Builtin().Encode([]string{t}, nil); means != nil {
					x.means[t] = means
				}
			}
			x.postings[t] = append(x.postings[t], posting{int32(x.upto), n})
		}
		x.lengths = append(x.lengths, int32(len(all)))
		x.total += len(all)
	}
}
