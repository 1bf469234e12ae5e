// Package items is an item's life after it was remembered: read by ID, edited,
// forgotten and brought back, archived, swept, and every decision about it
// undone. All it returns comes from the text, never from the index.
package items

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"orihon/internal/home"
	"orihon/internal/space"
	"orihon/internal/store"
	"orihon/memory"
)

// Items looks after what is kept: reading by ID, taking out, bringing back.
// Everything it returns comes from the text, never from the index.
type Items struct {
	h     *home.Home
	agent *agent // who asks, when it is not the user
}

// New looks after the items of a home; programs call orihon.Memory.Items.
func New(h *home.Home) *Items { return &Items{h: h} }

// List returns the items that pass the filter, newest first. Scopes that the
// user may not see are never listed; an empty Scopes means all they may see.
func (t *Items) List(ctx context.Context, f memory.Filter) ([]memory.Stored, error) {
	f.Scopes = t.h.Visible(f.Scopes)
	var out []memory.Stored
	for _, sp := range t.h.Spaces() {
		for s, err := range sp.Text.Scan(ctx) {
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

// Get returns the item with an ID, or with the only ID that begins or ends
// with the given text; retired items are found too. The error wraps
// [memory.ErrNotFound], or [memory.ErrInvalid] when several items match.
func (t *Items) Get(ctx context.Context, id string) (memory.Stored, error) {
	_, s, err := t.find(ctx, id)
	return s, err
}

// Some returns the items with some whole IDs, those that there are, retired and archived
// ones too. However many they are, the text is read once.
func (t *Items) Some(ctx context.Context, ids ...string) (map[string]memory.Stored, error) {
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	out := make(map[string]memory.Stored)
	visible := t.h.Visible(nil)
	for _, sp := range t.h.Spaces() {
		for s, err := range sp.Text.Scan(ctx) {
			if err != nil {
				return nil, err
			}
			if _, known := out[s.Item.ID]; wanted[s.Item.ID] && !known && slices.Contains(visible, s.Item.Scope) {
				out[s.Item.ID] = s
			}
		}
	}
	for _, sp := range t.h.Spaces() {
		for a, err := range sp.Text.Archived(ctx) {
			if err != nil || !slices.Contains(visible, a.Item.Scope) {
				continue
			}
			if _, known := out[a.Item.ID]; wanted[a.Item.ID] && !known {
				out[a.Item.ID] = memory.Stored{Item: a.Item, Path: a.Path, Retired: true, Archived: true, Reason: a.Why}
			}
		}
	}
	return out, nil
}

func (t *Items) find(ctx context.Context, id string) (*space.Space, memory.Stored, error) {
	visible := t.h.Visible(nil)
	type hit struct {
		sp *space.Space
		s  memory.Stored
	}
	var hits []hit
	for _, sp := range t.h.Spaces() {
		for s, err := range sp.Text.Scan(ctx) {
			if err != nil {
				return nil, memory.Stored{}, err
			}
			if !slices.Contains(visible, s.Item.Scope) {
				continue
			}
			if s.Item.ID == id {
				return sp, s, nil
			}
			if memory.Abbreviates(id, s.Item.ID) {
				hits = append(hits, hit{sp, s})
			}
		}
	}
	if len(hits) == 0 {
		// Files of the archive are not read with the rest.
		for _, sp := range t.h.Spaces() {
			for a, err := range sp.Text.Archived(ctx) {
				if err != nil || !slices.Contains(visible, a.Item.Scope) {
					continue
				}
				if atom, _, _ := strings.Cut(a.Item.ID, "#"); a.Item.ID == id || atom == id || memory.Abbreviates(id, a.Item.ID) {
					hits = append(hits, hit{sp, memory.Stored{Item: a.Item, Path: a.Path, Retired: true, Archived: true, Reason: a.Why}})
				}
			}
		}
		// Every bullet of an atom that the ID is that of stands for all of it.
		if len(hits) > 1 && strings.HasPrefix(hits[0].s.Item.ID, id+"#") {
			hits = hits[:1]
		}
	}
	switch len(hits) {
	case 0:
		if t.claimed(ctx, id) {
			return nil, memory.Stored{}, fmt.Errorf("item %s: %w: text that came with the repository gives that id, and you have not accepted it: orihon review --repository shows it", id, memory.ErrNotFound)
		}
		return nil, memory.Stored{}, fmt.Errorf("item %s: %w", id, memory.ErrNotFound)
	case 1:
		return hits[0].sp, hits[0].s, nil
	}
	return nil, memory.Stored{}, fmt.Errorf("%w id %s: %d items match it, give more of it", memory.ErrInvalid, id, len(hits))
}

// Read is Get that counts as an access: somebody read the item on purpose.
func (t *Items) Read(ctx context.Context, id string) (memory.Stored, error) {
	sp, s, err := t.find(ctx, id)
	if err != nil || s.Retired {
		return s, err
	}
	if err := sp.Text.Use(ctx, memory.Usage{TS: t.h.Now().UTC(), Op: memory.UsageAccessed, IDs: []string{s.Item.ID}}); err != nil {
		t.h.Log.Warn("items: access not noted", "id", s.Item.ID, "err", err)
	}
	return s, nil
}

// Forget retires an item: it leaves recall, and [Items.Restore] brings it back.
// What was archived leaves the archive's search too; a file there is refused
// with [memory.ErrRefused].
func (t *Items) Forget(ctx context.Context, id, why string) (memory.Stored, error) {
	return t.ForgetAsked(ctx, id, why, "")
}

// ForgetAsked is Forget at a request that somebody said: where, "<session>/<event>", is
// kept with what it was taken from, and what it replaced was, so that none comes back as
// conversation.
func (t *Items) ForgetAsked(ctx context.Context, id, why, where string) (memory.Stored, error) {
	sp, s, err := t.find(ctx, id)
	if err != nil || s.Retired && !s.Archived {
		return s, err
	}
	if refused := t.mayChange(ctx, &s.Item); refused != nil {
		if !t.mayPropose(&s.Item) {
			return s, refused
		}
		if _, said := t.agent.said(ctx, &s.Item, nil); !said {
			return s, refused
		}
	}
	if s.Archived && isMarkdown(s.Path) {
		return s, fmt.Errorf("item %s: %w: its file %s is archived: restore it first", s.Item.ID, memory.ErrRefused, s.Path)
	}
	why = t.h.CleanReason(why)
	unlock, err := sp.Turn(ctx)
	if err != nil {
		return s, err
	}
	if said := t.saidBefore(ctx, &s.Item, where); len(said) > 0 && !isMarkdown(s.Path) {
		s.Item.Metadata.Evidence = append(slices.Clone(s.Item.Metadata.Evidence), said...)
		err = sp.Text.Put(ctx, s.Item)
	}
	if err == nil {
		err = sp.Text.Remove(ctx, s.Item.ID, why, t.h.Now().UTC())
	}
	unlock()
	if err != nil {
		return s, err
	}
	s.Retired, s.Archived, s.Reason = true, false, why
	return s, t.audited(ctx, sp, []memory.Scope{s.Item.Scope}, memory.AuditRecord{Op: memory.AuditRetire, ID: s.Item.ID, Why: why})
}

// saidBefore is where a request to forget an item was said, empty for nowhere, and where
// what the item replaced was said: that is of the same matter.
func (t *Items) saidBefore(ctx context.Context, it *memory.Item, where string) (out []string) {
	if where != "" {
		out = append(out, where)
	}
	seen := map[string]bool{it.ID: true}
	for id := it.Relations.Supersedes; id != "" && !seen[id]; {
		seen[id] = true
		_, former, err := t.find(ctx, id)
		if err != nil {
			break // purged
		}
		out, id = append(out, former.Item.Metadata.Evidence...), former.Item.Relations.Supersedes
	}
	return out
}

// Restore brings a forgotten or archived item back as it was.
func (t *Items) Restore(ctx context.Context, id string) (memory.Stored, error) {
	sp, s, err := t.find(ctx, id)
	if err != nil || !s.Retired {
		return s, err
	}
	if err := t.mayChange(ctx, &s.Item); err != nil {
		return s, err
	}
	unlock, err := sp.Turn(ctx)
	if err != nil {
		return s, err
	}
	s.Item, err = sp.Text.Restore(ctx, s.Item.ID)
	unlock()
	if err != nil {
		return s, err
	}
	s.Retired, s.Archived, s.Reason = false, false, ""
	return s, t.audited(ctx, sp, []memory.Scope{s.Item.Scope}, memory.AuditRecord{Op: memory.AuditRestore, ID: s.Item.ID})
}

// claimed reports whether text that waits gives itself an ID.
func (t *Items) claimed(ctx context.Context, id string) bool {
	found, _, err := t.h.Personal.Text.Waiting(ctx)
	return err == nil && slices.ContainsFunc(found, func(w store.Waiting) bool {
		atom, _, _ := strings.Cut(w.Claims.ID, "#")
		return w.Claims.ID == id || atom == id
	})
}

func isMarkdown(path string) bool {
	return strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".markdown")
}
