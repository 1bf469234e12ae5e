package orihon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/capture"
	"orihon/internal/jsonl"
	"orihon/internal/redact"
	"orihon/internal/session"
	"orihon/journal"
	"orihon/memory"
)

// Items looks after what is kept: reading by ID, taking out, bringing back.
// Everything it returns comes from the text, never from the index.
type Items struct{ m *Memory }

// Items is the part of the handle that looks after what is kept.
func (m *Memory) Items() *Items { return &Items{m} }

// List returns the items that pass the filter, newest first. Scopes that the
// user may not see are never listed; an empty Scopes means all they may see.
func (t *Items) List(ctx context.Context, f memory.Filter) ([]memory.Stored, error) {
	f.Scopes = t.visible(f.Scopes)
	var out []memory.Stored
	for _, sp := range t.spaces() {
		for s, err := range sp.text.Scan(ctx) {
			if err != nil {
				return nil, err
			}
			p := memory.Passage{Item: s.Item, Retired: s.Retired}
			if f.Match(&p) {
				out = append(out, s)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b memory.Stored) int {
		return b.Item.Metadata.CreatedAt.Compare(a.Item.Metadata.CreatedAt)
	})
	return out, nil
}

func (t *Items) spaces() []*space { return []*space{t.m.personal, t.m.global} }

func (t *Items) visible(asked []memory.Scope) []memory.Scope {
	all := t.m.Viewer().Scopes()
	if len(asked) == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(asked), func(s memory.Scope) bool { return !slices.Contains(all, s) })
}

// Get returns the item with an ID, or with the only ID that begins or ends
// with the given text; retired items are found too. The error wraps
// [memory.ErrNotFound], or [memory.ErrInvalid] when several items match.
func (t *Items) Get(ctx context.Context, id string) (memory.Stored, error) {
	_, s, err := t.find(ctx, id)
	return s, err
}

// shortest is the least of an ID that names an item.
const shortest = 4

func (t *Items) find(ctx context.Context, id string) (*space, memory.Stored, error) {
	visible := t.visible(nil)
	type hit struct {
		sp *space
		s  memory.Stored
	}
	var hits []hit
	for _, sp := range t.spaces() {
		for s, err := range sp.text.Scan(ctx) {
			if err != nil {
				return nil, memory.Stored{}, err
			}
			if !slices.Contains(visible, s.Item.Scope) {
				continue
			}
			if s.Item.ID == id {
				return sp, s, nil
			}
			if len(id) >= shortest && (strings.HasPrefix(s.Item.ID, id) || strings.HasSuffix(s.Item.ID, id)) {
				hits = append(hits, hit{sp, s})
			}
		}
	}
	if len(hits) == 0 {
		// Files of the archive are not read with the rest.
		for _, sp := range t.spaces() {
			for a, err := range sp.text.Archived(ctx) {
				if err != nil || !slices.Contains(visible, a.Item.Scope) {
					continue
				}
				if atom, _, _ := strings.Cut(a.Item.ID, "#"); a.Item.ID == id || atom == id || len(id) >= shortest && (strings.HasPrefix(a.Item.ID, id) || strings.HasSuffix(a.Item.ID, id)) {
					hits = append(hits, hit{sp, memory.Stored{Item: a.Item, Path: a.Path, Retired: true, Archived: true, Reason: a.Why}})
				}
			}
		}
		if len(hits) > 1 && wholeAtom(hits[0].s, id) {
			hits = hits[:1]
		}
	}
	switch len(hits) {
	case 0:
		if t.m.Repository().claims(ctx, id) {
			return nil, memory.Stored{}, fmt.Errorf("item %s: %w: text that came with the repository gives that id, and you have not accepted it: orihon review --repository shows it", id, memory.ErrNotFound)
		}
		return nil, memory.Stored{}, fmt.Errorf("item %s: %w", id, memory.ErrNotFound)
	case 1:
		return hits[0].sp, hits[0].s, nil
	}
	return nil, memory.Stored{}, fmt.Errorf("%w id %s: %d items match it, give more of it", memory.ErrInvalid, id, len(hits))
}

// wholeAtom reports whether an ID is that of the atom that an item is a bullet
// of.
func wholeAtom(s memory.Stored, id string) bool {
	atom, _, bullet := strings.Cut(s.Item.ID, "#")
	return bullet && atom == id
}

