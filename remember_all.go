package orihon

import (
	"context"
	"errors"
	"fmt"

	"orihon/internal/learn"
	"orihon/memory"
)

// RememberAll is [Memory.Remember] for many statements of one scope, in their
// order: each sees what the ones before it did, and they are written in groups.
// What cannot be kept has an outcome without an action and does not stop the
// others; the error joins what was wrong with them. An empty scope in all of
// them is the user's own in this project.
func (m *Memory) RememberAll(ctx context.Context, all []Statement) ([]Outcome, error) {
	if len(all) == 0 {
		return nil, nil
	}
	scope := all[0].Scope
	said := make([]Statement, len(all))
	for i, s := range all {
		if s.Scope != scope {
			return nil, fmt.Errorf("statement %d: %w scope %q: all must have the same, %q", i+1, memory.ErrInvalid, s.Scope, scope)
		}
		said[i] = s
	}
	if scope == "" {
		scope = memory.Personal(m.user)
	}
	for i := range said {
		said[i].Scope = scope
	}
	if _, err := memory.ParseScope(string(scope)); err != nil {
		return nil, err
	}
	if _, err := m.spaceOf(scope); err != nil {
		return nil, err
	}
	if err := m.register(ctx); err != nil {
		return nil, err
	}
	sp, err := m.spaceOf(scope)
	if err != nil {
		return nil, err
	}
	out, err := m.rememberIn(ctx, sp, scope, said)
	for i := range out {
		m.pends(ctx, &out[i])
	}
	if !m.readOnly {
		if ferr := sp.follow(ctx, scope); ferr != nil {
			m.log.Warn("remember: the index lags behind", "err", ferr)
		}
	}
	return out, err
}

// rememberIn decides about the statements in one turn.
func (m *Memory) rememberIn(ctx context.Context, sp *space, scope memory.Scope, said []Statement) ([]Outcome, error) {
	unlock, err := sp.turn(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	find, err := sp.alikeNow(ctx, scope)
	if err != nil {
		if ctx.Err() != nil {
			return nil, errors.Join(err, ctx.Err())
		}
		// An index that fails must not lose a statement.
		find = func(context.Context, memory.Scope, string) ([]learn.Neighbour, error) { return nil, nil }
	}
	return m.learner(sp, find).LearnAll(ctx, said)
}
