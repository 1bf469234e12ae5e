package space

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// Earlier versions let a shared statement end a private one: a file of the
// repository said that it replaced the private statement's ID, and the end was
// written into the ledger. The audit trail names each.

// healedFile is a derived note that a space was healed; without it the trail is
// read once more.
const healedFile = "healed.1"

// How the trail tells what reconciling ended, which it did for shared text
// alone, and what was healed.
const (
	reconciledWhy = "reconciled: "
	healedWhy     = "healed: a shared statement had ended it"
)

// Heal lets private statements hold again that nothing but shared text ended,
// and returns their IDs.
func (sp *Space) Heal(ctx context.Context, now time.Time) (healed []string, err error) {
	done := filepath.Join(sp.Dir.Index(), healedFile)
	if _, err := os.Stat(done); err == nil || sp.readOnly {
		return nil, nil
	}
	ended := make(map[string]string) // by what
	for rec, err := range sp.Text.Audits(ctx, &memory.AuditFilter{Op: memory.AuditUpdate}) {
		switch {
		case err != nil || rec.By != string(memory.FromSystem): // a broken line is named by doctor
		case rec.Why == healedWhy:
			delete(ended, rec.ID) // who ended it since meant it
		case strings.HasPrefix(rec.Why, reconciledWhy):
			ended[rec.ID] = rec.Other
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ended)) {
		it, err := sp.Known(ctx, id)
		if err != nil {
			return healed, err
		}
		if it == nil || !it.Scope.Private() || it.ValidTo.IsZero() {
			continue
		}
		it.ValidTo = time.Time{}
		if err := sp.Text.Put(ctx, *it); err != nil {
			return healed, fmt.Errorf("heal %s: %w", it.ID, err)
		}
		if err := sp.Text.Audit(ctx, memory.AuditRecord{TS: now.UTC(), Op: memory.AuditUpdate, ID: id, Other: ended[id], By: string(memory.FromSystem), Why: healedWhy}); err != nil {
			return healed, err
		}
		healed = append(healed, id)
	}
	return healed, jsonl.Place(done, nil)
}
