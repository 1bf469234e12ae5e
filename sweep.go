package orihon

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

// Swept is what a sweep sent to the archive, or would send.
type Swept struct {
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
func (m *Memory) Sweep(ctx context.Context, dryRun bool) (Swept, error) {
	var out Swept
	for _, sp := range []*space{m.personal, m.global} {
		if err := m.sweepSpace(ctx, sp, dryRun, &out); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (m *Memory) sweepSpace(ctx context.Context, sp *space, dryRun bool, out *Swept) error {
	if !sp.text.Exists() {
		return nil
	}
	unlock, err := sp.turn(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	stored, err := sp.sweepable(ctx)
	if err != nil {
		return err
	}
	used, err := sp.used(ctx)
	if err != nil {
		return err
	}
	items := make([]memory.Item, len(stored))
	for i := range stored {
		items[i] = stored[i].Item
	}
	leaves := wholeAtoms(stored, learn.Sweep(items, used, m.now(), learn.DefaultSweep()))
	byID := make(map[string]*memory.Item, len(items))
	for i := range items {
		byID[items[i].ID] = &items[i]
	}
	var leaving []memory.Leaving
	for _, l := range leaves {
		it := byID[l.ID]
		if it == nil { // an atom by its bullets
			found, err := sp.text.Get(ctx, l.ID)
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
		if _, err := m.Items().archive(ctx, sp, "sweep", leaving); err != nil {
			return err
		}
	}
	return sp.noteSweep(m.now())
}

// sweepable are the living items of private scopes.
func (sp *space) sweepable(ctx context.Context) (out []memory.Stored, err error) {
	for s, err := range sp.text.Scan(ctx) {
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
func (sp *space) used(ctx context.Context) (map[string]learn.Used, error) {
	out := make(map[string]learn.Used)
	for u, err := range sp.text.Uses(ctx, time.Time{}) {
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
	for r, err := range sp.text.Audits(ctx, nil) {
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

func isMarkdown(path string) bool {
	return strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".markdown")
}

// runState is what a space notes of work that comes round.
type runState struct {
	V     int       `json:"v"`
	Swept time.Time `json:"swept,omitzero"`
}

func (sp *space) runStatePath() string { return filepath.Join(string(sp.dir), "run-state.json") }

// lastSweep is when the space was swept; zero for never.
func (sp *space) lastSweep() time.Time {
	var state runState
	data, err := jsonl.ReadFile(sp.runStatePath())
	if err != nil || json.Unmarshal(data, &state) != nil {
		return time.Time{}
	}
	return state.Swept
}

func (sp *space) noteSweep(at time.Time) error {
	data, err := json.Marshal(runState{V: 1, Swept: at.UTC()})
	if err != nil {
		return err
	}
	return jsonl.Place(sp.runStatePath(), append(data, '\n'))
}

// sweepDue sweeps the spaces whose time has come.
func (m *Memory) sweepDue(ctx context.Context) error {
	var failed error
	for _, sp := range []*space{m.personal, m.global} {
		since := m.now().Sub(sp.lastSweep())
		if since < sweepWhenLarge || since < sweepEvery && !sp.large(ctx) {
			continue
		}
		var swept Swept
		if err := m.sweepSpace(ctx, sp, false, &swept); err != nil {
			failed = errors.Join(failed, err)
		} else if n := len(swept.Left); n > 0 {
			m.log.Info("swept", "space", sp.name, "archived", n)
		}
	}
	return failed
}

// large reports whether memory has grown beyond what should be in use.
func (sp *space) large(ctx context.Context) bool {
	var size int64
	_ = filepath.WalkDir(sp.dir.Memory(), func(_ string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case d.IsDir() && d.Name() == filepath.Base(sp.dir.Archive()):
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
	stored, err := sp.sweepable(ctx)
	return err == nil && len(stored) > largeItems
}
