package learn

import (
	"context"
	"errors"
	"slices"

	"orihon/memory"
)

// FrozenTag marks an item that was changed back and forth so often that only a
// person who takes the tag away can change it again.
const FrozenTag = "frozen"

// oscillations is how many returns to what was said before freeze an item.
const oscillations = 3

// longestChain bounds how far back a chain of successors is followed.
const longestChain = 16

// supersede makes an item the successor of the one it contradicts most clearly.
// Further contradicted items stay, lose confidence and are put before a person,
// for an item has one predecessor.
func (b *batch) supersede(ctx context.Context, s Statement, it memory.Item, against []neighbour) (Outcome, error) {
	old := against[0].item
	frozen, err := b.oscillates(ctx, s.Text, old)
	if err != nil {
		return Outcome{}, err
	}
	if frozen {
		return b.freeze(s, it, old), nil
	}
	now := b.l.o.Now().UTC()
	it.Relations.Supersedes = old.ID
	out := Outcome{Action: Superseded, Item: it, Why: against[0].why}
	// The successor goes first: a crash between the two leaves both.
	b.put(it)
	if !bullet(&old) {
		// It never ends before it began, whatever the clock did meanwhile.
		if old.ValidTo = now; old.ValidTo.Before(old.ValidFrom) {
			old.ValidTo = old.ValidFrom
		}
		old.Metadata.UpdatedAt = now
		b.put(old)
	}
	out.Replaced = &old
	b.audit(memory.AuditRecord{Op: memory.AuditConflict, Other: it.ID, Why: "replaced: " + out.Why}, &old, &s)
	for i := range against[1:] {
		n := &against[1+i]
		out.Conflicts = append(out.Conflicts, n.conflict())
		b.propose(memory.QuestionConflict, it, n.item.ID, n.why)
		if bullet(&n.item) {
			continue
		}
		n.item.Metadata.Confidence = Believe(n.item.Metadata.Confidence, Contradiction)
		n.item.Metadata.UpdatedAt = now
		b.put(n.item)
		b.audit(memory.AuditRecord{Op: memory.AuditConflict, Other: it.ID, Why: "contradicted: " + n.why}, &n.item, &s)
	}
	return out, nil
}

// oscillates reports whether saying a text again would be one return too many
// to what the chain of predecessors said, or the item is frozen already.
func (b *batch) oscillates(ctx context.Context, text string, last memory.Item) (bool, error) {
	if slices.Contains(last.Metadata.Tags, FrozenTag) {
		return true, nil
	}
	said := []string{normal(text), normal(last.Content)}
	returns := 0
	for it, n := last, 0; n < longestChain; n++ {
		if it.Relations.Supersedes == "" {
			break
		}
		before, err := b.get(ctx, it.Relations.Supersedes)
		if errors.Is(err, memory.ErrNotFound) {
			break
		}
		if err != nil {
			return false, err
		}
		said = append(said, normal(before.Content))
		it = before
	}
	for i := 0; i+2 < len(said); i++ {
		if said[i] == said[i+2] {
			returns++
		}
	}
	return returns >= oscillations, nil
}

// freeze leaves the current item as it is, marked, and asks.
func (b *batch) freeze(s Statement, it, current memory.Item) Outcome {
	why := "changed back and forth: it stays as it is until a person takes the tag " + FrozenTag + " away"
	out := Outcome{Action: Asked, Item: it, Why: why, Conflicts: []Conflict{{ID: current.ID, Content: current.Content, Relation: Contradicts, Why: why}}}
	if !slices.Contains(current.Metadata.Tags, FrozenTag) && !bullet(&current) {
		current.Metadata.Tags = union(slices.Clone(current.Metadata.Tags), []string{FrozenTag})
		current.Metadata.UpdatedAt = b.l.o.Now().UTC()
		b.put(current)
		b.audit(memory.AuditRecord{Op: memory.AuditConflict, Other: it.ID, Why: why}, &current, &s)
	}
	b.propose(memory.QuestionFrozen, it, current.ID, why)
	return out
}
