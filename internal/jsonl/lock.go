package jsonl

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"orihon/memory"
)

// Lock waits for the exclusive lock on the file path, which it creates and
// nobody deletes; a symlink is refused. It excludes other processes and other callers in this one;
// the system queues those who wait. It is not reentrant. The system releases it
// when the process dies.
//
// When ctx is cancelled while waiting, Lock returns ctx.Err() at once; the
// place in the queue is given up when its turn comes.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l, ok, err := tryLock(path)
	if err != nil {
		return nil, err
	}
	if ok {
		return release(l), nil
	}
	got := make(chan error, 1)
	go func() { got <- l.Lock() }()
	select {
	case err := <-got:
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		return release(l), nil
	case <-ctx.Done():
		go func() {
			if <-got == nil {
				release(l)()
			}
		}()
		return nil, ctx.Err()
	}
}

// TryLock takes the lock if it is free and does not wait.
func TryLock(path string) (unlock func(), ok bool, err error) {
	l, ok, err := tryLock(path)
	if err != nil || !ok {
		return nil, false, err
	}
	return release(l), true, nil
}

func tryLock(path string) (*flock.Flock, bool, error) {
	if err := makeDir(filepath.Dir(path), false); err != nil {
		return nil, false, err
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, false, fmt.Errorf("lock %s: %w: it is a symlink, remove it", path, memory.ErrRefused)
	}
	if err := regular(path); err != nil {
		return nil, false, fmt.Errorf("lock: %w", err)
	}
	l := flock.New(path)
	ok, err := l.TryLock()
	if err != nil {
		return nil, false, fmt.Errorf("lock %s: %w", path, err)
	}
	return l, ok, nil
}

// release drops the lock. That cannot fail in a way a caller could mend:
// closing the file lets go of it in any case.
func release(l *flock.Flock) func() {
	return func() { _ = l.Unlock() }
}
