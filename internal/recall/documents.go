package recall

import (
	"fmt"
	"slices"
	"time"

	"orihon/internal/terms"
	"orihon/internal/wording"
	"orihon/memory"
)

// DocumentsBudget is the smallest budget, in tokens, that holds documents.
const DocumentsBudget = 3000

// memoryShare is the part of the budget that memory has to itself when there
// are documents as well: a quarter. What either leaves unused the other takes.
const memoryShare = 4

func document(h *memory.Hit) bool { return h.Passage.Population == memory.Documents }

// apart splits hits into memory and documents.
func apart(hits []memory.Hit) (statements, documents []*memory.Hit) {
	for i := range hits {
		if document(&hits[i]) {
			documents = append(documents, &hits[i])
		} else {
			statements = append(statements, &hits[i])
		}
	}
	return statements, documents
}

// portions divides the room between memory and documents. Memory comes first:
// its share, and whole what always applies; then documents; then memory again
// with what they have left.
func portions(hits []memory.Hit, all wording.Room) []portion {
	statement := func(h *memory.Hit) bool { return !document(h) }
	documents := slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Kept && document(&h) })
	if !documents {
		return []portion{{statement, all}}
	}
	if all.Tokens < DocumentsBudget {
		for i := range hits {
			if h := &hits[i]; h.Kept && document(h) {
				h.Kept, h.Why = false, fmt.Sprintf("a budget of %d tokens holds no documents: %d are needed", all.Tokens, DocumentsBudget)
			}
		}
		return []portion{{statement, all}}
	}
	own := wording.Room{Tokens: all.Tokens / memoryShare, Characters: all.Characters / memoryShare}
	if all.Passages > 0 {
		own.Passages = max(1, all.Passages/memoryShare)
	}
	return []portion{{standing, all}, {statement, own}, {document, all}, {statement, all}}
}

// standing reports what no document takes the place of.
func standing(h *memory.Hit) bool {
	return !document(h) && h.Passage.Item.Topic == memory.Preference
}

// overlap drops documents that say what memory says, whether memory is shown
// now or stands in the window already; or, when the file was changed since, the
// memory. Texts whose figures differ do not say the same: both are shown, each
// with its date.
func overlap(hits []memory.Hit) {
	const looked = 60 // of either side
	statements, documents := apart(hits)
	documents = slices.DeleteFunc(documents, func(h *memory.Hit) bool { return !h.Kept })
	if len(documents) == 0 {
		return
	}
	said := make([]saying, 0, min(len(statements), looked))
	for _, h := range statements {
		if (h.Kept || h.Why == inWindow) && len(said) < looked {
			said = append(said, sayingOf(h))
		}
	}
	for _, d := range documents[:min(len(documents), looked)] {
		words := sayingOf(d)
		for _, s := range said {
			switch {
			case !s.same(&words):
				continue
			case s.hit.Kept && !standing(s.hit) && d.Passage.Item.Metadata.UpdatedAt.After(written(&s.hit.Passage)):
				s.hit.Kept, s.hit.Why = false, fmt.Sprintf("%s:%d says the same and is newer", d.Passage.Source, d.Passage.Line)
				continue
			case s.hit.Kept || s.hit.Why == inWindow:
				d.Kept, d.Why = false, "memory says the same: "+s.hit.Passage.ID
			}
			break
		}
	}
}

func written(p *memory.Passage) time.Time {
	if m := &p.Item.Metadata; m.UpdatedAt.After(m.CreatedAt) {
		return m.UpdatedAt
	}
	return p.Item.Metadata.CreatedAt
}

// saying is what a passage says, as a set.
type saying struct {
	hit     *memory.Hit
	words   map[string]bool
	telling map[string]bool // figures, and words such as "not"
}

func sayingOf(h *memory.Hit) saying {
	s := saying{h, make(map[string]bool), make(map[string]bool)}
	for _, t := range terms.Index(h.Passage.Item.Content) {
		s.words[t] = true
	}
	for _, t := range telling(h.Passage.Item.Content) {
		s.telling[t] = true
	}
	return s
}

// same reports whether nine tenths of the shorter text stand in the longer one,
// which says at most as much again.
func (s *saying) same(o *saying) bool {
	short, long := s, o
	if len(short.words) > len(long.words) {
		short, long = long, short
	}
	if len(short.words) == 0 || 2*len(short.words) < len(long.words) {
		return false
	}
	both := 0
	for t := range short.words {
		if long.words[t] {
			both++
		}
	}
	for t := range short.telling {
		if !long.telling[t] {
			return false
		}
	}
	return 10*both >= 9*len(short.words)
}
