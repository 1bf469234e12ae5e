package store

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"orihon/memory"
)

// pair says that By replaced Of at a time.
type pair struct {
	By string    `json:"b"`
	Of string    `json:"o"`
	At time.Time `json:"t,omitzero"`
}

// pairOf is the supersession an item states, if any. An item cannot replace
// itself, nor a bullet its own atom.
func pairOf(it *memory.Item) (pair, bool) {
	of := it.Relations.Supersedes
	if of == "" || of == it.ID || strings.HasPrefix(it.ID, of+"#") {
		return pair{}, false
	}
	at := it.ValidFrom
	if at.IsZero() {
		at = it.Metadata.CreatedAt
	}
	if at.IsZero() {
		at = it.Metadata.UpdatedAt
	}
	return pair{By: it.ID, Of: of, At: at.UTC()}, true
}

// successors tells by ID what replaced what.
type successors map[string]pair

// resolve decides who replaced whom: of several successors the latest, and
// where items replace each other in a circle the earliest link is dropped, so
// that one of them stays current. The order of the pairs does not matter.
func resolve(pairs []pair) successors {
	pairs = slices.Clone(pairs)
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.By, a.By), cmp.Compare(a.Of, b.Of))
	})
	out := make(successors, len(pairs))
	for _, p := range pairs {
		if _, taken := out[p.Of]; !taken && !out.leads(p.By, p.Of) {
			out[p.Of] = p
		}
	}
	return out
}

// leads reports whether the successors of an item end at another.
func (s successors) leads(from, to string) bool {
	for {
		if from == to {
			return true
		}
		p, ok := s[from]
		if !ok {
			return false
		}
		from = p.By
	}
}

// changed lists the items whose successor differs, in order.
func (s successors) changed(before successors) []string {
	var ids []string
	for of, p := range s {
		if old, ok := before[of]; !ok || old.By != p.By || !old.At.Equal(p.At) {
			ids = append(ids, of)
		}
	}
	for of := range before {
		if _, ok := s[of]; !ok {
			ids = append(ids, of)
		}
	}
	slices.Sort(ids)
	return ids
}

// apply notes in a passage what replaced it, or the atom it belongs to.
func (s successors) apply(p *memory.Passage) {
	by, ok := s[p.ID]
	if !ok && p.Parent != "" {
		by, ok = s[p.Parent]
	}
	if !ok {
		return
	}
	p.SupersededBy = by.By
	if p.Item.ValidTo.IsZero() {
		p.Item.ValidTo = by.At
	}
}
