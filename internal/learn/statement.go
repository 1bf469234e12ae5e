package learn

import (
	"slices"

	"orihon/internal/terms"
	"orihon/memory"
)

// Statement is something somebody wants kept.
type Statement struct {
	Text     string // required
	Title    string
	Kind     memory.Kind  // empty is semantic
	Topic    memory.Topic // empty is fact
	Scope    memory.Scope // required
	Tags     []string
	Triggers []string
	Aliases  []string

	Source   memory.Source // empty is the user
	Session  string
	Evidence []string

	// Explicit says that a person asked for it to be kept, whoever hands it in;
	// what the user states is explicit anyway. The gate lets it pass.
	Explicit bool
	// Untrusted marks words of a web page or of a tool's output: believed up to
	// [memory.ImportedConfidence] until a person confirms them.
	Untrusted bool

	// ID names an item of the caller's own making, such as the episode of a
	// session: the same ID again is a new version of it, never a duplicate.
	ID string
	// Confidence and Tier follow from Source when zero.
	Confidence float64
	Tier       memory.Tier
}

// explicit reports whether a person asked for it.
func (s *Statement) explicit() bool { return s.Explicit || s.byUser() }

func (s *Statement) byUser() bool { return s.Source == memory.FromUser || s.Source == "" }

func (l *Learner) item(s Statement, id string) memory.Item {
	now := l.o.Now().UTC()
	it := memory.Item{
		ID: id, Kind: s.Kind, Topic: s.Topic, Title: s.Title, Content: s.Text, Scope: s.Scope, Tier: s.Tier,
		Triggers: s.Triggers, Aliases: s.Aliases, ValidFrom: now,
		Metadata: memory.Metadata{
			CreatedAt: now, UpdatedAt: now, Source: s.Source, Confidence: s.Confidence,
			Tags: s.Tags, Session: s.Session, Evidence: s.Evidence,
		},
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
		it.Metadata.Tags = union(it.Metadata.Tags, []string{untrustedTag})
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

// untrustedTag marks an item that came from a web page or a tool.
const untrustedTag = "untrusted"

func untrusted(it *memory.Item) bool {
	return it.Metadata.Source == memory.Imported || slices.Contains(it.Metadata.Tags, untrustedTag)
}

// warns reports whether a text names itself a pitfall.
func warns(text string) bool {
	return containsOf(terms.Fold(text), "pitfall", "gotcha", "陷阱", "坑")
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
