package memorytest

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"
	"unicode/utf8"

	"orihon/memory"
)

// Store is a [memory.Store] that forgets everything with the process. Its zero
// value is ready for use.
type Store struct {
	mu    sync.RWMutex
	order []string
	items map[string]memory.Stored
}

var _ memory.Store = (*Store)(nil)

// Put keeps one version of each item.
func (s *Store) Put(ctx context.Context, items ...memory.Item) error {
	for i := range items {
		if err := items[i].Validate(); err != nil {
			return err
		}
		if !utf8.ValidString(items[i].Content) {
			return fmt.Errorf("%w item %s: not UTF-8", memory.ErrInvalid, items[i].ID)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.items == nil {
		s.items = make(map[string]memory.Stored)
	}
	for _, it := range items {
		it.Kind, _ = memory.ParseKind(string(it.Kind))
		if _, known := s.items[it.ID]; !known {
			s.order = append(s.order, it.ID)
		}
		s.items[it.ID] = memory.Stored{Item: it, Path: "memory"}
	}
	return nil
}

// Get returns the current version of an item that is not retired.
func (s *Store) Get(_ context.Context, id string) (memory.Item, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if st, ok := s.items[id]; ok && !st.Retired {
		return st.Item, nil
	}
	return memory.Item{}, fmt.Errorf("item %s: %w", id, memory.ErrNotFound)
}

// Scan yields the items in the order in which they first came, as they are
// when it begins.
func (s *Store) Scan(ctx context.Context) iter.Seq2[memory.Stored, error] {
	return func(yield func(memory.Stored, error) bool) {
		s.mu.RLock()
		all := make([]memory.Stored, 0, len(s.order))
		for _, id := range s.order {
			all = append(all, s.items[id])
		}
		s.mu.RUnlock()
		for _, st := range all {
			if err := ctx.Err(); err != nil {
				yield(memory.Stored{}, err)
				return
			}
			if !yield(st, nil) {
				return
			}
		}
	}
}

// Remove retires an item.
func (s *Store) Remove(_ context.Context, id, reason string, _ time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.items[id]
	if !ok {
		return fmt.Errorf("item %s: %w", id, memory.ErrNotFound)
	}
	if !st.Retired {
		st.Retired, st.Reason = true, reason
		s.items[id] = st
	}
	return nil
}
