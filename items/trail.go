package items

import (
	"context"
	"slices"

	"orihon/internal/space"
	"orihon/memory"
)

// audited notes what was decided now about items of some scopes, and lets the
// index follow.
func (t *Items) audited(ctx context.Context, sp *space.Space, scopes []memory.Scope, records ...memory.AuditRecord) error {
	for i := range records {
		records[i].TS, records[i].By = t.h.Now().UTC(), t.h.User
		if t.agent != nil {
			records[i].By, records[i].Session = string(memory.FromAgent), t.agent.session
		}
	}
	if err := sp.Text.Audit(ctx, records...); err != nil {
		return err
	}
	if err := sp.Follow(ctx, scopes...); err != nil {
		t.h.Log.Warn("items: the index lags behind", "err", err)
	}
	return nil
}

// Audits returns the audit trail of both spaces, oldest first; nil matches all.
func (t *Items) Audits(ctx context.Context, f *memory.AuditFilter) ([]memory.AuditRecord, error) {
	var out []memory.AuditRecord
	for _, sp := range t.h.Spaces() {
		for r, err := range sp.Text.Audits(ctx, f) {
			if err != nil {
				t.h.Log.Warn("audit: line left out", "err", err)
				continue
			}
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b memory.AuditRecord) int { return a.TS.Compare(b.TS) })
	return out, nil
}

// decides reports whether an operation of the audit trail writes its item.
func decides(op memory.AuditOp) bool {
	switch op {
	case memory.AuditAdd, memory.AuditUpdate, memory.AuditConfirm, memory.AuditMerge, memory.AuditSupersede,
		memory.AuditPromote, memory.AuditApprove, memory.AuditArchive, memory.AuditRestore, memory.AuditRetire:
		return true
	}
	return false
}