// Read is Get that counts as an access: somebody read the item on purpose.
func (t *Items) Read(ctx context.Context, id string) (memory.Stored, error) {
	sp, s, err := t.find(ctx, id)
	if err != nil || s.Retired {
		return s, err
	}
	if err := sp.text.Use(ctx, memory.Usage{TS: t.m.now().UTC(), Op: memory.UsageAccessed, IDs: []string{s.Item.ID}}); err != nil {
		t.m.log.Warn("items: access not noted", "id", s.Item.ID, "err", err)
	}
	return s, nil
}

// Forget retires an item: it leaves recall, and [Items.Restore] brings it back.
// What was archived leaves the archive's search too; a file there is refused
// with [memory.ErrRefused].
func (t *Items) Forget(ctx context.Context, id, why string) (memory.Stored, error) {
	sp, s, err := t.find(ctx, id)
	if err != nil || s.Retired && !s.Archived {
		return s, err
	}
	if err := t.m.mayChange(ctx, &s.Item); err != nil {
		return s, err
	}
	if s.Archived && isMarkdown(s.Path) {
		return s, fmt.Errorf("item %s: %w: its file %s is archived: restore it first", s.Item.ID, memory.ErrRefused, s.Path)
	}
	why = t.m.cleanReason(why)
	unlock, err := sp.turn(ctx)
	if err != nil {
		return s, err
	}
	err = sp.text.Remove(ctx, s.Item.ID, why, t.m.now().UTC())
	unlock()
	if err != nil {
		return s, err
	}
	s.Retired, s.Archived, s.Reason = true, false, why
	return s, t.after(ctx, sp, memory.AuditRetire, s.Item.ID, why, s.Item.Scope)
}

// Restore brings a forgotten or archived item back as it was.
func (t *Items) Restore(ctx context.Context, id string) (memory.Stored, error) {
	sp, s, err := t.find(ctx, id)
	if err != nil || !s.Retired {
		return s, err
	}
	if err := t.m.mayChange(ctx, &s.Item); err != nil {
		return s, err
	}
	unlock, err := sp.turn(ctx)
	if err != nil {
		return s, err
	}
	s.Item, err = sp.text.Restore(ctx, s.Item.ID)
	unlock()
	if err != nil {
		return s, err
	}
	s.Retired, s.Archived, s.Reason = false, false, ""
	return s, t.after(ctx, sp, memory.AuditRestore, s.Item.ID, "", s.Item.Scope)
}

// cleanReason takes secrets and private spans out of what a person gave as the
// reason of a decision: it is kept as long as the audit trail is.
func (m *Memory) cleanReason(why string) string {
	why, _ = m.redactor.Text(redact.Private(why))
	return strings.TrimSpace(why)
}

func (t *Items) after(ctx context.Context, sp *space, op memory.AuditOp, id, why string, written ...memory.Scope) error {
	if err := sp.text.Audit(ctx, memory.AuditRecord{TS: t.m.now().UTC(), Op: op, ID: id, By: t.m.user, Why: why}); err != nil {
		return err
	}
	if err := sp.follow(ctx, written...); err != nil {
		t.m.log.Warn("items: the index lags behind", "err", err)
	}
	return nil
}

// purgeJournals takes the words out of every journal of a space, and sums up anew
// the sessions that held them, also those that an interrupted purge has not come
// to sum up.
func (t *Items) purgeJournals(ctx context.Context, sp *space, p *purge) error {
	mark := purgedMark(p.ID)
	scrub := func(s string) (string, bool) {
		clean := string(p.words.Clean([]byte(s), mark))
		return clean, clean != s
	}
	dirs, err := os.ReadDir(sp.dir.Sessions())
	if err != nil {
		return nil // no sessions
	}
	for _, d := range dirs {
		if !d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			continue
		}
		dir := filepath.Join(sp.dir.Sessions(), d.Name())
		said, marked, err := p.inSession(ctx, dir)
		if err != nil {
			return fmt.Errorf("purge %s: %w", p.ID, err)
		}
		if !said && !marked {
			continue
		}
		p.heldBy(dir)
		j, err := journal.Open(dir, &journal.Options{Now: t.m.now, Logger: t.m.log})
		if err != nil {
			return fmt.Errorf("purge %s: %w", p.ID, err)
		}
		n := 0
		if said {
			if n, err = j.Purge(ctx, scrub); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("purge %s: %w", p.ID, err)
			}
		}
		if n > 0 || marked && p.again {
			if err := sp.resum(ctx, j); err != nil {
				return fmt.Errorf("purge %s: %w", p.ID, err)
			}
		}
	}
	return nil
}

