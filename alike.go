package orihon

import (
	"context"

	"orihon/internal/learn"
	"orihon/internal/terms"
	"orihon/memory"
)

// alike finds passages that may speak of the same as a text: those that share
// its words, and those that name an alternative to what it names.
func (sp *space) alike(ctx context.Context, scope memory.Scope, text string) ([]learn.Neighbour, error) {
	if !scope.Private() && !sp.readOnly {
		if err := sp.follow(ctx, scope); err != nil {
			return nil, err
		}
	}
	x, err := sp.reader(ctx)
	if err != nil || x == nil {
		return nil, err
	}
	return alike(ctx, x, scope, text)
}

// alikeNow is alike over what is known now: for many statements at once, which
// know of each other anyway, so that the index need not look after each write
// what is new.
func (sp *space) alikeNow(ctx context.Context, scope memory.Scope) (func(context.Context, memory.Scope, string) ([]learn.Neighbour, error), error) {
	if !scope.Private() && !sp.readOnly {
		if err := sp.follow(ctx, scope); err != nil {
			return nil, err
		}
	}
	x, err := sp.reader(ctx)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, scope memory.Scope, text string) ([]learn.Neighbour, error) {
		if x == nil {
			return nil, nil
		}
		return alike(ctx, x, scope, text)
	}, nil
}

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
