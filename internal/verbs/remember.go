package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"orihon/internal/capture"
	"orihon/internal/learn"
	"orihon/internal/space"
	"orihon/internal/terms"
	"orihon/memory"
)

// Remember keeps a statement: secrets are taken out, what is known already is
// confirmed instead of doubled, what the user said otherwise before holds no
// longer, and the item is durable when it returns. Whoever else contradicts
// what is known, or says what may not be worth keeping, gets an outcome that
// asks, and nothing is stored. An empty scope is the user's own in this
// project; an empty topic of the user's words is the one they show.
func (v *Verbs) Remember(ctx context.Context, s learn.Statement) (learn.Outcome, error) {
	if s.Topic == "" && s.Kind == "" && (s.Source == "" || s.Source == memory.FromUser) {
		s.Topic = capture.Topic(s.Text)
	}
	sp, err := v.writable(ctx, &s.Scope)
	if err != nil {
		return learn.Outcome{}, err
	}
	unlock, err := sp.Turn(ctx)
	if err != nil {
		return learn.Outcome{}, err
	}
	learner := learn.New(v.Learning(sp, lookup(sp, s.Scope)))
	learn := learner.Learn
	if s.Said != "" {
		learn = learner.LearnSaid
	}
	out, err := learn(ctx, s)
	unlock()
	if err != nil {
		return out, err
	}
	v.pends(ctx, &out)
	v.follow(ctx, sp, s.Scope)
	return out, nil
}

// RememberAll is [Verbs.Remember] for many statements of one scope, in their
// order: each sees what the ones before it did, and they are written in groups.
// What cannot be kept has an outcome without an action and does not stop the
// others; the error joins what was wrong with them. An empty scope in all of
// them is the user's own in this project.
func (v *Verbs) RememberAll(ctx context.Context, all []learn.Statement) ([]learn.Outcome, error) {
	if len(all) == 0 {
		return nil, nil
	}
	scope := all[0].Scope
	for i, s := range all {
		if s.Scope != scope {
			return nil, fmt.Errorf("statement %d: %w scope %q: all must have the same, %q", i+1, memory.ErrInvalid, s.Scope, scope)
		}
	}
	sp, err := v.writable(ctx, &scope)
	if err != nil {
		return nil, err
	}
	said := make([]learn.Statement, len(all))
	for i, s := range all {
		s.Scope = scope
		said[i] = s
	}
	out, err := v.rememberIn(ctx, sp, scope, said)
	for i := range out {
		v.pends(ctx, &out[i])
	}
	v.follow(ctx, sp, scope)
	return out, err
}

