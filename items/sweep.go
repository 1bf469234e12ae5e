package items

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"orihon/internal/jsonl"
	"orihon/internal/learn"
	"orihon/internal/space"
	"orihon/memory"
)

// When memory is swept by itself: every week, and every day while it is larger
// than this.
const (
	sweepEvery     = 7 * 24 * time.Hour
	sweepWhenLarge = 24 * time.Hour
	largeItems     = 10_000
	largeBytes     = 100 << 20 // of text
)

// SweepResult is what a sweep sent to the archive, or would send.
type SweepResult struct {
	Left []SweptItem
	Kept int // items that stay
}

// SweptItem is an item that left, and why.
type SweptItem struct {
	Item memory.Item
	Why  string
}

// Sweep sends what nobody uses to the archive, nothing is ever deleted: items
// that were never accessed and are older than 30 days, those accessed less than
// three times and older than 60, episodes not accessed for 90. What is nearly
// certain, settled or often accessed stays, as do procedures, and whatever is
// shared: a team's files move only by name, see [Items.Archive]. Every item that
// leaves is audited. With dryRun nothing is changed.
func (t *Items) Sweep(ctx context.Context, dryRun bool) (SweepResult, error) {
	var out SweepResult
	for _, sp := range t.h.Spaces() {
		if err := t.sweepSpace(ctx, sp, dryRun, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (t *Items) sweepSpace(ctx context.Context, sp *space.Space, dryRun bool, out *SweepResult) error {
	if !sp.Text.Exists() {
		return nil
	}
	unlock, err := sp.Turn(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	stored, err := sweepable(ctx, sp)
	if err != nil {
		return err
	}
	used, err := used(ctx, sp)
	if err != nil {
		return err
	}
	items := make([]memory.Item, len(stored))
	for i := range stored {
		items[i] = stored[i].Item
	}
	leaves := wholeAtoms(stored, learn.Sweep(items, used, t.h.Now(), learn.DefaultSweep()))
	byID := make(map[string]*memory.Item, len(items))
	for i := range items {
		byID[items[i].ID] = &items[i]
	}
	var leaving []memory.Leaving
	for _, l := range leaves {
		it := byID[l.ID]
		if it == nil { // an atom by its bullets
			found, err := sp.Text.Get(ctx, l.ID)
			if err != nil {
				continue // it has changed meanwhile
			}
			it = &found
		}
		out.Left = append(out.Left, SweptItem{*it, l.Why})
		leaving = append(leaving, memory.Leaving{ID: l.ID, Why: l.Why})
	}
	out.Kept += len(items) - len(leaving)
	if dryRun {
		return nil
	}
	if len(leaving) > 0 {
		if _, err := t.archive(ctx, sp, "sweep", leaving); err != nil {
			return err
		}
	}
	return noteSweep(sp, t.h.Now())
}

// sweepable are the living items of private scopes.
func sweepable(ctx context.Context, sp *space.Space) (out []memory.Stored, err error) {
	for s, err := range sp.Text.Scan(ctx) {
		if err != nil {
			return nil, err
		}
		if !s.Retired && s.Item.Scope.Private() {
			out = append(out, s)
		}
	}
	return out, nil
}

// used counts accesses, and when items were brought back.
func used(ctx context.Context, sp *space.Space) (map[string]learn.Used, error) {
	out := make(map[string]learn.Used)
	for u, err := range sp.Text.Uses(ctx, time.Time{}) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || u.Op != memory.UsageAccessed {
			continue
		}
		for _, id := range u.IDs {
			// A long atom is accessed by its chunks.
			for _, id := range withParent(id) {
				v := out[id]
				v.Accesses++
				if u.TS.After(v.Last) {
					v.Last = u.TS
				}
				out[id] = v
			}
		}
	}
	for r, err := range sp.Text.Audits(ctx, nil) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || r.Op != memory.AuditRestore && r.Op != memory.AuditUndo {
			continue
		}
		for _, id := range withParent(r.ID) {
			v := out[id]
			if r.TS.After(v.Kept) {
				v.Kept = r.TS
			}
			out[id] = v
		}
	}
	return out, nil
}

func withParent(id string) []string {
	if atom, _, part := strings.Cut(id, "#"); part {
		return []string{id, atom}
	}
	return []string{id}
}

// wholeAtoms puts an atom in the place of its bullets when all of them leave,
// and lets the others stay.
func wholeAtoms(stored []memory.Stored, leaves []learn.Leaves) (out []learn.Leaves) {
	bullets := make(map[string]int)
	for i := range stored {
		if atom, _, bullet := strings.Cut(stored[i].Item.ID, "#"); bullet && isMarkdown(stored[i].Path) {
			bullets[atom]++
		}
	}
	for _, l := range leaves {
		atom, _, bullet := strings.Cut(l.ID, "#")
		if !bullet || bullets[atom] == 0 {
			out = append(out, l)
			continue
		}
		if bullets[atom]--; bullets[atom] == 0 {
			out = append(out, learn.Leaves{ID: atom, Why: l.Why})
		}
	}
	return out
}

// runState is what a space notes of work that comes round.
type runState struct {
	V     int       `json:"v"`
	Swept time.Time `json:"swept,omitzero"`
}

func runStatePath(sp *space.Space) string { return filepath.Join(string(sp.Dir), "run-state.json") }

// lastSweep is when the space was swept; zero for never.
func lastSweep(sp *space.Space) time.Time {
	var state runState
	data, err := jsonl.ReadFile(runStatePath(sp))
	if err != nil || json.Unmarshal(data, &state) != nil {
		return time.Time{}
	}
	return state.Swept
}

func noteSweep(sp *space.Space, at time.Time) error {
	data, err := json.Marshal(runState{V: 1, Swept: at.UTC()})
	if err != nil {
		return err
	}
	return jsonl.Place(runStatePath(sp), append(data, '\n'))
}

// SweepDue sweeps the spaces whose time has come.
func (t *Items) SweepDue(ctx context.Context) error {
	var failed error
	for _, sp := range t.h.Spaces() {
		since := t.h.Now().Sub(lastSweep(sp))
		if since < sweepWhenLarge || since < sweepEvery && !large(ctx, sp) {
			continue
		}
		var swept SweepResult
		if err := t.sweepSpace(ctx, sp, false, &swept); err != nil {
			failed = errors.Join(failed, err)
		} else if n := len(swept.Left); n > 0 {
			t.h.Log.Info("swept", "space", sp.Name, "archived", n)
		}
	}
	return failed
}

// large reports whether memory has grown beyond what should be in use.
func large(ctx context.Context, sp *space.Space) bool {
	var size int64
	_ = filepath.WalkDir(sp.Dir.Memory(), func(_ string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case d.IsDir() && d.Name() == filepath.Base(sp.Dir.Archive()):
			return fs.SkipDir
		case !d.IsDir():
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	const least = 100 // bytes that an item takes at the least
	if size > largeBytes || size < largeItems*least {
		return size > largeBytes
	}
	stored, err := sweepable(ctx, sp)
	return err == nil && len(stored) > largeItems
}
