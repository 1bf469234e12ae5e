package space

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"orihon/embed"
	"orihon/internal/jsonl"
	"orihon/internal/sqlite"
	"orihon/memory"
)

// IndexPath is the file of the index.
func (sp *Space) IndexPath() string { return filepath.Join(sp.Dir.Index(), "index.db") }

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

func (sp *Space) openIndex(ctx context.Context, readOnly bool) error {
	if sp.index != nil {
		return sp.serve(ctx)
	}
	if !readOnly {
		for _, path := range []string{sp.damagePath(), sp.scopePath(), sp.SyncLockPath()} {
			if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
				if err := takeAway(path); err != nil {
					return err
				}
			}
		}
	}
	if whose, err := jsonl.ReadFile(sp.scopePath()); err == nil && string(whose) != string(sp.scope()) {
		if readOnly {
			return fmt.Errorf("index %s: %w: it was built for %s", sp.IndexPath(), memory.ErrStale, whose)
		}
		if err := sp.discard(); err != nil {
			return err
		}
	}
	x, err := sqlite.Open(ctx, sp.IndexPath(), &sqlite.Options{Embedder: sp.vectors, ReadOnly: readOnly, Logger: sp.log})
	if err != nil {
		return err
	}
	sp.index = x
	// What stands beside it is moved aside by a sync.
	sp.late = sp.late || x.Frozen() && sqlite.Blocked(sp.IndexPath()) != nil
	sp.serveAs(x.Opened())
	return nil
}

// small reports whether a first index can be built while a prompt waits.
func (sp *Space) small() bool {
	const most = 256 << 10
	var size int64
	err := filepath.WalkDir(string(sp.Dir.Memory()), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		if size > most {
			return fs.SkipAll
		}
		return nil
	})
	return err == nil && size <= most
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
	x, ok := g.Index.(*sqlite.Index)
	if !ok {
		return g.Fetch(ctx, f)
	}
	found, err := x.Newest(ctx, f, n)
	if sqlite.Damaged(err) {
		err = errors.Join(err, g.sp.damaged())
	}
	return found, err
}

// damaged notes that the index is thought to be damaged.
func (sp *Space) damaged() error {
	sp.mu.Lock()
	sp.late = true
	sp.mu.Unlock()
	return jsonl.Place(sp.damagePath(), nil)
}

func (g guarded) search(ctx context.Context, s memory.Search) (c memory.Candidates, unembedded, err error) {
	defer g.sp.vectors.hold()()
	unembedded = g.sp.embed(ctx, &s)
	c, err = g.Index.Search(ctx, s)
	return c, unembedded, err
}

// damagePath is a file that is there while the index is thought to be damaged.
func (sp *Space) damagePath() string { return sp.IndexPath() + ".damaged" }

// scopePath is a file that says whose index it is: the folder of a text decides
// its scope, and a user may be called differently tomorrow.
func (sp *Space) scopePath() string { return sp.IndexPath() + ".scope" }

// rebuild throws the index away and builds it from the text.
func (sp *Space) rebuild(ctx context.Context) (Synced, error) {
	if err := sp.discard(); err != nil {
		return Synced{}, err
	}
	if err := sp.openIndex(ctx, false); err != nil {
		return Synced{}, err
	}
	return sp.syncLocked(ctx)
}

// discard removes the index, which is derived.
func (sp *Space) discard() error {
	if sp.index != nil {
		// What cannot be closed is removed all the same.
		_ = sp.index.Close()
		sp.index = nil
	}
	if err := sqlite.Delete(sp.IndexPath(), sp.log); err != nil {
		return err
	}
	for _, path := range []string{sp.damagePath(), sp.scopePath()} {
		if err := takeAway(path); err != nil {
			return err
		}
	}
	return sp.vectors.forget()
}

// takeAway removes a file of ours; what is none is moved aside.
func takeAway(path string) error {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		_, err = jsonl.Aside(path)
	} else if err == nil {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
