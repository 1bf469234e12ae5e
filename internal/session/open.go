package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"orihon/internal/project"
	"orihon/memory"
)

// Start is what an event says of the session it belongs to.
type Start struct {
	ID      string // as the client names it
	Client  string
	CWD     string
	Branch  string
	Process Process
}

// Open finds or begins the state of a session in the folder of all sessions,
// notes the event, and returns the session's own folder. The same ID is the
// same session, whatever became of it meanwhile. A new ID takes over a young
// session of the same client in the same place that never saw a prompt and
// whose process is gone, folder and all: clients begin anew under another ID
// before anything has happened. Two live terminals stay two sessions.
func Open(ctx context.Context, sessions string, o *Options, start Start) (dir string, s *State, err error) {
	if start.ID == "" {
		return "", nil, fmt.Errorf("%w session: the client gave no id", memory.ErrInvalid)
	}
	f := o.filled()
	dir = filepath.Join(sessions, project.SafeName(start.ID))
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		if err := begin(ctx, sessions, dir, f, start); err != nil {
			return "", nil, err
		}
	}
	s, err = Update(ctx, dir, o, func(s *State) error {
		s.ID = start.ID
		for _, set := range []struct {
			at    *string
			value string
		}{{&s.Client, start.Client}, {&s.CWD, start.CWD}, {&s.Branch, start.Branch}} {
			if set.value != "" {
				*set.at = set.value
			}
		}
		if start.Process.PID > 0 {
			s.Process = start.Process
		}
		s.Touch(f.Now())
		return nil
	})
	return dir, s, err
}

// begin makes the folder of a new session, which takes over an abandoned one where there
// is one, and lists it. One process does it at a time, so that two new sessions do not
// take over the same one.
func begin(ctx context.Context, sessions, dir string, o Options, start Start) error {
	return putLatest(ctx, sessions, filepath.Base(dir), func(others []string) error {
		if o.Reuse > 0 {
			if err := adopt(ctx, others, dir, o, start); err != nil {
				return err
			}
		}
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	})
}

// adopt renames the folder of an abandoned session, one of the latest, to dir, if there
// is one.
func adopt(ctx context.Context, latest []string, dir string, o Options, start Start) error {
	for _, old := range latest {
		// A folder changes when its state is replaced, so an old one is not
		// worth a look inside.
		info, err := os.Stat(old)
		if err != nil || !info.IsDir() || o.Now().Sub(info.ModTime()) > 2*o.Reuse {
			continue
		}
		done, err := adoptFrom(ctx, old, dir, o, start)
		if done || err != nil {
			return err
		}
	}
	return nil
}

func adoptFrom(ctx context.Context, old, dir string, o Options, start Start) (bool, error) {
	if s, err := LoadHead(old); err != nil || !abandoned(s, o, start) {
		return false, nil
	}
	unlock, err := lock(ctx, old)
	if err != nil {
		return false, err
	}
	defer unlock()
	// It may have come to life, or be gone, since it was looked at.
	if s, err := LoadHead(old); err != nil || !abandoned(s, o, start) {
		return false, nil
	}
	if err := os.Rename(old, dir); err != nil {
		if _, serr := os.Stat(dir); serr == nil {
			return true, nil // another event of the new session was faster
		}
		return false, fmt.Errorf("take over session %s: %w", old, err)
	}
	o.Logger.Info("an unused session is taken over", "from", filepath.Base(old), "to", filepath.Base(dir))
	return true, nil
}

func abandoned(s *Head, o Options, start Start) bool {
	age := o.Now().Sub(s.Created)
	return s.Prompts == 0 && age >= 0 && age < o.Reuse &&
		s.Client == start.Client && s.CWD == start.CWD && !s.Alive()
}
