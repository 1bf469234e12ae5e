package learn

import (
	"context"
	"errors"

	"orihon/memory"
)

// turnedAway is the outcome of a statement that the gate did not let pass.
func (b *batch) turnedAway(s Statement, v Verdict) Outcome {
	out := Outcome{Action: v.Action, Item: b.l.item(s, b.l.o.NewID()), Why: v.Why()}
	if v.Action == Asked {
		b.propose(memory.QuestionKeep, out.Item, "", out.Why)
	}
	return out
}

// add makes a new item, related to those it says more about.
func (b *batch) add(s Statement, near []neighbour, why string) Outcome {
	out := Outcome{Action: Added, Item: b.l.item(s, b.l.o.NewID()), Why: why}
	for i := range near {
		switch n := &near[i]; n.relation {
		case Extends:
			if n.similarity < relateSimilarity {
				continue // too far apart to be brought in with it
			}
			out.Item.Relations.RelatedTo = union(out.Item.Relations.RelatedTo, []string{n.item.ID})
		case Unknown:
			// One question is enough: the most similar one.
			if n.sameSubject && len(out.Conflicts) == 0 {
				out.Conflicts = append(out.Conflicts, n.conflict())
				b.propose(memory.QuestionConflict, out.Item, n.item.ID, n.why)
			}
		}
	}
	b.put(out.Item)
	return out
}

// version makes a new version of the caller's own item.
func (b *batch) version(ctx context.Context, s Statement) (Outcome, error) {
	old, err := b.get(ctx, s.ID)
	if err != nil && !errors.Is(err, memory.ErrNotFound) {
		return Outcome{}, err
	}
	it := b.l.item(s, s.ID)
	out := Outcome{Action: Added, Item: it, Why: "stated by " + string(it.Metadata.Source)}
	if err == nil {
		out.Action, out.Item, out.Why = Updated, kept(it, old), "new version"
	}
	b.put(out.Item)
	return out, nil
}

// kept is a new version with what the old one had beyond the statement.
func kept(it, old memory.Item) memory.Item {
	m, o := &it.Metadata, &old.Metadata
	m.CreatedAt, it.ValidFrom = o.CreatedAt, old.ValidFrom
	m.Confirmations, m.AccessCount, m.LastAccessed = o.Confirmations, o.AccessCount, o.LastAccessed
	it.Relations, it.Audience, it.ValidTo = old.Relations, old.Audience, old.ValidTo
	if it.Title == "" {
		it.Title = old.Title
	}
	if len(m.Tags) == 0 {
		m.Tags = old.Metadata.Tags
	}
	if len(it.Triggers) == 0 {
		it.Triggers = old.Triggers
	}
	if len(it.Aliases) == 0 {
		it.Aliases = old.Aliases
	}
	return it
}
