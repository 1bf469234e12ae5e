package follow

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"orihon/internal/jsonl"
	"orihon/internal/recall"
	"orihon/journal"
	"orihon/runs"
	"orihon/window"
)

// foldedAt is the size of the context that a compaction folds down to, in
// tokens: what is larger is gone from the client's window as well.
const foldedAt = 4000

// A compaction is prepared by the worker behind a turn once so much stands
// unfolded, in tokens, and again when so much was added.
const (
	prepareFrom = 50_000
	prepareStep = 20_000
)

// preparedName is the file of a session with the folds that are prepared. It is
// derived: without it a compaction folds by itself.
const preparedName = "folds.json"

// foldAway commits folds for what a compaction is about to take away, so that
// each has a name that the agent can open.
func (s *Session) foldAway(ctx context.Context) error {
	if !s.v.Config.Capture.Enabled {
		return nil
	}
	r, err := s.Context(ctx)
	if err != nil {
		return err
	}
	f, err := window.NewFolder(nil)
	if err != nil {
		return err
	}
	if p, ok := s.prepared(); ok {
		if _, err := f.Commit(ctx, r.View(), p); err != nil {
			return err
		}
		if err := os.Remove(s.preparedPath()); err != nil {
			return err
		}
	}
	// What was said since is folded now, if it is much.
	_, err = f.Build(ctx, window.Input{View: r.View(), Limit: foldedAt})
	return err
}

func (s *Session) preparedPath() string { return filepath.Join(s.dir, preparedName) }

// prepared reads what was prepared; one that cannot be read is none.
func (s *Session) prepared() (window.Prepared, bool) {
	var p window.Prepared
	raw, err := jsonl.ReadFile(s.preparedPath())
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.v.Log.Warn("session: prepared folds left out", "session", s.start.ID, "err", err)
		}
		return p, false
	}
	return p, json.Unmarshal(raw, &p) == nil
}

// prepareFolds plans what the next compaction folds, so that it only has to
// write. Short sessions are not worth it.
func (s *Session) prepareFolds(ctx context.Context) error {
	if !s.v.Config.Capture.Enabled {
		return nil
	}
	r, err := s.Context(ctx)
	if err != nil {
		return err
	}
	if r.Unfolded(0) < prepareFrom {
		return nil
	}
	f, err := window.NewFolder(nil)
	if err != nil {
		return err
	}
	if p, ok := s.prepared(); ok && f.Fits(r.View(), p) && r.Unfolded(p.Upto) < prepareStep {
		return nil
	}
	p, err := f.Prepare(ctx, window.Input{View: r.View(), Limit: foldedAt})
	if err != nil || len(p.Plans) == 0 {
		return err
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return jsonl.WriteFile(s.preparedPath(), raw)
}

// Context opens the run of this session.
func (s *Session) Context(ctx context.Context) (*runs.Run, error) {
	v, err := s.log.View(ctx)
	if err != nil {
		return nil, err
	}
	return runs.OfView(s.v.Home, s.start.ID, v), nil
}

// brief says where the session stands, from its own journal.
func (s *Session) brief(ctx context.Context, o *recall.Opening) error {
	r, err := s.Context(ctx)
	if err != nil {
		return err
	}
	if asked := r.View().ByType(journal.UserMessage); o.Language == "" && len(asked) > 0 {
		o.Language = s.v.Language(r.View().Text(asked[0]))
	}
	o.Brief = r.Brief(0)
	// Engine.Begin gives the brief six tenths of what it may spend.
	o.MaxTokens = (runs.BriefTokens*10+5)/6 + 1
	return ctx.Err()
}
