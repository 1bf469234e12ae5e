package space

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"orihon/internal/jsonl"
)

// wipeWait is how long a purge waits for other processes to let go of the index.
const wipeWait = 30 * time.Second

// Wipe brings the index up to date and leaves nothing of what it dropped in
// its file or its log. It waits for its turn while another process syncs; an
// index that cannot be wiped within [wipeWait] is thrown away: it is derived.
func (sp *Space) Wipe(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, wipeWait)
	defer cancel()
	for waiting.Err() == nil {
		done, err := sp.Sync(waiting)
		if err != nil {
			break
		}
		if done.Busy {
			if unlock, err := jsonl.Lock(waiting, sp.SyncLockPath()); err == nil {
				unlock()
			}
			continue
		}
		if clean, err := sp.wiped(waiting); err != nil {
			break
		} else if clean {
			return nil
		}
		select { // a reader of the log is at its work
		case <-waiting.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	sp.mu.Lock()
	defer sp.mu.Unlock()
	return sp.discard()
}

// wiped wipes the index once, and reports whether nothing is left in its log,
// as there is while somebody reads it.
func (sp *Space) wiped(ctx context.Context) (bool, error) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if sp.index == nil {
		return true, nil
	}
	if err := sp.index.Wipe(ctx); err != nil {
		return false, err
	}
	info, err := os.Stat(sp.IndexPath() + "-wal")
	return err != nil || info.Size() == 0, nil
}

// DiscardAlone removes the index when no other process syncs it, or after
// [wipeWait].
func (sp *Space) DiscardAlone(ctx context.Context) error {
	if _, err := os.Stat(sp.IndexPath()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, wipeWait)
	defer cancel()
	if unlock, err := jsonl.Lock(waiting, sp.SyncLockPath()); err == nil {
		defer unlock()
	}
	sp.mu.Lock()
	defer sp.mu.Unlock()
	return sp.discard()
}
