package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"orihon/memory"
)

// Swept is what a sweep did, by the sessions' IDs.
type Swept struct {
	Ended   []string // their folders stay
	Removed []string // nothing was in them
}

// Sweep ends the sessions that nobody will end: never used and their process
// gone, idle and their process gone, or without an event for a day. Those
// without a journal and without work left are removed. It reads one small file
// for every session, so it belongs into a detached process. One session that
// fails does not keep the others.
func Sweep(ctx context.Context, sessions string, o *Options) (Swept, error) {
	var out Swept
	entries, err := os.ReadDir(sessions)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	f := o.filled()
	var failed []error
	for _, e := range entries {
		if !e.IsDir() || e.Name() == locksName {
			continue
		}
		if err := ctx.Err(); err != nil {
			return out, errors.Join(append(failed, err)...)
		}
		if err := sweepOne(ctx, filepath.Join(sessions, e.Name()), f, &out); err != nil {
			failed = append(failed, fmt.Errorf("clean up session %s: %w", e.Name(), err))
		}
	}
	return out, errors.Join(failed...)
}

func sweepOne(ctx context.Context, dir string, o Options, out *Swept) error {
	h, err := LoadHead(dir)
	if err != nil && !errors.Is(err, memory.ErrInvalid) {
		if errors.Is(err, memory.ErrNotFound) {
			return nil // not begun yet, or a folder that is not ours
		}
		return err
	}
	if err == nil && !orphan(h, o) && !(h.Status == Ended && empty(dir, h)) {
		return nil
	}
	unlock, err := lock(ctx, dir)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := os.Lstat(dir); err != nil {
		return nil // taken over meanwhile
	}
	ended := false
	s, err := update(dir, o, func(s *State) error {
		if ended = orphan(&s.Head, o); ended {
			s.Status = Ended
			if !empty(dir, &s.Head) {
				s.Later(o.EndWork...)
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case s.Status == Ended && empty(dir, &s.Head):
		if err := remove(dir); err != nil {
			return err
		}
		out.Removed = append(out.Removed, s.ID)
	case ended:
		out.Ended = append(out.Ended, s.ID)
	}
	return nil
}

// orphan reports whether nobody will end the session. A clock that went back
// makes none.
func orphan(s *Head, o Options) bool {
	if s.Status == Ended {
		return false
	}
	idle := o.Now().Sub(s.Last)
	switch {
	case idle >= o.OrphanMax:
		return true
	case s.Prompts == 0 && idle >= o.OrphanUnused:
		return !s.Alive()
	}
	return idle >= o.OrphanIdle && !s.Alive()
}

// empty reports whether nothing but the state is in a session's folder and
// nothing is left to do.
func empty(dir string, s *Head) bool {
	if len(s.Pending) > 0 {
		return false
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if !disposable(dir, e) {
			return false
		}
	}
	return true
}

// disposable reports whether a file is worth nothing without a journal: the
// state, what a killed process left of one, locks, and a journal without an
// event.
func disposable(dir string, e fs.DirEntry) bool {
	if !e.Type().IsRegular() {
		return false
	}
	name := e.Name()
	if name == stateName || name == ".lock" || strings.HasPrefix(name, ".work.lock") || strings.HasPrefix(name, "."+stateName+".tmp-") {
		return true
	}
	info, err := os.Lstat(filepath.Join(dir, name))
	return err == nil && name == "journal.jsonl" && info.Size() == 0
}

// remove deletes an empty session: file by file, so that whatever appeared
// meanwhile keeps the folder.
func remove(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if disposable(dir, e) {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return os.Remove(dir)
}
