// Package learn writes memory: every statement, wherever it comes from, passes
// the same steps before it becomes an item, and every decision is told to the
// audit trail with its reasons.
//
// It decides what is kept, what it replaces and how far it is believed. It does
// not notice statements (that is capture's work), it calls no model, and it
// knows neither files nor indexes, only a [memory.Store] and a way to find what
// is alike.
//
// Start with [Learner.Learn]; its steps stand in a file each: clean, gate,
// classify, conflict, duplicate, add, confirm, supersede. Rules tell
// contradictions from repetitions without a model, and [Learner.Reconcile]
// holds items that are there already against each other.
package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"orihon/internal/redact"
	"orihon/memory"
)

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
	Scope    memory.Scope // of the item: of another one than the statement's, the two hold side by side
}

// Options of [New].
type Options struct {
	Store memory.Store // required
	// Find returns passages of the same scope that are alike; required for
	// [Learner.Learn] and [Learner.Reconcile].
	Find func(ctx context.Context, scope memory.Scope, text string) ([]Neighbour, error)
	// Beside names the scopes whose items a statement of a scope is held against, too:
	// what it is at odds with there is told and never ended. nil is none.
	Beside func(memory.Scope) []memory.Scope
	// Related tells how a statement stands to an older item of which the rules
	// cannot tell; nil, or [Unknown], leaves it at that.
	Related func(older *memory.Item, newer string) Relation
	// Judged says who has read what the statements were said with, and holds them
	// worth keeping: that takes the place of the gate's points, which see their words
	// alone. Empty leaves it to the points.
	Judged string
	// Submit puts those of the items that are shared before management which wait
	// for it, and returns the others; nil lets all pass.
	Submit func(ctx context.Context, items []memory.Item) (rest []memory.Item, err error)
	// Audit records decisions; required.
	Audit func(ctx context.Context, d ...memory.AuditRecord) error
	// Candidates takes down what a person should decide on; nil leaves it to
	// the caller, who sees it in the outcome.
	Candidates func(ctx context.Context, q ...memory.Question) error
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

// groupSize is how many items one write of [Learner.LearnAll] takes at most.
const groupSize = 256

// mostNeighbours is how many neighbours a statement is held against.
const mostNeighbours = 10

// LearnAll takes many statements through the steps of [Learner.Learn], in their
// order, each seeing what the ones before it did, and writes in groups. What
// cannot be kept (empty, nothing but a secret) has an outcome without an action
// and does not stop the others; the error then joins theirs, each with its
// number from 1. After any other error the outcomes are those of the statements
// that were decided about, the last group of them perhaps unwritten.
func (l *Learner) LearnAll(ctx context.Context, all []Statement) ([]Outcome, error) {
	b := l.batch()
	b.fresh = make(map[string][]string)
	out := make([]Outcome, 0, len(all))
	var refused []error
	for i, s := range all {
		o, err := b.learn(ctx, s)
		switch {
		case Refused(err):
			refused = append(refused, fmt.Errorf("statement %d: %w", i+1, err))
		case err != nil:
			return out, errors.Join(fmt.Errorf("statement %d: %w", i+1, err), b.flush(ctx))
		}
		out = append(out, o)
		if len(b.order) >= groupSize {
			if err := b.flush(ctx); err != nil {
				return out, err
			}
		}
	}
	return out, errors.Join(append(refused, b.flush(ctx))...)
}

// Refused reports whether an error of [Learner.Learn] is about its statement
// alone.
func Refused(err error) bool {
	return errors.Is(err, memory.ErrInvalid) || errors.Is(err, memory.ErrRefused)
}

// learn decides about one statement; what it decides is written by
// [batch.flush].
func (b *batch) learn(ctx context.Context, s Statement) (Outcome, error) {
	s.Tags = slices.DeleteFunc(slices.Clone(s.Tags), func(t string) bool { return t == memory.NoticedTag }) // not theirs to claim
	return b.take(ctx, s, func(s Statement) (Outcome, error) { return b.decide(ctx, s) })
}

// take lets decide judge a statement that has no secrets any more, and notes what
// it decided.
func (b *batch) take(ctx context.Context, s Statement, decide func(Statement) (Outcome, error)) (Outcome, error) {
	s, rules, err := b.l.clean(s)
	if err != nil {
		return Outcome{Redacted: rules}, err
	}
	out, err := decide(s)
	out.Redacted = rules
	if err == nil && out.Action.stores() {
		var beside []Conflict
		beside, err = b.beside(ctx, s)
		out.Conflicts = append(out.Conflicts, beside...)
	}
	if err == nil {
		b.note(s, out)
	}
	return out, err
}

// stores reports whether a statement of which this became stands in memory.
func (a Action) stores() bool { return a != Pending && a != Asked && a != Skipped }

// beside are the items of other scopes that a statement is at odds with.
func (b *batch) beside(ctx context.Context, s Statement) (out []Conflict, err error) {
	if b.l.o.Beside == nil {
		return nil, nil
	}
	for _, scope := range b.l.o.Beside(s.Scope) {
		other := s
		other.Scope = scope
		near, err := b.neighbours(ctx, other, b.read(s.Text))
		if err != nil {
			return nil, err
		}
		for i := range near {
			if near[i].relation == Contradicts {
				out = append(out, near[i].conflict())
			}
		}
	}
	return out, nil
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
	if b.l.o.Judged != "" && verdict.Action != Added {
		verdict.Action, verdict.Pass = Added, b.l.o.Judged
	}
	near, err := b.neighbours(ctx, s, said)
	if err != nil {
		return Outcome{}, err
	}
	if out, done, err := b.conflicts(ctx, s, near, verdict); done || err != nil {
		return out, err
	}
	if out, done := b.duplicates(s, near, verdict); done {
		return out, nil
	}
	if verdict.Action != Added {
		return b.turnedAway(s, verdict), nil
	}
	out := b.add(s, near, verdict.Why())
	b.perhapsKnown(&out, near, s)
	return out, nil
}

// neighbours are the current items of the scope that a statement is held
// against, the most similar first, classified. An index that fails must not
// lose a statement: then there are only those of the batch.
func (b *batch) neighbours(ctx context.Context, s Statement, said *reading) ([]neighbour, error) {
	if s.Kind == memory.Episodic || s.Kind == memory.Note {
		return nil, nil // what happened does not stop having happened
	}
	found, err := b.l.o.Find(ctx, s.Scope, s.Text)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		found = nil
	}
	var near []neighbour
	seen := make(map[string]bool)
	look := func(it *memory.Item, given float64) {
		if seen[it.ID] || !comparable(it, s.Scope) {
			return
		}
		seen[it.ID] = true
		n := neighbour{item: *it, read: b.read(it.Content), similarity: given}
		if given <= 0 {
			n.similarity = similarity(n.read, said)
		}
		near = append(near, n)
	}
	for i := range found {
		p := &found[i]
		if p.Conversation() || p.Retired || p.SupersededBy != "" {
			continue
		}
		look(&p.Item, p.Similarity)
	}
	for _, id := range b.alike(s.Scope, s.Text) {
		it := b.items[id]
		look(&it, 0)
	}
	slices.SortStableFunc(near, func(a, b neighbour) int { return cmp.Compare(b.similarity, a.similarity) })
	near = near[:min(len(near), mostNeighbours)]
	return b.classify(ctx, s.Text, said, near)
}