// inSession reports whether anything in the folder of a session may hold the
// words, and whether anything bears the mark of their purge.
func (p *purge) inSession(ctx context.Context, dir string) (said, marked bool, err error) {
	mark := []byte(purgedMark(p.ID))
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || said && marked {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		said = said || p.words.May(data)
		marked = marked || bytes.Contains(data, mark)
		return err
	})
	return said, marked, err
}

// heldBy notes that a session held the words.
func (p *purge) heldBy(dir string) {
	if p.sessions == nil {
		p.sessions = make(map[string]bool)
	}
	p.sessions[filepath.Base(dir)] = true
	if state, err := session.Load(dir); err == nil && state.ID != "" {
		p.sessions[state.ID] = true
	}
}

// resum replaces the episode of a session whose journal was purged by one of
// what is left; its older versions are erased.
func (sp *space) resum(ctx context.Context, j *journal.Journal) error {
	state, err := session.Load(j.Dir())
	if err != nil || state.EpisodeID == "" {
		return nil // nothing was summed up
	}
	old, err := sp.text.Get(ctx, state.EpisodeID)
	if errors.Is(err, memory.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	run, err := capture.ReadRun(ctx, j)
	if err != nil {
		return err
	}
	if _, err := sp.text.Purge(ctx, old.ID); err != nil {
		return err
	}
	sum, worth := capture.Episode(run)
	if !worth {
		return nil
	}
	old.Title, old.Content = sum.Title, sum.Text
	return sp.text.Put(context.WithoutCancel(ctx), old) // it is nowhere at this moment
}

// wipeWait is how long a purge waits for other processes to let go of the index.
const wipeWait = 30 * time.Second

// wipe brings the index up to date and leaves nothing of what it dropped in
// its file or its log. It waits for its turn while another process syncs; an
// index that cannot be wiped within [wipeWait] is thrown away: it is derived.
func (sp *space) wipe(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, wipeWait)
	defer cancel()
	for waiting.Err() == nil {
		done, err := sp.sync(waiting)
		if err != nil {
			break
		}
		if done.Busy {
			if unlock, err := jsonl.Lock(waiting, sp.syncLockPath()); err == nil {
				unlock()
			}
			continue
		}
		if clean, err := sp.wiped(waiting); err != nil {
			break
		} else if clean {
			return nil
		}
		select { // a reader of the log is at its work
		case <-waiting.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	sp.mu.Lock()
	defer sp.mu.Unlock()
	return sp.discard()
}

// wiped wipes the index once, and reports whether nothing is left in its log,
// as there is while somebody reads it.
func (sp *space) wiped(ctx context.Context) (bool, error) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if sp.index != nil {
		if err := sp.unlearn(ctx); err != nil {
			return false, err
		}
	}
	if sp.index == nil {
		return true, nil
	}
	if err := sp.index.Wipe(ctx); err != nil {
		return false, err
	}
	info, err := os.Stat(sp.indexPath() + "-wal")
	return err != nil || info.Size() == 0, nil
}

// AuditRecord is one decision about memory.
type AuditRecord = memory.AuditRecord

// AuditFilter chooses among audit records; a zero field does not choose.
type AuditFilter = memory.AuditFilter

// Audits returns the audit trail of both spaces, oldest first; nil matches all.
func (t *Items) Audits(ctx context.Context, f *AuditFilter) ([]AuditRecord, error) {
	var out []AuditRecord
	for _, sp := range t.spaces() {
		for r, err := range sp.text.Audits(ctx, f) {
			if err != nil {
				t.m.log.Warn("audit: line left out", "err", err)
				continue
			}
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b AuditRecord) int { return a.TS.Compare(b.TS) })
	return out, nil
}
