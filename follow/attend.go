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
// was left until now.
func (f *Sessions) Attended() bool {
	held := func() bool {
		_, held := session.Holder(f.attendPath())
		return held
	}
	if !held() || os.WriteFile(f.morePath(), nil, 0o600) != nil {
		return false
	}
	// Only a process that is there once the file lies looks for it at its end: the one
	// that was there a moment ago may have looked before.
	return held()
}

// Attend is [Sessions.Work] with a sync, by one process at a time: another one that is at it
// does this work as well. It begins after a rest, in which more may come. What asks
// models may take minutes and is done after that, by one process for each session.
func (f *Sessions) Attend(ctx context.Context, rest time.Duration) error {
	if !f.asksModels() && !f.phrases() {
		_, err := f.attend(ctx, rest, allWork)
		return err
	}
	attended, err := f.attend(ctx, rest, plainWork)
	if err != nil || !attended {
		return err
	}
	did, synced, err := f.work(ctx, allWork, false)
	if did && !synced {
		_, serr := f.v.Sync(ctx)
		err = errors.Join(err, serr)
	}
	return err
}

// Work that failed is tried once more after this time: a file that was in use may be free.
const tryAgain = time.Second

// attend does the named work, unless another process attends to it.
func (f *Sessions) attend(ctx context.Context, rest time.Duration, named []string) (attended bool, _ error) {
	for tried := 0; ; {
		unlock, free, err := jsonl.TryLock(f.attendPath())
		if err == nil && !free {
			// The other one may be about to go. If it still has the lock once the file
			// lies, it will find it.
			if err = os.WriteFile(f.morePath(), nil, 0o600); err == nil {
				unlock, free, err = jsonl.TryLock(f.attendPath())
			}
		}
		if err != nil || !free {
			return attended, err
		}
		attended = true
		release := session.Hold(f.attendPath())
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(rest):
			_ = os.Remove(f.morePath())
			err = f.workAndSync(ctx, named, false)
		}
		release()
		unlock()
		if ctx.Err() != nil {
			return attended, err
		}
		if err != nil {
			if tried++; tried == 1 {
				f.v.Log.Warn("work: tried again", "after", tryAgain, "err", err)
				rest = tryAgain
				continue
			}
		}
		// What was left since then was left to this process, whatever failed before.
		if _, left := os.Lstat(f.morePath()); left != nil {
			return attended, err
		}
	}
}

// WorkAndSync is [Sessions.Work], waits for processes that are at it, and brings the index
// up to date with what was left.
func (f *Sessions) WorkAndSync(ctx context.Context) error { return f.workAndSync(ctx, allWork, true) }

func (f *Sessions) workAndSync(ctx context.Context, named []string, waits bool) error {
	_, synced, err := f.work(ctx, named, waits)
	if synced {
		return err
	}
	_, serr := f.v.Sync(ctx)
	return errors.Join(err, serr)
}
