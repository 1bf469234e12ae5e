package store

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"orihon/memory"
)

// pair says that By, of a scope, replaced Of at a time.
type pair struct {
	By    string       `json:"b"`
	Of    string       `json:"o"`
	At    time.Time    `json:"t,omitzero"`
	Scope memory.Scope `json:"s,omitempty"`
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
	return pair{By: it.ID, Of: of, At: at.UTC(), Scope: it.Scope}, true
}

// claim is an ID and the scope of what says that it was replaced: what is said
// in one scope ends nothing private of another.
type claim struct {
	of    string
	scope memory.Scope
}

// anyPrivate stands for every private scope at once.
const anyPrivate memory.Scope = "private"

// successors tells what replaced what.
type successors map[claim]pair

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
		scopes := []memory.Scope{p.Scope}
		if p.Scope.Private() {
			scopes = append(scopes, anyPrivate)
		}
		for _, scope := range scopes {
			of := claim{p.Of, scope}
			if _, taken := out[of]; !taken && !out.leads(claim{p.By, scope}, p.Of) {
				out[of] = p
			}
		}
	}
	return out
}

// leads reports whether the successors of an item in a scope end at another.
func (s successors) leads(from claim, to string) bool {
	for {
		if from.of == to {
			return true
		}
		p, ok := s[from]
		if !ok {
			return false
		}
		from.of = p.By
	}
}

// changed lists the items whose successor differs, in order.
func (s successors) changed(before successors) []string {
	var ids []string
	for of, p := range s {
		if old, ok := before[of]; !ok || old.By != p.By || !old.At.Equal(p.At) {
			ids = append(ids, of.of)
		}
	}
	for of := range before {
		if _, ok := s[of]; !ok {
			ids = append(ids, of.of)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// of is what replaced an item of a scope. Private statements end others for
// their owner; nothing else crosses scopes.
func (s successors) of(id string, scope memory.Scope) (by pair, ok bool) {
	if by, ok = s[claim{id, scope}]; ok || scope.Private() {
		return by, ok
	}
	by, ok = s[claim{id, anyPrivate}]
	return by, ok
}

// apply notes in a passage what replaced it, or the atom it belongs to.
func (s successors) apply(p *memory.Passage) {
	by, ok := s.of(p.ID, p.Item.Scope)
	if !ok && p.Parent != "" {
		by, ok = s.of(p.Parent, p.Item.Scope)
	}
	if !ok {
		return
	}
	p.SupersededBy = by.By
	if p.Item.ValidTo.IsZero() {
		p.Item.ValidTo = by.At
	}
}