// rememberIn decides about the statements in one turn.
func (v *Verbs) rememberIn(ctx context.Context, sp *space.Space, scope memory.Scope, said []learn.Statement) ([]learn.Outcome, error) {
	unlock, err := sp.Turn(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	find, err := LookupNow(ctx, sp, scope)
	if err != nil {
		return nil, err
	}
	return learn.New(v.Learning(sp, find)).LearnAll(ctx, said)
}

// writable finds the space of a scope, the user's own in this project for an
// empty one, and makes the project known.
func (v *Verbs) writable(ctx context.Context, scope *memory.Scope) (*space.Space, error) {
	if *scope == "" {
		*scope = memory.Personal(v.User)
	}
	if _, err := memory.ParseScope(string(*scope)); err != nil {
		return nil, err
	}
	sp, err := v.SpaceOf(*scope)
	if err != nil {
		return nil, err
	}
	return sp, v.Register(ctx)
}

// follow brings the index up to date after a write. The text has it: an index
// that cannot follow now will at the next sync.
func (v *Verbs) follow(ctx context.Context, sp *space.Space, scope memory.Scope) {
	if v.ReadOnly {
		return
	}
	if err := sp.Follow(ctx, scope); err != nil {
		v.Log.Warn("remember: the index lags behind", "err", err)
	}
}

// Learning is how statements are learned into a space; find gives what may speak
// of the same.
func (v *Verbs) Learning(sp *space.Space, find Lookup) *learn.Options {
	return &learn.Options{
		Store: sp.Text.Store, Find: find, Beside: v.beside, Redactor: v.Redactor, Now: v.Now, NewID: v.NewID,
		Submit: func(ctx context.Context, items []memory.Item) ([]memory.Item, error) {
			return v.Submit(ctx, sp.Text, items)
		},
		Audit: sp.Text.Audit,
		Candidates: func(ctx context.Context, asked ...memory.Question) error {
			for i := range asked {
				asked[i].Session = asked[i].Item.Metadata.Session
			}
			_, err := sp.Text.Propose(ctx, asked...)
			return err
		},
	}
}

// beside are the scopes in which something else may hold than what is said in one: of the
// user's own words in a project what the team shares, and the other way round.
func (v *Verbs) beside(scope memory.Scope) []memory.Scope {
	switch own := memory.Personal(v.User); scope {
	case own:
		return []memory.Scope{memory.Shared}
	case memory.Shared:
		return []memory.Scope{own}
	}
	return nil
}

// pends says of a statement that it waits, when it does.
func (v *Verbs) pends(ctx context.Context, out *learn.Outcome) {
	switch out.Action {
	case learn.Added, learn.Updated, learn.Superseded, learn.Merged:
		if v.Waits(ctx, &out.Item) {
			out.Action, out.Why = learn.Pending, "a shared "+string(out.Item.Topic)+" waits until management approves it: orihon review"
		}
	}
}

// Lookup finds passages of a scope that may speak of the same as a text.
type Lookup = func(ctx context.Context, scope memory.Scope, text string) ([]learn.Neighbour, error)

// lookup asks the index of a space as it is at each question about a scope. What is held
// against scopes besides the own one does not wait for what others write there; an empty
// own is each that is asked about.
func lookup(sp *space.Space, own memory.Scope) Lookup {
	return func(ctx context.Context, scope memory.Scope, text string) ([]learn.Neighbour, error) {
		x, err := fresh(ctx, sp, cmp.Or(own, scope))
		if err != nil || x == nil {
			return nil, err
		}
		return alike(ctx, x, scope, text)
	}
}

// LookupNow asks over what is known now: for many statements at once, which know
// of each other anyway, so that the index need not look after each write what is
// new. An index that fails finds nothing: it must not lose a statement.
func LookupNow(ctx context.Context, sp *space.Space, scope memory.Scope) (Lookup, error) {
	x, err := fresh(ctx, sp, scope)
	if err != nil && ctx.Err() != nil {
		return nil, errors.Join(err, ctx.Err())
	}
	return func(ctx context.Context, scope memory.Scope, text string) ([]learn.Neighbour, error) {
		if x == nil {
			return nil, nil
		}
		return alike(ctx, x, scope, text)
	}, nil
}

// fresh is the index of a space, nil when there is no text at all. What others
// may have written to a shared scope is read first.
func fresh(ctx context.Context, sp *space.Space, scope memory.Scope) (memory.Index, error) {
	if !scope.Private() && !sp.ReadOnly() {
		if err := sp.Follow(ctx, scope); err != nil {
			return nil, err
		}
	}
	return sp.Reader(ctx)
}

// alike finds the passages that share words with a text, and those that name an
// alternative to what it names.
func alike(ctx context.Context, x memory.Index, scope memory.Scope, text string) ([]learn.Neighbour, error) {
	const most = 20
	var out []learn.Neighbour
	for _, words := range [][]string{terms.Query(text), learn.Probes(text)} {
		if len(words) == 0 {
			continue
		}
		c, err := x.Search(ctx, memory.Search{Terms: words, Filter: memory.Filter{Scopes: []memory.Scope{scope}, NoTurns: true}, Limit: most})
		if err != nil {
			return nil, err
		}
		for i := range c.Hits {
			// What nobody has accepted neither ends nor stands for what is said here.
			if c.Hits[i].Passage.Item.Metadata.Source != memory.FromRepository {
				out = append(out, learn.Neighbour{Passage: c.Hits[i].Passage})
			}
		}
	}
	return out, nil
}
