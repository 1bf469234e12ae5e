package follow

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"orihon/internal/jsonl"
	"orihon/internal/session"
)

// attendPath is the lock of the process that does what the sessions of a project left.
// A second one would read the same files again, and take the machine from the hooks.
func (f *Sessions) attendPath() string {
	return filepath.Join(f.v.Project.Sessions(), ".locks", "work")
}

// Whoever leaves work to that process puts this file there.
func (f *Sessions) morePath() string { return f.attendPath() + ".more" }

// Attended reports whether a process is at the work of this project that will see what
// was left until now. Work that asks models may take minutes: nobody waits for that.
func (f *Sessions) Attended() bool {
	held := func() bool {
		_, held := session.Holder(f.attendPath())
		return held
	}
	if f.asksModels() || !held() || os.WriteFile(f.morePath(), nil, 0o600) != nil {
		return false
	}
	// Only a process that is there once the file lies looks for it at its end: the one
	// that was there a moment ago may have looked before.
	return held()
}

// Attend is [Sessions.WorkAndSync] by one process at a time: another one that is at it
// does this work as well. It begins after a rest, in which more may come.
func (f *Sessions) Attend(ctx context.Context, rest time.Duration) error {
	if f.asksModels() {
		return f.WorkAndSync(ctx)
	}
	for {
		unlock, free, err := jsonl.TryLock(f.attendPath())
		if err == nil && !free {
			// The other one may be about to go. If it still has the lock once the file
			// lies, it will find it.
			if err = os.WriteFile(f.morePath(), nil, 0o600); err == nil {
				unlock, free, err = jsonl.TryLock(f.attendPath())
			}
		}
		if err != nil || !free {
			return err
		}
		release := session.Hold(f.attendPath())
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(rest):
			_ = os.Remove(f.morePath())
			err = f.WorkAndSync(ctx)
		}
		release()
		unlock()
		// What was left since then was left to this process.
		if _, left := os.Lstat(f.morePath()); err != nil || left != nil {
			return err
		}
	}
}

// WorkAndSync is [Sessions.Work], and brings the index up to date with what it left.
func (f *Sessions) WorkAndSync(ctx context.Context) error {
	synced, err := f.work(ctx)
	if synced {
		return err
	}
	_, serr := f.v.Sync(ctx)
	return errors.Join(err, serr)
}
