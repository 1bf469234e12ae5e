package items

import (
	"context"
	"errors"
	"slices"

	"orihon/memory"
)

// History is the life of an item.
type History struct {
	ID        string
	Versions  []memory.Version     // oldest first; of an atom since this program first changed it
	Decisions []memory.AuditRecord // what the audit trail says about it, oldest first
}

// History returns everything known about an item, found as by [Items.Get]. Of
// one that was purged the full ID finds what the audit trail kept.
func (t *Items) History(ctx context.Context, id string) (History, error) {
	h := History{ID: id, Versions: []memory.Version{}, Decisions: []memory.AuditRecord{}}
	sp, s, err := t.find(ctx, id)
	missing := err
	if err != nil && !errors.Is(err, memory.ErrNotFound) {
		return h, err
	}
	if missing == nil {
		h.ID = s.Item.ID
		if h.Versions, err = sp.Text.Versions(ctx, h.ID); err != nil {
			return h, err
		}
	}
	decisions, err := t.Audits(ctx, &memory.AuditFilter{ID: h.ID})
	if err != nil {
		return h, err
	}
	if missing != nil && len(decisions) == 0 {
		return h, missing
	}
	h.Decisions = append(h.Decisions, decisions...)
	dateRestores(&h)
	return h, nil
}

// dateRestores takes the times of restores, which a ledger does not say, from
// the audit trail, where both know of the same number.
func dateRestores(h *History) {
	var lines []*memory.Version
	for i := range h.Versions {
		if h.Versions[i].Op == memory.VersionRestored {
			lines = append(lines, &h.Versions[i])
		}
	}
	noted := slices.DeleteFunc(slices.Clone(h.Decisions), func(r memory.AuditRecord) bool { return r.Op != memory.AuditRestore })
	if len(lines) != len(noted) {
		return
	}
	for i := range lines {
		lines[i].At = noted[i].TS
	}
}
