package instincts

import (
	"context"
	"errors"
)

// Forget takes an instinct out, so that the same habit is not learned again.
func (t *Instincts) Forget(ctx context.Context, id string) (Instinct, error) {
	in, err := t.Get(id)
	if err != nil {
		return in, err
	}
	store, _ := t.stores()
	if in.Everywhere {
		_, store = t.stores()
	}
	unlock, err := store.Lock(ctx)
	if err != nil {
		return in, err
	}
	defer unlock()
	return in, errors.Join(store.Forget(in.ID), t.refresh())
}

// Believe sets how far an instinct is believed, as a person or a contradiction has it.
func (t *Instincts) Believe(ctx context.Context, id string, confidence float64) error {
	in, err := t.Get(id)
	if err != nil {
		return err
	}
	store, everywhere := t.stores()
	if in.Everywhere {
		store = everywhere
	}
	unlock, err := store.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	in.Confidence = confidence
	return errors.Join(store.Put(&in.Instinct), t.refresh())
}
