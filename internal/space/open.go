package space

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"orihon/embed"
	"orihon/internal/jsonl"
	"orihon/internal/sqlite"
	"orihon/memory"
)

func (sp *Space) openIndex(ctx context.Context, readOnly bool) error {
	if sp.index != nil {
		return sp.serve(ctx)
	}
	sp.complete = false
	if sp.given != nil {
		sp.index = sp.given
		return nil
	}
	if !readOnly {
		for _, path := range []string{sp.damagePath(), sp.scopePath(), sp.sharedPath(), sp.SyncLockPath()} {
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

// discard removes the index, which is derived.
func (sp *Space) discard() error {
	if sp.given != nil {
		return nil
	}
	if sp.index != nil {
		// What cannot be closed is removed all the same.
		_ = sp.index.Close()
		sp.index = nil
	}
	if err := sqlite.Delete(sp.IndexPath(), sp.log); err != nil {
		return err
	}
	for _, path := range []string{sp.damagePath(), sp.scopePath(), sp.sharedPath()} {
		if err := takeAway(path); err != nil {
			return err
		}
	}
	sp.vectors.use(embed.NewTable().ID())
	return nil
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

// damaged notes that the index is thought to be damaged.
func (sp *Space) damaged() error {
	sp.mu.Lock()
	sp.late = true
	sp.mu.Unlock()
	return jsonl.Place(sp.damagePath(), nil)
}

// serve lets the embedder serve whose vectors the index holds; the caller holds
// mu. Another process may have changed it.
func (sp *Space) serve(ctx context.Context) error {
	state, err := sp.index.Embedding(ctx)
	if err != nil {
		return err
	}
	sp.serveAs(state)
	return nil
}

// serveAs is serve for who has just looked.
func (sp *Space) serveAs(state memory.Embedding) {
	sp.vectors.use(state.Serving)
	if _, gone := sp.vectors.current().(missing); gone {
		sp.late = true
	}
}
