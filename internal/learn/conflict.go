package learn

import (
	"context"
	"slices"

	"orihon/memory"
)

// conflicts settles a statement that cannot hold together with what is known.
// The user's later word replaces the older one; anybody else's waits for a
// person, and never overwrites. It reports false when there is no conflict.
func (b *batch) conflicts(ctx context.Context, s Statement, near []neighbour, v Verdict) (Outcome, bool, error) {
	var against []neighbour
	for _, n := range near {
		if n.relation == Contradicts {
			against = append(against, n)
		}
	}
	if len(against) == 0 {
		return Outcome{}, false, nil
	}
	if !s.byUser() {
		if v.Action != Added {
			return b.turnedAway(s, v), true, nil
		}
		return b.contest(s, against), true, nil
	}
	// What contradicts one item may repeat another: then that one prevails.
	if i := slices.IndexFunc(near, func(n neighbour) bool { return n.relation == Duplicates && n.similarity > sameSimilarity }); i >= 0 {
		out, err := b.prevail(ctx, s, near[i].item, against)
		return out, true, err
	}
	out, err := b.supersede(ctx, s, b.l.item(s, b.l.o.NewID()), against)
	if err == nil && out.Action == Superseded {
		b.doubts(&out, near)
	}
	return out, true, err
}

// contest puts a statement of no person before one. Of the two the one that is
// believed less loses confidence; what the user stated never does.
func (b *batch) contest(s Statement, against []neighbour) Outcome {
	out := Outcome{Action: Pending, Item: b.l.item(s, b.l.o.NewID()), Why: against[0].why}
	lost := false
	for i := range against {
		n := &against[i]
		out.Conflicts = append(out.Conflicts, n.conflict())
		old := n.item
		if old.Metadata.Source == memory.FromUser || old.Metadata.Confidence >= out.Item.Metadata.Confidence || bullet(&old) {
			lost = true
			continue
		}
		old.Metadata.Confidence = Believe(old.Metadata.Confidence, Contradiction)
		old.Metadata.UpdatedAt = b.l.o.Now().UTC()
		b.put(old)
		b.audit(memory.AuditRecord{Op: memory.AuditConflict, Other: out.Item.ID, Why: "contradicted: " + n.why}, &old, &s)
	}
	if lost {
		out.Item.Metadata.Confidence = Believe(out.Item.Metadata.Confidence, Contradiction)
	}
	b.propose(memory.QuestionConflict, out.Item, against[0].item.ID, out.Why)
	return out
}

// prevail confirms an item that the user repeated, over those it contradicts.
func (b *batch) prevail(ctx context.Context, s Statement, it memory.Item, against []neighbour) (Outcome, error) {
	out := b.again(it, s, "said again")
	if out.Item.Relations.Supersedes != "" || bullet(&it) {
		for i := range against {
			out.Conflicts = append(out.Conflicts, against[i].conflict())
			b.propose(memory.QuestionConflict, out.Item, against[i].item.ID, against[i].why)
		}
		return out, nil
	}
	return b.supersede(ctx, s, out.Item, against)
}
