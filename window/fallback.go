package window

import (
	"context"
	"fmt"
	"log/slog"
)

// guarded asks a builder of somebody else's, and where that fails or breaks the
// rules the default strategy.
type guarded struct {
	Builder // the default strategy
	name    string
	first   Builder
	log     *slog.Logger
	err     error // of the last Build
	told    bool
}

func withDefault(name string, first Builder, o Options) *guarded {
	g := &guarded{name: name, first: first, Builder: o.defaultStrategy(), log: o.Logger}
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	return g
}

func (o Options) defaultStrategy() Builder {
	if o.Fallback != nil {
		return o.Fallback
	}
	return newSliding(o)
}

// Build implements [Builder].
func (g *guarded) Build(ctx context.Context, in Input) ([]Placed, error) {
	messages, err := BuildPlaced(ctx, g.first, in)
	if g.err = err; err == nil {
		return messages, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	g.err = fmt.Errorf("strategy %s failed, the default one is used: %w", g.name, err)
	if !g.told {
		g.told = true
		g.log.Warn(g.err.Error())
	}
	return g.Builder.Build(ctx, in)
}

// Failure tells why the last Build of a builder was done by the default
// strategy: of custom and plugin. It is nil when it was not.
func Failure(b Builder) error {
	switch b := b.(type) {
	case *guarded:
		return b.err
	case *autoSummary:
		return Failure(b.Builder)
	}
	return nil
}
