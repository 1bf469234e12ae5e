package learn

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"orihon/memory"
)

// Noticing takes what a user said by the way through the steps of
// [Learner.Learn], as far as they suit words that nobody asked to keep. A later
// one replaces an earlier one that it contradicts, and nothing else; what it
// only may be at odds with stays beside it without a question. Decisions are
// written by Flush. It is for one goroutine.
type Noticing struct{ b *batch }

// Noticing begins a group of statements, each of which sees the ones before it.
func (l *Learner) Noticing() *Noticing {
	b := l.batch()
	b.fresh = make(map[string][]string)
	return &Noticing{b}
}

// Manner is how something was said.
type Manner struct {
	P float64 // how likely it is worth keeping, 0..1
	// Sure is kept; what is not waits for a person.
	Sure bool
	by   string // who judged it, where that is not the reader
}

// Learn decides about a statement. Errors are those of [Learner.Learn].
func (n *Noticing) Learn(ctx context.Context, s Statement, how Manner) (Outcome, error) {
	s.Tags = union(slices.Clone(s.Tags), []string{memory.NoticedTag})
	return n.b.take(ctx, s, func(s Statement) (Outcome, error) { return n.b.noticed(ctx, s, how) })
}

// LearnSaid learns what an agent keeps of the user's words, see [Statement.Said]: it
// holds it worth keeping.
func (l *Learner) LearnSaid(ctx context.Context, s Statement) (Outcome, error) {
	n := l.Noticing()
	s.Evidence = union(slices.Clone(s.Evidence), []string{s.Said})
	out, err := n.Learn(ctx, s, Manner{P: 1, Sure: true, by: "the user said it by the way, and the agent holds it worth keeping"})
	if err != nil {
		return out, err
	}
	return out, n.Flush(ctx)
}

// Flush writes what was decided, all durable when it returns. Without it
// nothing is written.
func (n *Noticing) Flush(ctx context.Context) error { return n.b.flush(ctx) }

// Drop notes in the trail why something was not even learned.
func (n *Noticing) Drop(s Statement, why string) {
	it := n.b.l.item(s, n.b.l.o.NewID())
	n.b.audit(memory.AuditRecord{Op: memory.AuditSkip, Why: why}, &it, &s)
}

func (b *batch) noticed(ctx context.Context, s Statement, how Manner) (Outcome, error) {
	it := b.l.item(s, "new")
	if err := it.Validate(); err != nil {
		return Outcome{}, err
	}
	said := b.read(s.Text)
	verdict := how.verdict()
	near, err := b.neighbours(ctx, s, said)
	if err != nil {
		return Outcome{}, err
	}
	if i := slices.IndexFunc(near, func(n neighbour) bool { return n.relation == Duplicates && n.similarity >= mergeSimilarity }); i >= 0 {
		out := b.merge(&near[i], s)
		if out.Action == Skipped {
			// Known, and no news: but where it was said again is evidence, too.
			out.Item.Metadata.Evidence = union(slices.Clone(out.Item.Metadata.Evidence), s.Evidence)
			b.put(out.Item)
		}
		return out, nil
	}
	if i := slices.IndexFunc(near, func(n neighbour) bool { return n.restated }); i >= 0 {
		return b.restated(&near[i], s), nil
	}
	var against []neighbour
	for _, n := range near {
		if n.relation == Contradicts {
			against = append(against, n)
		}
	}
	if len(against) == 0 && verdict.Action == Added {
		n, ok, err := b.measure(ctx, s, said)
		if err != nil {
			return Outcome{}, err
		}
		if ok {
			against = append(against, n)
		}
	}
	switch {
	case len(against) > 0 && (verdict.Action != Added || !slices.Contains(against[0].item.Metadata.Tags, memory.NoticedTag)):
		return b.contest(s, against), nil
	case verdict.Action != Added:
		return b.turnedAway(s, verdict), nil
	case len(against) > 0 && how.by != "":
		// An agent writes contrasts down that look like another value: it says itself what
		// its words end.
		out := b.add(s, nil, verdict.Why())
		for i := range against {
			out.Conflicts = append(out.Conflicts, against[i].conflict())
		}
		return out, nil
	case len(against) > 0 && b.laterThan(&against[0].item):
		return Outcome{Action: Skipped, Item: it, Why: "said before what is known: " + against[0].why}, nil
	case len(against) > 0:
		return b.supersede(ctx, s, b.l.item(s, b.l.o.NewID()), against[:1])
	}
	more := slices.DeleteFunc(slices.Clone(near), func(n neighbour) bool { return n.relation != Extends })
	out := b.add(s, more, verdict.Why())
	b.perhapsKnown(&out, near, s)
	return out, nil
}

// verdict takes the place of the gate's points: the statement was judged by its
// words already.
func (m *Manner) verdict() Verdict {
	v := Verdict{Action: Asked, Score: m.P, Pass: fmt.Sprintf("said by the way, %.2f likely worth keeping", m.P)}
	if m.Sure {
		v.Action, v.Pass = Added, cmp.Or(m.by, v.Pass)
	}
	return v
}

// laterThan reports whether an item began to hold after a statement is made.
func (b *batch) laterThan(it *memory.Item) bool { return it.ValidFrom.After(b.l.o.Now()) }
