package space

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"orihon/embed"
	"orihon/internal/sqlite"
	"orihon/memory"
)

// Reader returns an index that knows all that was remembered, or nil when
// there is no text at all: what the ledgers gained since the last sync is kept
// pending. An index that is missing or damaged is built anew, by a handle that
// only reads if that takes no time.
func (sp *Space) Reader(ctx context.Context) (memory.Index, error) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if sp.Empty() {
		return nil, nil
	}
	err := sp.openIndex(ctx, sp.readOnly)
	if err != nil && !sqlite.Damaged(err) && !sp.readOnly {
		err = sp.openIndex(ctx, true)
	}
	if err == nil {
		err = sp.catchUp(ctx)
	}
	if errors.Is(err, memory.ErrNotFound) || sqlite.Damaged(err) {
		sp.late = true
		if sp.readOnly && !sp.small() {
			return nil, err
		}
		if sp.index != nil {
			_, err = sp.rebuild(ctx)
		} else if err = sp.openIndex(ctx, false); err == nil {
			// To open one that cannot be read starts over, unless another
			// process is creating it at this moment.
			_, err = sp.syncLocked(ctx)
		}
	}
	if err != nil {
		return nil, err
	}
	return guarded{sp.index, sp}, nil
}

// guarded notes damage that only a search finds, for the next sync to mend.
type guarded struct {
	memory.Index
	sp *Space
}

// Search is the index's own, watched for damage. The vector of the prompt is
// made by the embedder whose vectors the index holds.
func (g guarded) Search(ctx context.Context, s memory.Search) (memory.Candidates, error) {
	c, unembedded, err := g.search(ctx, s)
	if sqlite.Damaged(err) || slices.ContainsFunc(c.Degraded, func(d string) bool { return d != memory.OtherEmbedder }) {
		err = errors.Join(err, g.sp.damaged())
	}
	if unembedded != nil && ctx.Err() == nil {
		level := slog.LevelWarn
		if errors.Is(unembedded, embed.ErrResting) || !g.sp.unembedded.due(g.sp.now()) {
			level = slog.LevelDebug
		}
		g.sp.log.Log(ctx, level, "recall: prompt not embedded", "space", g.sp.Name, "embedder", g.sp.vectors.ID(), "err", unembedded)
		c.Degraded = append(c.Degraded, NoVector)
	}
	return c, err
}

// Newest is the index's own, watched for damage.
func (g guarded) Newest(ctx context.Context, f memory.Filter, n int) ([]memory.Passage, error) {
	x, ok := g.Index.(memory.Recent)
	if !ok {
		return g.Fetch(ctx, f)
	}
	found, err := x.Newest(ctx, f, n)
	if sqlite.Damaged(err) {
		err = errors.Join(err, g.sp.damaged())
	}
	return found, err
}

// Spelled is the index's own, watched for damage.
func (g guarded) Spelled(ctx context.Context, words []string) (map[string]string, error) {
	x, ok := g.Index.(memory.Speller)
	if !ok {
		return nil, nil
	}
	found, err := x.Spelled(ctx, words)
	if sqlite.Damaged(err) {
		err = errors.Join(err, g.sp.damaged())
	}
	return found, err
}

func (g guarded) search(ctx context.Context, s memory.Search) (c memory.Candidates, unembedded, err error) {
	defer g.sp.vectors.hold()()
	unembedded = g.sp.embed(ctx, &s)
	c, err = g.Index.Search(ctx, s)
	return c, unembedded, err
}

// embed adds the vector of the prompt to a search.
func (sp *Space) embed(ctx context.Context, s *memory.Search) error {
	if s.Vector != nil || s.Text == "" {
		return nil
	}
	vector, err := sp.vectors.EmbedQuery(ctx, s.Text)
	if err != nil {
		return err
	}
	s.Vector = vector
	return nil
}
