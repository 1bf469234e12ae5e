package orihon

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"orihon/internal/jsonl"
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
	if !s.m.cfg.Capture.Enabled {
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
			s.m.log.Warn("session: prepared folds left out", "session", s.start.ID, "err", err)
		}
		return p, false
	}
	return p, json.Unmarshal(raw, &p) == nil
}

// prepareFolds plans what the next compaction folds, so that it only has to
// write. Short sessions are not worth it.
func (s *Session) prepareFolds(ctx context.Context) error {
	if !s.m.cfg.Capture.Enabled {
		return nil
	}
	r, err := s.Context(ctx)
	if err != nil {
		return err
	}
	if r.unfolded(0) < prepareFrom {
		return nil
	}
	f, err := window.NewFolder(nil)
	if err != nil {
		return err
	}
	if p, ok := s.prepared(); ok && f.Fits(r.View(), p) && r.unfolded(p.Upto) < prepareStep {
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

// unfolded is about how many tokens stand behind an event and in no fold.
func (r *Run) unfolded(after int64) int {
	bytes := 0
	blocks := window.Blocks(r.View())
	folded := 0
	if len(blocks) > 0 {
		folded = blocks[len(blocks)-1].Iterations[1]
	}
	for _, e := range r.View().From(after + 1) {
		if e.Iter > folded {
			bytes += len(e.Payload)
		}
	}
	return bytes / 4
}
