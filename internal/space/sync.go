package space

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"orihon/internal/jsonl"
	"orihon/internal/session"
	"orihon/internal/sqlite"
	"orihon/internal/store"
	"orihon/journal"
	"orihon/memory"
)

// Synced is what a sync found.
type Synced struct {
	Passages int      // in the index now
	Problems []string // what a person should mend, one line each with file and line
	Busy     bool     // another process is at it
}

// Sync brings the index up to date with everything.
func (sp *Space) Sync(ctx context.Context) (Synced, error) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if sp.Empty() {
		return Synced{}, nil
	}
	if sp.index != nil && sp.index.Frozen() {
		_ = sp.index.Close() // there may be room again
		sp.index = nil
	}
	if _, err := os.Stat(sp.damagePath()); err == nil {
		return sp.rebuild(ctx)
	}
	err := sp.openIndex(ctx, false)
	var out Synced
	if err == nil {
		out, err = sp.syncLocked(ctx)
	}
	if sqlite.Damaged(err) {
		return sp.rebuild(ctx)
	}
	return out, err
}

// syncLocked reads what changed in the text and the journals and applies it.
// Only one process does so at a time; the others need not wait for it.
func (sp *Space) syncLocked(ctx context.Context) (Synced, error) {
	unlock, free, err := jsonl.TryLock(sp.SyncLockPath())
	if err != nil {
		return Synced{}, err
	}
	if !free {
		_, err := sp.pend(ctx)
		return Synced{Busy: true}, err
	}
	defer unlock()
	defer session.Hold(sp.SyncLockPath())()
	// What changes from here on may be read or not; it is dirty again.
	sp.dirty = false
	stamp, err := sp.index.Stamp(ctx)
	if err != nil {
		return Synced{}, err
	}
	texts, journals := split(stamp.Files)
	b, problems, err := sp.Text.Changes(ctx, texts, memory.FullLook)
	if err != nil {
		return Synced{}, fmt.Errorf("sync %s: %w", sp.Name, err)
	}
	turns, err := journal.Changes(ctx, sp.Dir.Sessions(), journals, &journal.ChangesOptions{User: sp.owner, Scope: sp.scope(), Logger: sp.log})
	if err != nil {
		return Synced{}, fmt.Errorf("sync %s: %w", sp.Name, err)
	}
	for _, batch := range []memory.Batch{b, turns} {
		if err := sp.index.Apply(ctx, batch); err != nil {
			return Synced{}, err
		}
	}
	sp.note(b, len(texts) == 0)
	if err := sp.index.Pend(ctx, memory.Batch{}); err != nil {
		return Synced{}, err
	}
	if err := jsonl.Place(sp.scopePath(), []byte(sp.scope())); err != nil {
		return Synced{}, err
	}
	if err := sp.index.Synced(ctx, sp.now()); err != nil {
		return Synced{}, err
	}
	sp.late, sp.pulled = false, nil
	stamp, err = sp.index.Stamp(ctx)
	if err == nil {
		err = jsonl.Place(sp.sharedPath(), []byte(sp.Text.SharedStateOf(stamp.Files)))
	}
	if err := sp.noteUnaccepted(ctx, stamp.Files); err != nil {
		sp.log.Warn("sync: what waits for acceptance is not noted", "err", err)
	}
	out := Synced{Passages: stamp.Passages}
	for _, p := range problems {
		out.Problems = append(out.Problems, p.String())
	}
	return out, err
}

// Follow is sync for callers that need no report: after a write. While another
// process syncs, what was written to a private scope is seen at the ends of the
// ledgers; Markdown is not, so that a write to any other scope waits its turn.
func (sp *Space) Follow(ctx context.Context, written ...memory.Scope) error {
	done, err := sp.Sync(ctx)
	for err == nil && done.Busy && slices.ContainsFunc(written, func(s memory.Scope) bool { return !s.Private() }) {
		unlock, lerr := jsonl.Lock(ctx, sp.SyncLockPath())
		if lerr != nil {
			return lerr
		}
		unlock()
		done, err = sp.Sync(ctx)
	}
	return err
}

// catchUp is the little that is done before a search.
func (sp *Space) catchUp(ctx context.Context) error {
	if sp.readOnly || sp.index.Frozen() {
		_, err := sp.pend(ctx)
		return err
	}
	if !sp.complete {
		stamp, err := sp.index.Stamp(ctx)
		if err != nil {
			return err
		}
		sp.complete = !stamp.Synced.IsZero()
	}
	if !sp.complete || sp.dirty {
		_, err := sp.syncLocked(ctx)
		return err
	}
	all, err := sp.pend(ctx)
	if err == nil && !all {
		_, err = sp.syncLocked(ctx)
	}
	return err
}

// pend shows the index what the ledgers gained since the last sync, or, when
// that is too much for a search, the latest of it; and what became of files that
// others write, as a pull leaves them.
func (sp *Space) pend(ctx context.Context) (all bool, err error) {
	depth, kinds := memory.QuickLook, store.QuickKinds()
	if seen, err := jsonl.ReadFile(sp.sharedPath()); err != nil || string(seen) != sp.Text.SharedState() {
		depth, kinds = memory.SharedLook, store.SharedKinds()
	}
	known, err := sp.index.Files(ctx, kinds...)
	if err != nil {
		return false, err
	}
	b, problems, err := sp.Text.Changes(ctx, known, depth)
	if err != nil {
		return false, err
	}
	sp.pulled = nil
	if depth == memory.SharedLook {
		sp.pulled = &b
	}
	replaced := len(b.Replace)+len(b.Gone) > 0
	sp.late = sp.late || len(b.Put) > 0 || replaced
	// A broken line is one statement less, a broken ledger all of them.
	sp.unread = slices.ContainsFunc(problems, func(p memory.Problem) bool { return p.Line == 0 && filepath.Ext(p.Path) != ".md" })
	if info, err := os.Stat(sp.Dir.Memory()); err == nil && !info.IsDir() {
		sp.unread = true
	}
	const most = 500 // passages; more would cost a prompt more than they are worth
	later := slices.ContainsFunc(problems, func(p memory.Problem) bool { return p.Later })
	all = len(b.Put) <= most && !later && !(replaced && depth == memory.SharedLook)
	sp.late = sp.late || later
	b.Put = b.Put[max(0, len(b.Put)-most):]
	return all, sp.index.Pend(ctx, b)
}

func split(files []memory.File) (texts []memory.File, journals map[string]memory.File) {
	journals = make(map[string]memory.File)
	for _, f := range files {
		if f.Kind == journal.FileKind {
			journals[f.Path] = f
		} else {
			texts = append(texts, f)
		}
	}
	return texts, journals
}

// rebuild throws the index away and builds it from the text.
func (sp *Space) rebuild(ctx context.Context) (Synced, error) {
	if err := sp.discard(); err != nil {
		return Synced{}, err
	}
	if err := sp.openIndex(ctx, false); err != nil {
		return Synced{}, err
	}
	return sp.syncLocked(ctx)
}
