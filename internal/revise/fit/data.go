package main

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/lives"
	"orihon/internal/meaning"
	"orihon/internal/revise"
	"orihon/internal/terms"
)

// sheet is one person's memory with what they type later.
type sheet struct {
	Memories []struct{ ID, Text string }
	Prompts  []prompt
	writer   string
	kind     string
	life     bool
}

type prompt struct {
	Text    string
	Changes []struct{ ID, Span string }
	Why     string

	life  bool
	kind  string
	known []string       // the nearest memories
	over  map[int]string // which of them are over, by the part of Text that says so
	lost  int            // changes of memories that are not near
	runs  []revise.Run
}

// openSheet reads a file by the rules of data/RULES.md.
func openSheet(path string) (*sheet, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &sheet{writer: strings.TrimRight(strings.TrimSuffix(filepath.Base(path), ".json"), "abc"), kind: "sheets"}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, err
	}
	if s.writer >= "x20" {
		s.kind = "short" // see data/RULES-SHORT.md
	}
	s.measure()
	return s, nil
}

// fromLife is the sheet of a life, whose prompts change nothing.
func fromLife(l *lives.Life) *sheet {
	const most = 80 // memories
	s := &sheet{writer: l.Author, life: true}
	for _, m := range l.Memories[:min(len(l.Memories), most)] {
		s.Memories = append(s.Memories, struct{ ID, Text string }{m.ID, m.Text})
	}
	for _, p := range l.Prompts {
		s.Prompts = append(s.Prompts, prompt{Text: p.Text, life: true})
	}
	s.measure()
	return s
}

// ofAWorkplace is how many pairs beside each other in a file are about one workplace.
const ofAWorkplace = 20

// fromPairs are the sheets of a writer's pairs, a workplace each: what was said first is
// the memory, and what was said later and what was asked then are the prompts.
func fromPairs(pairs []lives.Pair) (out []*sheet) {
	writer, _, _ := strings.Cut(pairs[0].ID, "-")
	for of := range slices.Chunk(pairs, ofAWorkplace) {
		s := &sheet{writer: writer, kind: "pairs"}
		for _, p := range of {
			s.Memories = append(s.Memories, struct{ ID, Text string }{p.ID, sentence(p.Old, p.OldValue)})
			later := prompt{Text: p.New, Why: p.Kind}
			if p.Replaced() {
				later.Changes = append(later.Changes, struct{ ID, Span string }{p.ID, sentence(p.New, p.NewValue)})
			}
			s.Prompts = append(s.Prompts, later, prompt{Text: p.Ask, Why: "asks"})
		}
		s.measure()
		out = append(out, s)
	}
	return out
}

// sentence is the one of a text that holds a value.
func sentence(text, value string) string {
	for s := range terms.Sentences(text) {
		if strings.Contains(s, value) {
			return strings.TrimSpace(s)
		}
	}
	return text
}

// mostNear is how many memories a prompt is held against: as many as a hook takes of
// what recall finds.
const mostNear = 8

// measure holds prompts against the memories that are nearest to them.
func (s *sheet) measure() {
	table := meaning.Builtin()
	at := map[string]int{}
	words := make([][]string, len(s.Memories))
	vectors := make([]meaning.Vector, len(s.Memories))
	for k, m := range s.Memories {
		at[m.ID] = k
		words[k] = terms.Index(m.Text)
		vectors[k] = table.Encode(words[k], nil)
	}
	for i := range s.Prompts {
		p := &s.Prompts[i]
		p.kind = s.kind
		own := terms.Index(p.Text)
		asked, vector := table.Asked(own), table.Encode(own, nil)
		order := make([]int, len(words))
		score := make([]float64, len(words))
		for k := range words {
			order[k], score[k] = k, vector.Cosine(vectors[k])+asked.Said(words[k])
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
		order = order[:min(mostNear, len(order))]
		p.over = map[int]string{}
		for _, c := range p.Changes {
			if k := slices.Index(order, at[c.ID]); k >= 0 {
				p.over[k] = c.Span
			} else {
				p.lost++
			}
		}
		for _, k := range order {
			p.known = append(p.known, s.Memories[k].Text)
		}
		p.runs = revise.Against(p.known).Runs(p.Text)
	}
}
