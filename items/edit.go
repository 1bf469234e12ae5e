package items

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"orihon/internal/space"
	"orihon/memory"
)

// Edited is what became of an edit.
type Edited struct {
	Item     memory.Item
	Changed  []string // the fields that are different now, by their JSON names
	Redacted []string // rules that found a secret in what was written
	// Waits says why nothing was written and a person is asked; empty when the
	// change was made.
	Waits string
}

// Edit writes a new version of an item: change gets a copy of the present one.
// Secrets are taken out as of everything that is written, the version before
// stays in the text where that keeps versions, and the audit trail says which
// fields were changed by whom. ID, scope and times cannot be changed; of a
// bullet only text and tier can, and a new text gives it a new ID. Without a
// difference nothing is written. A forgotten item is refused with
// [memory.ErrRefused], an invalid one with [memory.ErrInvalid].
func (t *Items) Edit(ctx context.Context, id string, change func(*memory.Item) error) (Edited, error) {
	sp, s, err := t.find(ctx, id)
	if err != nil {
		return Edited{}, err
	}
	unlock, err := sp.Turn(ctx)
	if err != nil {
		return Edited{}, err
	}
	defer unlock()
	// Somebody may have written it before it was our turn.
	if sp, s, err = t.find(ctx, s.Item.ID); err != nil {
		return Edited{}, err
	}
	if err := t.mayChange(ctx, &s.Item); err != nil && !t.mayPropose(&s.Item) {
		return Edited{}, err
	}
	if s.Retired {
		return Edited{}, fmt.Errorf("item %s: %w: it was forgotten; restore it first", s.Item.ID, memory.ErrRefused)
	}
	now := s.Item.Clone()
	if err := change(&now); err != nil {
		return Edited{}, err
	}
	now.ID, now.Scope, now.Metadata.CreatedAt = s.Item.ID, s.Item.Scope, s.Item.Metadata.CreatedAt
	out := Edited{Item: now}
	out.Redacted = t.h.CleanItem(&out.Item)
	if err := out.Item.Validate(); err != nil {
		return out, err
	}
	if out.Changed = differing(&s.Item, &out.Item); len(out.Changed) == 0 {
		out.Item = s.Item
		return out, nil
	}
	if t.agent != nil {
		if waits, err := t.weigh(ctx, sp, &s.Item, &out); waits || err != nil {
			return out, err
		}
	}
	atom, _, bullet := strings.Cut(s.Item.ID, "#")
	if bullet {
		for _, field := range out.Changed {
			if field != "content" && field != "tier" {
				return out, fmt.Errorf("item %s: %w: it is a bullet of %s, whose %s is that of the whole file: edit the file", s.Item.ID, memory.ErrRefused, s.Path, field)
			}
		}
	}
	out.Item.Metadata.UpdatedAt = t.h.Now().UTC()
	if err := sp.Text.Put(ctx, out.Item); err != nil {
		return out, err
	}
	record := memory.AuditRecord{Op: memory.AuditUpdate, ID: s.Item.ID, Why: "edited: " + strings.Join(out.Changed, ", ")}
	if bullet {
		if out.Item, err = bulletOf(ctx, sp, atom, s.Path, out.Item.Content); err != nil {
			return out, err
		}
		if out.Item.ID != s.Item.ID {
			record.ID, record.Other = out.Item.ID, s.Item.ID
		}
	}
	records := []memory.AuditRecord{record}
	if len(out.Redacted) > 0 {
		record.Op, record.Why = "redact", memory.RedactedWhy+strings.Join(out.Redacted, ", ")
		records = append(records, record)
	}
	return out, t.audited(ctx, sp, nil, records...)
}

// differing names the fields in which two versions differ, by their JSON names.
func differing(a, b *memory.Item) (names []string) {
	for _, f := range []struct {
		name string
		a, b any
	}{
		{"content", a.Content, b.Content},
		{"title", a.Title, b.Title},
		{"kind", a.Kind, b.Kind},
		{"topic", a.Topic, b.Topic},
		{"tier", a.Tier, b.Tier},
		{"confidence", a.Metadata.Confidence, b.Metadata.Confidence},
		{"confirmations", a.Metadata.Confirmations, b.Metadata.Confirmations},
		{"source", a.Metadata.Source, b.Metadata.Source},
		{"tags", a.Metadata.Tags, b.Metadata.Tags},
		{"triggers", a.Triggers, b.Triggers},
		{"aliases", a.Aliases, b.Aliases},
		{"needed_when", a.NeededWhen, b.NeededWhen},
		{"audience", a.Audience, b.Audience},
		{"supersedes", a.Relations.Supersedes, b.Relations.Supersedes},
		{"related_to", a.Relations.RelatedTo, b.Relations.RelatedTo},
		{"valid_from", a.ValidFrom.UTC(), b.ValidFrom.UTC()},
		{"valid_to", a.ValidTo.UTC(), b.ValidTo.UTC()},
	} {
		if list, ok := f.a.([]string); ok {
			if !slices.Equal(list, f.b.([]string)) {
				names = append(names, f.name)
			}
		} else if !reflect.DeepEqual(f.a, f.b) {
			names = append(names, f.name)
		}
	}
	return names
}

// bulletOf finds a bullet of an atom by its text.
func bulletOf(ctx context.Context, sp *space.Space, atom, path, text string) (memory.Item, error) {
	for s, err := range sp.Text.Scan(ctx) {
		if err == nil && s.Path == path && strings.HasPrefix(s.Item.ID, atom+"#") && s.Item.Content == text {
			return s.Item, nil
		}
	}
	return memory.Item{}, fmt.Errorf("bullet of %s: %w: it was changed meanwhile", path, memory.ErrNotFound)
}
