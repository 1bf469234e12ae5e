package learn

import (
	"context"
	"errors"
	"slices"

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
		// What is too far apart is not to be brought in with it.
		if n := &near[i]; n.relation == Extends && n.similarity >= relateSimilarity {
			out.Item.Relations.RelatedTo = union(out.Item.Relations.RelatedTo, []string{n.item.ID})
		}
	}
	b.doubts(&out, near)
	b.put(out.Item)
	return out
}

// doubts asks a person about a statement of the same subject of which the rules cannot
// tell whether the new one ends it, unless something is asked already: one question is
// enough, the most similar one.
func (b *batch) doubts(out *Outcome, near []neighbour) {
	for i := range near {
		if n := &near[i]; n.relation == Unknown && n.sameSubject && len(out.Conflicts) == 0 {
			out.Conflicts = append(out.Conflicts, n.conflict())
			b.propose(memory.QuestionConflict, out.Item, n.item.ID, n.why)
		}
	}
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
		if s.At.IsZero() {
			it.Metadata.CreatedAt, it.ValidFrom = old.Metadata.CreatedAt, old.ValidFrom
		}
		out.Action, out.Item, out.Why = Updated, kept(it, old), "new version"
	}
	b.put(out.Item)
	return out, nil
}

func (l *Learner) item(s Statement, id string) memory.Item {
	now := l.o.Now().UTC()
	it := memory.Item{
		ID: id, Kind: s.Kind, Topic: s.Topic, Title: s.Title, Content: s.Text, Scope: s.Scope, Tier: s.Tier,
		Triggers: s.Triggers, Aliases: s.Aliases, NeededWhen: s.NeededWhen, ValidFrom: now,
		Metadata: memory.Metadata{
			CreatedAt: now, UpdatedAt: now, Source: s.Source, Confidence: s.Confidence,
			Tags: s.Tags, Session: s.Session, Evidence: s.Evidence,
		},
	}
	if !s.At.IsZero() {
		it.Metadata.CreatedAt, it.ValidFrom = s.At, s.At
	}
	pitfall := it.Topic == memory.Pitfall || it.Topic == "" && !s.byUser() && warns(s.Text)
	if it.Kind == "" {
		it.Kind = memory.Semantic
	}
	if it.Topic == "" && it.Kind == memory.Semantic {
		it.Topic = memory.Fact
		if pitfall {
			it.Topic = memory.Pitfall
		}
	}
	if it.Metadata.Source == "" {
		it.Metadata.Source = memory.FromUser
	}
	confidence, tier := believed(it.Metadata.Source, pitfall)
	if it.Metadata.Confidence == 0 {
		it.Metadata.Confidence = confidence
	}
	if it.Tier == "" {
		it.Tier = tier
	}
	if s.Untrusted && !s.byUser() {
		it.Metadata.Tags = union(it.Metadata.Tags, []string{memory.UntrustedTag})
	}
	if untrusted(&it) {
		it.Metadata.Confidence = min(it.Metadata.Confidence, memory.ImportedConfidence)
	}
	return it
}

// believed is how far a source is trusted at first.
func believed(s memory.Source, pitfall bool) (float64, memory.Tier) {
	switch s {
	case memory.FromUser:
		return memory.StatedConfidence, memory.Observed
	case memory.Imported:
		return memory.ImportedConfidence, memory.Provisional
	}
	if pitfall {
		return memory.InferredConfidence, memory.Observed
	}
	if s == memory.FromSystem {
		return memory.InferredConfidence, memory.Provisional
	}
	return memory.SingleConfidence, memory.Provisional
}

func untrusted(it *memory.Item) bool {
	return it.Metadata.Source == memory.Imported || slices.Contains(it.Metadata.Tags, memory.UntrustedTag)
}

func union(a, b []string) []string {
	have := make(map[string]bool, len(a))
	for _, t := range a {
		have[t] = true
	}
	for _, t := range b {
		if !have[t] {
			a, have[t] = append(a, t), true
		}
	}
	return a
}

// kept is a new version with what the old one had beyond the statement.
func kept(it, old memory.Item) memory.Item {
	m, o := &it.Metadata, &old.Metadata
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
	if len(it.NeededWhen) == 0 {
		it.NeededWhen = old.NeededWhen
	}
	return it
}
