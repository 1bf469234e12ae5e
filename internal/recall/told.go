package recall

import (
	"context"
	"slices"
	"strings"

	"orihon/internal/asks"
	"orihon/internal/meaning"
	"orihon/internal/reader"
	"orihon/internal/terms"
	"orihon/memory"
)

// told leaves out the turns that state nothing: what only asks or acknowledges, what is
// ordered for one occasion, which is over, and what says no more than the prompt itself,
// as when it is typed again. What they ask for, their answers tell.
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

// withoutForgotten leaves out what was forgotten or turned down, the turns in which it was
// said and taken back, and what says it again: a turn, or an episode of the work in which
// it came up.
func (e *Engine) withoutForgotten(ctx context.Context, c *memory.Candidates) {
	var gone []*withdrawn
	var telling []*stating
	for i := range c.Hits {
		p := &c.Hits[i].Passage
		if p.Retired {
			gone = append(gone, withdraws(&p.Item))
		}
		if p.Conversation() || p.Item.Kind == memory.Episodic {
			telling = append(telling, statingOf(p))
		}
	}
	if len(telling) > 0 && e.down != nil {
		gone = append(gone, e.turnedDown(ctx, c, telling)...)
	}
	left := make(map[string]bool)
	for _, t := range telling {
		left[t.id] = slices.ContainsFunc(gone, t.tells)
	}
	c.Hits = slices.DeleteFunc(c.Hits, func(h memory.Candidate) bool { return h.Passage.Retired || left[h.Passage.ID] })
}

// turnedDown are the statements that a person did not want kept, as far as something tells
// them and no statement found says them: what says the same in other words was kept, and
// only the question about it turned down.
func (e *Engine) turnedDown(ctx context.Context, c *memory.Candidates, telling []*stating) (gone []*withdrawn) {
	all := e.down(ctx)
	for i := range all {
		w := withdraws(&all[i])
		if slices.ContainsFunc(telling, func(t *stating) bool { return t.tells(w) }) && !slices.ContainsFunc(c.Hits, func(h memory.Candidate) bool {
			p := &h.Passage
			return judged(p) && !p.Retired && p.SupersededBy == "" && statingOf(p).says(w)
		}) {
			gone = append(gone, w)
		}
	}
	return gone
}

// withdrawn is a statement that is not to come back.
type withdrawn struct {
	turns  []string // in which it was said and taken back
	words  *meaning.Said
	all    *meaning.Said // its words as they are looked for
	values []string
}

func withdraws(it *memory.Item) *withdrawn {
	values, _ := terms.Specifics(it.Content)
	table := meaning.Builtin()
	return &withdrawn{it.Metadata.Evidence, table.Said(terms.Query(it.Content)), table.Said(terms.Index(it.Content)), values}
}

// stating is a passage that may say it again.
type stating struct {
	id     string
	turns  []string // that it tells of: itself, or those of an episode
	words  *meaning.Said
	answer *meaning.Said // what an agent says; nil of anybody else
	values []string
}

func statingOf(p *memory.Passage) *stating {
	values, _ := terms.Specifics(p.Item.Content)
	s := &stating{id: p.ID, turns: []string{p.ID}, words: meaning.Builtin().Said(terms.Index(p.Item.Content)), values: values}
	if p.Item.Kind == memory.Episodic {
		s.turns = p.Item.Metadata.Evidence
	}
	if p.Population == memory.AgentTurns {
		s.answer = meaning.Builtin().Said(terms.Query(p.Item.Content))
	}
	return s
}

// tells reports whether a passage tells what was withdrawn: it is of a turn in which that
// was said, says most of it, or is an answer that says a part of it and little else.
func (s *stating) tells(w *withdrawn) bool {
	return slices.ContainsFunc(s.turns, func(turn string) bool { return slices.Contains(w.turns, turn) }) || s.says(w) || s.repeats(w)
}

func (s *stating) repeats(w *withdrawn) bool {
	const most = 0.7 // of what it says, by how rare the words are
	if s.answer == nil {
		return false
	}
	exact, near := s.answer.In(w.all)
	return s.answer.Total > 0 && exact+near >= most*s.answer.Total && !differ(w.values, s.values)
}

// says reports whether a passage says most of what was withdrawn, and gives no other value
// for it.
func (s *stating) says(w *withdrawn) bool {
	const most = 0.7 // of its words, by how rare they are
	exact, near := w.words.In(s.words)
	return w.words.Total > 0 && exact+near >= most*w.words.Total && !differ(w.values, s.values)
}

// states reports whether a turn says something to who has typed some words.
func states(p *memory.Passage, typed []string) bool {
	const least, somewhat = 2, 0.25 // words beyond those; likely to hold something worth keeping
	if p.Population == memory.UserTurns && 2*asks.Share(p.Item.Content) > 1 && reader.Tells(p.Item.Content) < somewhat {
		return false
	}
	if asks.Only(p.Item.Content) || p.Population == memory.UserTurns && asks.Once(p.Item.Content) || p.Population == memory.AgentTurns && 2*asks.Share(p.Item.Content) > 1 {
		return false
	}
	if p.Population == memory.AgentTurns && answersNothing(p.Item.Content) {
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

var (
	did             = lists.Words("did")
	didOpeners      = lists.Words("did-openers")
	didWhat         = lists.Words("did-what")
	didChineseFirst = lists.Phrases("did-chinese-first")
	didChinese      = lists.Phrases("did-chinese")
	unknowing       = lists.Phrases("unknowing")
)

// answersNothing reports whether an answer says that something was done and not what is so
// now, or that its agent does not know, and no more: "Fixed the typo."
func answersNothing(answer string) bool {
	const least = 2 // words, of what says something
	for _, clause := range asks.Clauses(answer) {
		if len(terms.Query(clause)) >= least && !contains(terms.Fold(clause), unknowing()) && !justDid(clause) {
			return false
		}
	}
	return true
}

// justDid reports whether a clause says in a few words that something was done, with no
// value, and no other name than that of what it was done to.
func justDid(clause string) bool {
	const few = 6 // words
	values, names := terms.Specifics(clause)
	if len(values) > 0 || len(names) > 1 || len(terms.Query(clause)) > few {
		return false
	}
	folded := strings.TrimSpace(terms.Fold(clause))
	if contains(folded, didChinese()) || slices.ContainsFunc(didChineseFirst(), func(w string) bool { return strings.HasPrefix(folded, w) }) {
		return true
	}
	words := terms.Words(folded)
	for i, w := range words {
		if didOpeners()[w] {
			continue
		}
		verb := did()[w] || len(w) > len("need") && strings.HasSuffix(w, "ed")
		return verb && (i+1 == len(words) || didWhat()[words[i+1]] || slices.Contains(names, words[i+1]))
	}
	return false
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
