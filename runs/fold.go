package runs

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

// PreparedName is the file of a session with the folds that are prepared. It is
// derived: without it a compaction folds by itself.
const PreparedName = "folds.json"

// FoldAway commits folds for what a compaction is about to take away, so that
// each has a name that the agent can open. What is no session is a
// [memory.ErrRefused].
func (r *Run) FoldAway(ctx context.Context) error {
	f, err := r.folder("fold")
	if err != nil {
		return err
	}
	if p, ok := r.prepared(); ok {
		if _, err := f.Commit(ctx, r.View(), p); err != nil {
			return err
		}
		if err := os.Remove(r.preparedPath()); err != nil {
			return err
		}
	}
	// What was said since is folded now, if it is much.
	_, err = f.Build(ctx, window.Input{View: r.View(), Limit: foldedAt})
	return err
}

func (r *Run) preparedPath() string { return filepath.Join(r.View().Journal().Dir(), PreparedName) }

// prepared reads what was prepared; one that cannot be read is none.
func (r *Run) prepared() (window.Prepared, bool) {
	var p window.Prepared
	raw, err := jsonl.ReadFile(r.preparedPath())
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			r.o.Logger.Warn("session: prepared folds left out", "session", r.Name, "err", err)
		}
		return p, false
	}
	return p, json.Unmarshal(raw, &p) == nil
}

// PrepareFolds plans what the next [Run.FoldAway] folds, so that it only has to
// write. Short sessions are not worth it.
func (r *Run) PrepareFolds(ctx context.Context) error {
	f, err := r.folder("fold")
	if err != nil || r.unfolded(0) < prepareFrom {
		return err
	}
	if p, ok := r.prepared(); ok && f.Fits(r.View(), p) && r.unfolded(p.Upto) < prepareStep {
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
	return jsonl.WriteFile(r.preparedPath(), raw)
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
