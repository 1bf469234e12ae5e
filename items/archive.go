package items

import (
	"cmp"
	"context"
	"slices"

	"orihon/internal/space"
	"orihon/internal/terms"
	"orihon/memory"
)

// Archive takes items, named as by [Items.Get], out of the index and puts them
// into the archive: no prompt finds them any more, [Items.SearchArchive] does,
// and [Items.Restore] brings them back as they were. Of an atom the whole file
// moves; a bullet alone is refused with [memory.ErrRefused]. Forgotten items
// stay forgotten. It returns what left.
func (t *Items) Archive(ctx context.Context, why string, ids ...string) ([]memory.Item, error) {
	why = t.h.CleanReason(why)
	full := make(map[*space.Space][]memory.Leaving)
	for _, id := range ids {
		sp, it, err := t.whole(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := t.mayChange(ctx, &it); err != nil {
			return nil, err
		}
		full[sp] = append(full[sp], memory.Leaving{ID: it.ID, Why: why})
	}
	var out []memory.Item
	for _, sp := range t.h.Spaces() {
		if len(full[sp]) == 0 {
			continue
		}
		unlock, err := sp.Turn(ctx)
		if err != nil {
			return out, err
		}
		gone, err := t.archive(ctx, sp, t.h.User, full[sp])
		unlock()
		out = append(out, gone...)
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// whole finds an item, or an atom of bullets by its own ID.
func (t *Items) whole(ctx context.Context, id string) (*space.Space, memory.Item, error) {
	for _, sp := range t.h.Spaces() {
		if it, err := sp.Text.Get(ctx, id); err == nil && slices.Contains(t.h.Visible(nil), it.Scope) {
			return sp, it, nil
		}
	}
	sp, s, err := t.find(ctx, id)
	return sp, s.Item, err
}

// archive is Archive within a space whose turn it is.
func (t *Items) archive(ctx context.Context, sp *space.Space, by string, leaving []memory.Leaving) ([]memory.Item, error) {
	t.meanings(ctx, sp, leaving)
	at := t.h.Now().UTC()
	gone, err := sp.Text.Archive(ctx, at, leaving...)
	if len(gone) == 0 {
		return gone, err
	}
	why := make(map[string]string, len(leaving))
	for i := range leaving {
		why[leaving[i].ID] = leaving[i].Why
	}
	records := make([]memory.AuditRecord, len(gone))
	scopes := make([]memory.Scope, len(gone))
	for i := range gone {
		records[i] = memory.AuditRecord{TS: at, Op: memory.AuditArchive, ID: gone[i].ID, By: by, Why: why[gone[i].ID]}
		scopes[i] = gone[i].Scope
	}
	if aerr := sp.Text.Audit(ctx, records...); err == nil {
		err = aerr
	}
	if ferr := sp.Follow(ctx, scopes...); ferr != nil {
		t.h.Log.Warn("archive: the index lags behind", "err", ferr)
	}
	return gone, err
}

// meanings adds the vectors of what leaves. Without them the archive is
// searched by words.
func (t *Items) meanings(ctx context.Context, sp *space.Space, leaving []memory.Leaving) {
	texts, at := make([]string, 0, len(leaving)), make([]int, 0, len(leaving))
	if len(leaving) == 1 {
		if it, err := sp.Text.Get(ctx, leaving[0].ID); err == nil {
			texts, at = append(texts, it.Content), append(at, 0)
		}
	} else {
		index := make(map[string]int, len(leaving))
		for i := range leaving {
			index[leaving[i].ID] = i
		}
		for s, err := range sp.Text.Scan(ctx) {
			if i, wanted := index[s.Item.ID]; err == nil && wanted {
				texts, at = append(texts, s.Item.Content), append(at, i)
			}
		}
	}
	model, vectors, err := sp.Embed(ctx, texts)
	if err != nil || len(vectors) != len(at) {
		t.h.Log.Warn("archive: without vectors", "space", sp.Name, "err", err)
		return
	}
	for i, n := range at {
		leaving[n].Vector = memory.ArchiveVector{Model: model, Values: vectors[i]}
	}
}

// Archived lists what lies in the archive and the user may see, the latest to
// leave first. It reads the whole archive.
func (t *Items) Archived(ctx context.Context) ([]memory.Archived, error) {
	visible := t.h.Visible(nil)
	var out []memory.Archived
	for _, sp := range t.h.Spaces() {
		for a, err := range sp.Text.Archived(ctx) {
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil:
				t.h.Log.Warn("archive: left out", "err", err)
			case slices.Contains(visible, a.Item.Scope):
				out = append(out, a)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b memory.Archived) int { return b.At.Compare(a.At) })
	return out, nil
}

// SearchArchive finds what bears on a text among what was archived, best first;
// limit 0 means 20. It reads the whole archive: recall does not do this.
func (t *Items) SearchArchive(ctx context.Context, text string, f memory.Filter, limit int) ([]memory.ArchiveHit, error) {
	f.Scopes, f.Superseded = t.h.Visible(f.Scopes), true
	var out []memory.ArchiveHit
	for _, sp := range t.h.Spaces() {
		q := memory.ArchiveQuery{Terms: terms.Query(text), Filter: f, Limit: limit}
		if model, v, err := sp.EmbedQuery(ctx, text); err == nil {
			q.Vector = memory.ArchiveVector{Model: model, Values: v}
		}
		hits, problems, err := sp.Text.SearchArchive(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, p := range problems {
			t.h.Log.Warn("archive: left out", "err", p)
		}
		out = append(out, hits...)
	}
	slices.SortStableFunc(out, func(a, b memory.ArchiveHit) int { return cmp.Compare(b.Score, a.Score) })
	if limit <= 0 {
		limit = 20
	}
	return out[:min(len(out), limit)], nil
}
