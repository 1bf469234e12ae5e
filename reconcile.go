package orihon

import (
	"context"
	"fmt"

	"orihon/memory"
)

// mostReconciled bounds how many changed statements are held against the rest
// after one sync. A whole memory that comes in at once is an import, and not a
// change to what is known.
const mostReconciled = 500

// reconcile looks whether what changed outside of this program, by a git pull
// or by hand, fits what is known: what can be mended safely is, a pair that
// contradicts itself waits for a person.
func (m *Memory) reconcile(ctx context.Context, sp *space) error {
	changed := sp.takeChanged()
	if len(changed) == 0 || len(changed) > mostReconciled {
		return nil
	}
	unlock, err := sp.turn(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	items, err := sp.items(ctx, changed)
	if err != nil {
		return err
	}
	learner := m.learner(sp, sp.alike)
	found, err := learner.Reconcile(ctx, items)
	if err != nil {
		return fmt.Errorf("reconcile %s: %w", sp.name, err)
	}
	if len(found) == 0 {
		return nil
	}
	mended, err := learner.Mend(ctx, found)
	if err != nil {
		return fmt.Errorf("reconcile %s: %w", sp.name, err)
	}
	m.log.Info("reconciled", "space", sp.name, "looked", len(changed), "found", len(found), "mended", mended)
	return nil
}

// items are the current ones among some IDs, as the text has them: a passage
// knows of its successor what its text may not say.
func (sp *space) items(ctx context.Context, ids []string) ([]memory.Item, error) {
	var out []memory.Item
	for _, id := range ids {
		it, err := sp.known(ctx, id)
		if err != nil {
			return nil, err
		}
		if it != nil {
			out = append(out, *it)
		}
	}
	return out, nil
}

// note keeps the shared statements of a batch for [Memory.reconcile]. Private
// ones were weighed when they were written, and a first index has nothing to be
// at odds with.
func (sp *space) note(b memory.Batch, first bool) {
	if first || sp.readOnly {
		return
	}
	for i := range b.Put {
		p := &b.Put[i]
		if p.Population == memory.Statements && !p.Item.Scope.Private() && p.Item.Kind != memory.Note && p.Item.Metadata.Source != memory.FromRepository && !p.Retired && len(sp.changed) <= mostReconciled {
			sp.changed = append(sp.changed, p.Item.ID)
		}
	}
}

// takeChanged returns what was noted, once.
func (sp *space) takeChanged() []string {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	changed := sp.changed
	sp.changed = nil
	return changed
}
