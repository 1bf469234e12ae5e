package space

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"orihon/internal/sqlite"
	"orihon/memory"
)

// IndexStatus describes the index of a space.
type IndexStatus struct {
	Passages int
	Synced   time.Time
	Stale    string // why the index is to be rebuilt
	Embedder EmbedderStatus
}

// IndexStatus looks at the index and changes nothing.
func (sp *Space) IndexStatus(ctx context.Context) (s IndexStatus) {
	if sp.given != nil {
		stamp, err := sp.given.Stamp(ctx)
		if err != nil {
			stamp.Stale = err.Error()
		}
		return IndexStatus{Passages: stamp.Passages, Synced: stamp.Synced, Stale: stamp.Stale}
	}
	x, err := sqlite.Open(ctx, sp.IndexPath(), &sqlite.Options{Embedder: sp.vectors, ReadOnly: true})
	switch {
	case errors.Is(err, memory.ErrNotFound):
		s.Stale = "not built yet"
		return s
	case err != nil:
		s.Stale = err.Error()
		return s
	}
	defer x.Close()
	stamp, err := x.Stamp(ctx)
	if err != nil {
		s.Stale = err.Error()
		return s
	}
	s.Passages, s.Synced, s.Stale = stamp.Passages, stamp.Synced, stamp.Stale
	if state, err := x.Embedding(ctx); err == nil {
		s.Embedder = sp.vectors.describe(state)
	}
	return s
}

// Compare brings the index up to date, checks its file, and that it holds a
// passage for each of so many statements in the text. While another process
// syncs it, nothing is compared.
func (sp *Space) Compare(ctx context.Context, text int) (Synced, error) {
	if err := sqlite.Blocked(sp.IndexPath()); err != nil {
		return Synced{}, err
	}
	done, err := sp.Sync(ctx)
	if err != nil || done.Busy {
		return done, err
	}
	if err := sp.index.Check(ctx); err != nil {
		if sqlite.Damaged(err) {
			err = errors.Join(err, sp.damaged())
		}
		return Synced{}, err
	}
	if sp.given != nil {
		return done, nil // how it counts is its own matter
	}
	statements, err := sp.index.Statements(ctx)
	if err != nil {
		return done, err
	}
	if statements != text {
		return done, fmt.Errorf("%s: %d statements stand in the index, %d in the text", sp.IndexPath(), statements, text)
	}
	return done, nil
}

// Rebuild throws the index away and builds it from the text.
func (sp *Space) Rebuild(ctx context.Context) error {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	_, err := sp.rebuild(ctx)
	return err
}

// EmbedderStatus describes the vectors of a space.
type EmbedderStatus struct {
	ID        string `json:"id"` // provider, model and dimension
	Dimension int    `json:"dimension,omitzero"`
	// Next is the embedder that vectors are being made of; empty when none.
	Next    string `json:"next,omitempty"`
	Problem string `json:"problem,omitempty"` // why prompts get no vector
}

// describe looks at the embedder of an ID without making it serve.
func (v *vectors) describe(state memory.Embedding) EmbedderStatus {
	s := EmbedderStatus{ID: state.Serving, Next: state.Next, Dimension: dimension(state.Serving)}
	if _, err := v.open(state.Serving); err != nil {
		s.Problem = err.Error()
	}
	return s
}

// dimension reads it from an ID, which has it as a part of its own; 0 when not.
func dimension(id string) (n int) {
	for part := range strings.SplitSeq(id, "/") {
		if d, err := strconv.Atoi(part); err == nil {
			n = d
		}
	}
	return n
}
