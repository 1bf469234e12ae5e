package verbs

import (
	"context"
	"fmt"

	"orihon/internal/learn"
	"orihon/internal/space"
	"orihon/memory"
)

// Reconcile looks whether what changed outside of this program, by a git pull
// or by hand, fits what is known: what can be mended safely is, a pair that
// contradicts itself waits for a person.
func (v *Verbs) Reconcile(ctx context.Context, sp *space.Space) error {
	changed := sp.TakeChanged()
	if len(changed) == 0 || len(changed) > space.MostChanged {
		return nil
	}
	unlock, err := sp.Turn(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	items, err := current(ctx, sp, changed)
	if err != nil {
		return err
	}
	learner := learn.New(v.Learning(sp, lookup(sp, "")))
	found, err := learner.Reconcile(ctx, items)
	if err != nil {
		return fmt.Errorf("reconcile %s: %w", sp.Name, err)
	}
	if len(found) == 0 {
		return nil
	}
	mended, err := learner.Mend(ctx, found)
	if err != nil {
		return fmt.Errorf("reconcile %s: %w", sp.Name, err)
	}
	v.Log.Info("reconciled", "space", sp.Name, "looked", len(changed), "found", len(found), "mended", mended)
	return nil
}

// current are the current ones among some IDs, as the text has them: a passage
// knows of its successor what its text may not say.
func current(ctx context.Context, sp *space.Space, ids []string) ([]memory.Item, error) {
	var out []memory.Item
	for _, id := range ids {
		it, err := sp.Known(ctx, id)
		if err != nil {
			return nil, err
		}
		if it != nil {
			out = append(out, *it)
		}
	}
	return out, nil
}
