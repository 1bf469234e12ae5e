package learn

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"orihon/memory"
)

// duplicates settles a statement that says what is known: above 0.95 the known
// one is confirmed, from 0.90 on the better wording of the two is kept, from
// 0.80 on an update is proposed. It reports false when the statement is new, or
// so far new that it must be kept beside the known one: what the user states is
// never dropped.
func (b *batch) duplicates(s Statement, near []neighbour, v Verdict) (Outcome, bool) {
	i := slices.IndexFunc(near, func(n neighbour) bool { return n.relation == Duplicates })
	if i < 0 || near[i].similarity < mergeSimilarity {
		if k := slices.IndexFunc(near, func(n neighbour) bool { return n.restated }); k >= 0 && s.Source == memory.FromAgent {
			return b.restated(&near[k], s), true
		}
	}
	if i < 0 {
		return b.extends(s, near, v)
	}
	n := &near[i]
	switch {
	case n.similarity > sameSimilarity || bullet(&n.item) && n.similarity >= mergeSimilarity:
		return b.again(n.item, s, "said again"), true
	case n.similarity >= mergeSimilarity:
		return b.merge(n, s), true
	}
	if n.similarity >= confirmSimilarity {
		seen := n.item
		if b.confirm(&seen, s) {
			b.promote(&seen, s)
			b.put(seen)
			b.audit(memory.AuditRecord{Op: memory.AuditConfirm, Why: fmt.Sprintf("seen again, similarity %.2f", n.similarity)}, &seen, &s)
		}
	}
	if n.similarity < updateSimilarity || v.Action != Added {
		return Outcome{}, false
	}
	n.why = fmt.Sprintf("overlaps, similarity %.2f", n.similarity)
	if s.byUser() {
		n.relation = Extends // both wordings stay, and know of each other
		out := b.add(s, near, n.why)
		b.propose(memory.QuestionMerge, out.Item, n.item.ID, n.why)
		return out, true
	}
	return b.wait(s, n, memory.QuestionUpdate), true
}

// extends settles a machine's statement that says more about what is known: an
// update is proposed. The user's own stands beside what it extends, related to
// it: rewriting the older words would put new ones into the user's mouth, and
// both hold.
func (b *batch) extends(s Statement, near []neighbour, v Verdict) (Outcome, bool) {
	i := slices.IndexFunc(near, func(n neighbour) bool {
		return (n.relation == Extends || n.relation == Unknown && n.sameSubject) && n.similarity >= relateSimilarity
	})
	if i < 0 || s.byUser() || v.Action != Added || s.Source == memory.Imported && near[i].relation != Unknown {
		return Outcome{}, false
	}
	kind := memory.QuestionUpdate
	if near[i].relation == Unknown {
		kind = memory.QuestionConflict
	}
	return b.wait(s, &near[i], kind), true
}

// wait puts a statement before a person instead of storing it.
func (b *batch) wait(s Statement, n *neighbour, kind memory.QuestionKind) Outcome {
	out := Outcome{Action: Pending, Item: b.l.item(s, b.l.o.NewID()), Why: n.why, Conflicts: []Conflict{n.conflict()}}
	b.propose(kind, out.Item, n.item.ID, n.why)
	return out
}

// again confirms what was said before.
func (b *batch) again(it memory.Item, s Statement, why string) Outcome {
	if !b.confirm(&it, s) {
		return Outcome{Action: Skipped, Item: it, Why: "said in this session before"}
	}
	if from := it.Metadata.Source; s.byUser() && (from == memory.Imported || from == memory.FromRepository) && strings.EqualFold(strings.TrimSpace(it.Content), strings.TrimSpace(s.Text)) {
		it.Metadata.Source = memory.FromUser // a stranger brought it, and a person says it
	}
	// A repetition brings words along.
	it.Metadata.Tags = union(slices.Clone(it.Metadata.Tags), s.Tags)
	it.Triggers, it.Aliases = union(slices.Clone(it.Triggers), s.Triggers), union(slices.Clone(it.Aliases), s.Aliases)
	it.NeededWhen = union(slices.Clone(it.NeededWhen), s.NeededWhen)
	out := Outcome{Action: Confirmed, Why: why}
	out.Promote = b.promote(&it, s)
	out.Item = it
	b.put(it)
	return out
}

// merge keeps the wording that says more; the other one stays in the history of
// the item.
func (b *batch) merge(n *neighbour, s Statement) Outcome {
	out := b.again(n.item, s, fmt.Sprintf("nearly the same, similarity %.2f", n.similarity))
	if !s.byUser() && n.item.Metadata.Source == memory.FromUser || utf8.RuneCountInString(s.Text) <= utf8.RuneCountInString(n.item.Content) {
		return out
	}
	out.Action = Merged
	out.Item.Content = s.Text
	out.Item.Metadata.UpdatedAt = b.l.o.Now().UTC()
	b.put(out.Item)
	return out
}

// restated confirms an item that was said in other words. Its own stay; the others
// stand in the journal, where the evidence says.
func (b *batch) restated(n *neighbour, s Statement) Outcome {
	return b.again(n.item, s, "said before in other words")
}

// mostMerges is how many pairs of one group a person is asked about.
const mostMerges = 3

// perhapsKnown asks whether an item that was added says the same as one that another
// session left, or takes its place where it denies a word of it: who corrects a part
// of a long statement does not say it again.
func (b *batch) perhapsKnown(out *Outcome, near []neighbour, s Statement) {
	asked := 0
	for _, q := range b.proposals {
		if q.Kind == memory.QuestionMerge {
			asked++
		}
	}
	i := slices.IndexFunc(near, func(n neighbour) bool {
		return n.resembles && n.relation != Contradicts && (s.Session == "" || !saidIn(&n.item, s.Session))
	})
	if i >= 0 && asked < mostMerges && s.Source != memory.Imported && !bullet(&near[i].item) {
		kind, why := memory.QuestionMerge, "they may say the same in other words"
		if near[i].denied {
			kind, why = memory.QuestionConflict, "it denies a part of what is known"
		}
		b.propose(kind, out.Item, near[i].item.ID, why)
	}
}
