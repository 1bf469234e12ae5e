package window

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
)

// Variables a sub-process gets for its parent's journal.
const (
	JournalPathVar     = "PARENT_JOURNAL_PATH"
	JournalReadOnlyVar = "PARENT_JOURNAL_READONLY"
)

// JournalEnv is the environment of a sub-process that may read a journal: the
// given one, with PARENT_JOURNAL_PATH and PARENT_JOURNAL_READONLY=true in the
// place of what it said of them. Without a journal there is neither.
func JournalEnv(env []string, journal string) []string {
	var out []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if name != JournalPathVar && name != JournalReadOnlyVar {
			out = append(out, kv)
		}
	}
	if journal == "" {
		return out
	}
	return append(out, JournalPathVar+"="+journal, JournalReadOnlyVar+"=true")
}

// bounded takes at most max bytes and swallows the rest. The buffer is no
// embedded one: its ReadFrom would take all.
type bounded struct {
	buf  bytes.Buffer
	max  int
	over bool
	full func() // called when there is more; may be nil
}

func (b *bounded) Write(p []byte) (int, error) {
	room := max(0, b.max-b.buf.Len())
	if len(p) > room {
		b.over = true
		if b.full != nil {
			b.full()
		}
	}
	b.buf.Write(p[:min(len(p), room)])
	return len(p), nil
}

// readBounded reads a regular file of at most limit bytes.
func readBounded(path string, limit int) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > int64(limit) {
		return nil, fmt.Errorf("%s is no file of at most %d bytes", filepath.Base(path), limit)
	}
	return os.ReadFile(path)
}

func (o Options) defaultStrategy() Builder {
	if o.Fallback != nil {
		return o.Fallback
	}
	return newSliding(o)
}

// guarded asks a builder of somebody else's, and where that fails or breaks the
// rules the default strategy.
type guarded struct {
	name     string
	first    Builder
	fallback Builder
	log      *slog.Logger
	err      error // of the last Build
	told     bool
}

func withDefault(name string, first Builder, o Options) *guarded {
	g := &guarded{name: name, first: first, fallback: o.defaultStrategy(), log: o.Logger}
	if g.log == nil {
		g.log = slog.New(slog.DiscardHandler)
	}
	return g
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
	return g.fallback.Build(ctx, in)
}

// OnIterationComplete implements [Builder].
func (g *guarded) OnIterationComplete(ctx context.Context, in Input) error {
	return g.fallback.OnIterationComplete(ctx, in)
}

// OnPhaseComplete implements [Builder].
func (g *guarded) OnPhaseComplete(ctx context.Context, in Input, name string) error {
	return g.fallback.OnPhaseComplete(ctx, in, name)
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
