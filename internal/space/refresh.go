package space

import (
	"context"
	"errors"
	"fmt"

	"orihon/embed"
	"orihon/internal/jsonl"
	"orihon/internal/sqlite"
	"orihon/memory"
)

// Refresh gives the index the vectors it should have: of the configured
// embedder, or, where none is configured, of the built-in one. Searches go on with the
// old vectors meanwhile; what an ended process has begun the next one finishes. It never holds the space's lock for long, and returns
// at once when another process is at it. An index that turns out to be damaged
// is built anew: a sync reads what changed, and does not see such.
func (sp *Space) Refresh(ctx context.Context) error {
	err := sp.revector(ctx)
	if !sqlite.Damaged(err) {
		return err
	}
	sp.log.Warn("index is rebuilt", "path", sp.IndexPath(), "why", err)
	sp.mu.Lock()
	_, err = sp.rebuild(ctx)
	sp.mu.Unlock()
	if err != nil {
		return err
	}
	return sp.revector(ctx)
}

// revector is Refresh of an index that is whole.
func (sp *Space) revector(ctx context.Context) error {
	if sp.readOnly {
		return nil
	}
	sp.mu.Lock()
	x := sp.index
	var err error
	if x != nil {
		err = sp.serve(ctx)
	}
	sp.mu.Unlock()
	if x == nil || err != nil {
		return err
	}
	unlock, free, err := jsonl.TryLock(sp.modelLockPath())
	if err != nil || !free {
		return err
	}
	defer unlock()
	want, err := sp.due()
	if err != nil {
		return fmt.Errorf("vectors of the %s memory: %w", sp.Name, err)
	}
	if err = x.Reembed(ctx, want, nil); errors.Is(err, memory.ErrBusy) {
		err = nil
	}
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if err == nil && sp.index == x { // else it was closed, or built anew
		var state memory.Embedding
		if state, err = x.Embedding(ctx); err == nil {
			if state.Serving == want.ID() {
				sp.vectors.replace(want)
			} else {
				sp.vectors.use(state.Serving)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("vectors of the %s memory: %w", sp.Name, err)
	}
	return nil
}

// due returns the embedder whose vectors the index should hold; it may be the
// serving one.
func (sp *Space) due() (memory.Embedder, error) {
	want, err := sp.vectors.configured()
	if err == nil && want == nil {
		want = embed.NewTable()
	}
	return want, err
}
