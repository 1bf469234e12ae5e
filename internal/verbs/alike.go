package verbs

import (
	"context"
	"errors"

	"orihon/internal/learn"
	"orihon/internal/space"
	"orihon/internal/terms"
	"orihon/memory"
)

// Lookup finds passages of a scope that may speak of the same as a text.
type Lookup = func(ctx context.Context, scope memory.Scope, text string) ([]learn.Neighbour, error)

// lookup asks the index of a space as it is at each question.
func lookup(sp *space.Space) Lookup {
	return func(ctx context.Context, scope memory.Scope, text string) ([]learn.Neighbour, error) {
		x, err := fresh(ctx, sp, scope)
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
