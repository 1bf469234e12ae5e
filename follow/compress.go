package follow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"orihon/internal/session"
	"orihon/journal"
	"orihon/runs"
)

// compress packs the journals of sessions that ended long ago and have no work
// left. One that fails does not keep the others.
func (f *Sessions) compress(ctx context.Context) error {
	after := f.v.Config.Session.CompressAfter
	if after <= 0 {
		return nil
	}
	dirs, err := os.ReadDir(f.v.Project.Sessions())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old := f.v.Now().Add(-after)
	var failed error
	for _, d := range dirs {
		dir := filepath.Join(f.v.Project.Sessions(), d.Name())
		if ctx.Err() != nil {
			return errors.Join(failed, ctx.Err())
		}
		if !d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			continue
		}
		// What was imported or folded lately ended long ago, and is looked at now.
		info, err := journal.Stat(dir)
		if err != nil || info.Packed || info.ModTime().After(old) {
			continue
		}
		st, err := session.LoadHead(dir)
		if err != nil || st.Status != session.Ended || len(st.Pending) > 0 || st.Last.After(old) {
			continue
		}
		if err := f.pack(ctx, dir); err != nil {
			failed = errors.Join(failed, fmt.Errorf("compress session %s: %w", st.ID, err))
		}
	}
	return failed
}

// pack compresses one journal. What is derived from it and of use only while the
// session goes on is made anew then.
func (f *Sessions) pack(ctx context.Context, dir string) error {
	j, err := journal.Open(dir, &journal.Options{Now: f.v.Now, Logger: f.v.Log})
	if err != nil {
		return err
	}
	for _, name := range []string{runs.PreparedName, messagesName} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return j.Pack(ctx)
}
