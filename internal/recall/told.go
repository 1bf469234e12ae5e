package recall

import (
	"slices"

	"orihon/internal/asks"
	"orihon/internal/meaning"
	"orihon/internal/terms"
	"orihon/memory"
)

// told leaves out the turns that state nothing: what only asks or acknowledges, and
// what says no more than the prompt itself, as when it is typed again. What they
// ask for, their answers tell.
func told(p *parsed, c *memory.Candidates) {
	own := p.own()
	answered(c)
	c.Hits = slices.DeleteFunc(c.Hits, func(h memory.Candidate) bool {
		return h.Passage.Conversation() && !states(&h.Passage, own)
	})
}

// withoutKept leaves out the turns that a statement which was found was taken from:
// it says what was worth keeping of them.
func withoutKept(pools []pool) {
	kept := make(map[string]bool)
	for i := range pools {
		for j := range pools[i].candidates.Hits {
			if p := &pools[i].candidates.Hits[j].Passage; !p.Conversation() && p.Item.Kind != memory.Episodic {
				for _, turn := range p.Item.Metadata.Evidence {
					kept[turn] = true
				}
			}
		}
	}
	for i := range pools {
		c := &pools[i].candidates
		c.Hits = slices.DeleteFunc(c.Hits, func(h memory.Candidate) bool { return h.Passage.Conversation() && kept[h.Passage.ID] })
	}
}

// withoutForgotten leaves out what was forgotten, the turns in which it was said and
// taken back, and what says it again: a turn, or an episode of the work in which it came
// up.
func withoutForgotten(c *memory.Candidates) {
	gone := make(map[string]bool)
	var texts []*meaning.Said
	for i := range c.Hits {
		if p := &c.Hits[i].Passage; p.Retired {
			gone[p.ID] = true
			for _, turn := range p.Item.Metadata.Evidence {
				gone[turn] = true
			}
			texts = append(texts, meaning.Builtin().Said(terms.Query(p.Item.Content)))
		}
	}
	if len(gone) == 0 {
		return
	}
	c.Hits = slices.DeleteFunc(c.Hits, func(h memory.Candidate) bool {
		p := &h.Passage
		return gone[p.ID] || (p.Conversation() || p.Item.Kind == memory.Episodic) && says(p.Item.Content, texts)
	})
}

// says reports whether a text says most of what one of some others does.
func says(text string, others []*meaning.Said) bool {
	const most = 0.7 // of its words, by how rare they are
	all := meaning.Builtin().Said(terms.Index(text))
	return slices.ContainsFunc(others, func(o *meaning.Said) bool {
		exact, near := o.In(all)
		return o.Total > 0 && exact+near >= most*o.Total
	})
}

// states reports whether a turn says something to who has typed some words.
func states(p *memory.Passage, typed []string) bool {
	const least = 2 // words beyond those
	if asks.Only(p.Item.Content) || p.Population == memory.AgentTurns && 2*asks.Share(p.Item.Content) > 1 {
		return false
	}
	more := 0
	for _, t := range terms.Query(p.Item.Content) {
		if !slices.Contains(typed, t) {
			more++
		}
	}
	return more >= least
}

// answered lets every answer hold the words of the question that stands right before
// it: it seldom says them again.
func answered(c *memory.Candidates) {
	const most = 30 // lines of the journal between the two
	for i := range c.Hits {
		a := &c.Hits[i]
		if a.Passage.Population != memory.AgentTurns {
			continue
		}
		var question *memory.Candidate
		for j := range c.Hits {
			u := &c.Hits[j]
			if u.Passage.Population == memory.UserTurns && u.Passage.Source == a.Passage.Source &&
				u.Passage.Line < a.Passage.Line && u.Passage.Line+most > a.Passage.Line && (question == nil || u.Passage.Line > question.Passage.Line) {
				question = u
			}
		}
		if question == nil || 2*asks.Share(question.Passage.Item.Content) <= 1 {
			continue
		}
		for t := range a.Matched[:min(len(a.Matched), len(question.Matched))] {
			a.Matched[t] = max(a.Matched[t], question.Matched[t])
		}
	}
}
