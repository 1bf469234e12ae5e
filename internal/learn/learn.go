// Package learn writes memory: every statement, wherever it comes from, passes
// the same steps before it becomes an item, and every decision is told to the
// audit trail with its reasons.
//
// It decides what is kept, what it replaces and how far it is believed. It does
// not notice statements (that is capture's work), it calls no model, and it
// knows neither files nor indexes, only a [memory.Store] and a way to find what
// is alike.
//
// Start with [Learner.Learn]; the steps stand in a file each: clean, gate,
// neighbours, classify, conflict, duplicate, confirm, supersede. [Rules] tells
// contradictions from repetitions without a model, and [Learner.Reconcile]
// holds items that are there already against each other.
package learn

import (
	"context"
	"errors"
	"time"

	"orihon/internal/redact"
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

// Action is what became of a statement.
type Action string

// The actions. Asked and Pending statements are not stored: they wait for a
// person, see [Options.Candidates].
const (
	Added      Action = "add"
	Updated    Action = "update"    // a new version of the caller's own item
	Confirmed  Action = "confirm"   // it was known already
	Merged     Action = "merge"     // known in nearly the same words, now in the better ones
	Superseded Action = "supersede" // added, and an older statement holds no longer
	Pending    Action = "pending"   // at odds with something that is known
	Asked      Action = "ask"       // the gate is not sure that it is worth keeping
	Skipped    Action = "skip"      // not worth keeping, or said in this session before
)

// Outcome is what became of a statement, with the item as it is now, or as it
// would be when the statement waits.
type Outcome struct {
	Action   Action
	Item     memory.Item
	Redacted []string // rules that found a secret in it
	Why      string   // for people

	// Replaced is the item that holds no longer; Conflicts are those at odds
	// with the statement, or perhaps so, that still stand.
	Replaced  *memory.Item
	Conflicts []Conflict
	// Promote is the next tier, when enough sessions have seen the item that a
	// person should decide on it.
	Promote memory.Tier
}

// Conflict is an item that a statement is at odds with.
type Conflict struct {
	ID       string
	Content  string
	Relation Relation
	Why      string
}

// Options of [New].
type Options struct {
	Store memory.Store // required
	// Find returns passages of the same scope that are alike; required for
	// [Learner.Learn] and [Learner.Reconcile].
	Find func(ctx context.Context, scope memory.Scope, text string) ([]Neighbour, error)
	// Audit records decisions; required.
	Audit func(ctx context.Context, d ...memory.AuditRecord) error
	// Candidates takes down what a person should decide on; nil leaves it to
	// the caller, who sees it in the outcome.
	Candidates func(ctx context.Context, q ...memory.Question) error
	// Classifier tells how statements stand to each other; nil is [Rules].
	Classifier Classifier
	Redactor   *redact.Redactor // nil applies all rules
	Now        func() time.Time // required
	NewID      func() string    // required
}

// Learner writes statements to a store.
type Learner struct{ o Options }

// New returns a learner.
func New(o *Options) *Learner {
	l := &Learner{o: *o}
	if l.o.Redactor == nil {
		l.o.Redactor = redact.New(nil)
	}
	return l
}

// Learn takes a statement through the steps: secrets out, worth keeping or not,
// conflicts with what is known settled or put before a person, what is known
// confirmed, what is new written. An error wraps [memory.ErrInvalid] when there
// is nothing to keep and [memory.ErrRefused] when there was nothing but a
// secret.
func (l *Learner) Learn(ctx context.Context, s Statement) (Outcome, error) {
	b := l.batch()
	out, err := b.learn(ctx, s)
	if err != nil {
		return out, err
	}
	return out, b.flush(ctx)
}

// learn decides about one statement; what it decides is written by
// [batch.flush].
func (b *batch) learn(ctx context.Context, s Statement) (Outcome, error) {
	s, rules, err := b.l.clean(s)
	if err != nil {
		return Outcome{Redacted: rules}, err
	}
	out, err := b.decide(ctx, s)
	out.Redacted = rules
	if err == nil {
		b.note(s, out)
	}
	return out, err
}

func (b *batch) decide(ctx context.Context, s Statement) (Outcome, error) {
	if s.ID != "" {
		return b.version(ctx, s)
	}
	it := b.l.item(s, "new")
	if err := it.Validate(); err != nil {
		return Outcome{}, err
	}
	said := b.read(s.Text)
	verdict := gate(s, said)
	near, err := b.neighbours(ctx, s, said)
	if err != nil {
		return Outcome{}, err
	}
	if out, done, err := b.conflicts(ctx, s, near, verdict); done || err != nil {
		return out, err
	}
	if out, done, err := b.duplicates(ctx, s, near, verdict); done || err != nil {
		return out, err
	}
	if verdict.Action != Added {
		return b.turnedAway(s, verdict), nil
	}
	return b.add(s, near, verdict.Why()), nil
}

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
