package verbs

import (
	"context"
	"fmt"

	"orihon/internal/capture"
	"orihon/internal/learn"
	"orihon/internal/space"
	"orihon/memory"
)

// Remember keeps a statement: secrets are taken out, what is known already is
// confirmed instead of doubled, what the user said otherwise before holds no
// longer, and the item is durable when it returns. Whoever else contradicts
// what is known, or says what may not be worth keeping, gets an outcome that
// asks, and nothing is stored. An empty scope is the user's own in this
// project; an empty topic of the user's words is the one they show.
func (v *Verbs) Remember(ctx context.Context, s learn.Statement) (learn.Outcome, error) {
	return v.RememberThrough(ctx, s, func(st memory.Store) memory.Store { return st })
}

// RememberThrough is Remember by way of what a function makes of the store.
func (v *Verbs) RememberThrough(ctx context.Context, s learn.Statement, wrap func(memory.Store) memory.Store) (learn.Outcome, error) {
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
	o := v.Learning(sp, lookup(sp))
	o.Store = wrap(o.Store)
	out, err := learn.New(o).Learn(ctx, s)
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
		Store: v.Reviewed(sp), Find: find, Redactor: v.Redactor, Now: v.Now, NewID: v.NewID,
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

// pends says of a statement that it waits, when it does.
func (v *Verbs) pends(ctx context.Context, out *learn.Outcome) {
	switch out.Action {
	case learn.Added, learn.Updated, learn.Superseded, learn.Merged:
		if v.Waits(ctx, &out.Item) {
			out.Action, out.Why = learn.Pending, "a shared "+string(out.Item.Topic)+" waits until management approves it: orihon review"
		}
	}
}