// classify says how the statement stands to each neighbour, and leaves out
// those it has nothing to do with. The store is the truth: an index may lag
// behind it.
func (b *batch) classify(ctx context.Context, text string, said *reading, near []neighbour) ([]neighbour, error) {
	now := b.l.o.Now()
	out := near[:0]
	for _, n := range near {
		if n.relate(said); n.nothing() {
			continue
		}
		it, err := b.get(ctx, n.item.ID)
		if err != nil || !it.ValidTo.IsZero() && !it.ValidTo.After(now) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue // forgotten or replaced since
		}
		if it.Content != n.item.Content {
			n.read = b.read(it.Content)
			n.similarity = similarity(n.read, said)
			n.relate(said)
		}
		n.item = it
		if n.doubtful() && b.l.o.Related != nil {
			n.settle(b.l.o.Related(&n.item, text))
		}
		if n.relation != Unrelated || n.restated || n.resembles {
			out = append(out, n)
		}
	}
	return out, nil
}

// flush writes what was decided, all durable when it returns.
func (b *batch) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	items := make([]memory.Item, len(b.order))
	shared := false
	for i, id := range b.order {
		items[i] = b.items[id]
		shared = shared || items[i].Scope == memory.Shared
	}
	if shared && b.l.o.Submit != nil {
		var err error
		if items, err = b.l.o.Submit(ctx, items); err != nil {
			return err
		}
	}
	if len(items) > 0 {
		if err := b.l.o.Store.Put(ctx, items...); err != nil {
			return err
		}
	}
	if len(b.decisions) > 0 {
		if err := b.l.o.Audit(ctx, b.decisions...); err != nil {
			return err
		}
	}
	if len(b.proposals) > 0 && b.l.o.Candidates != nil {
		if err := b.l.o.Candidates(ctx, b.proposals...); err != nil {
			return fmt.Errorf("candidates: %w", err)
		}
	}
	b.order, b.decisions, b.proposals = nil, nil, nil
	return nil
}
