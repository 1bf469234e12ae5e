package space

import (
	"context"
	"fmt"
	"sync"

	"orihon/embed"
	"orihon/memory"
)

// vectors is which embedder a space uses: always the one whose vectors its index
// holds, whatever is configured. What is configured comes in by
// [Space.Refresh], which makes the vectors of all passages anew and lets the
// old ones serve meanwhile.
//
// As a [memory.Embedder] it is the serving one. It is safe for use by several
// goroutines.
type vectors struct {
	configured func() (memory.Embedder, error)

	turn    sync.RWMutex // held while a prompt is embedded and searched for
	mu      sync.Mutex
	serving memory.Embedder
}

func newVectors(configured func() (memory.Embedder, error)) *vectors {
	return &vectors{configured: configured, serving: embed.NewTable()}
}

func (v *vectors) current() memory.Embedder {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.serving
}

// ID is that of the serving embedder.
func (v *vectors) ID() string { return v.current().ID() }

// Embed is the serving embedder's.
func (v *vectors) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return v.current().Embed(ctx, texts)
}

// EmbedQuery is the serving embedder's.
func (v *vectors) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	return embed.Query(ctx, v.current(), text)
}

// use makes the embedder of an ID serve. One that cannot be had serves all the
// same, and fails when it is asked: vectors of another would be compared with
// those in the index.
func (v *vectors) use(id string) {
	if id == "" || v.ID() == id {
		return
	}
	e, err := v.open(id)
	if err != nil {
		e = missing{id, err}
	}
	v.replace(e)
}

// hold keeps the serving embedder until unlock is called.
func (v *vectors) hold() (unlock func()) {
	v.turn.RLock()
	return v.turn.RUnlock
}

// replace lets e serve. Nothing is being embedded by that: prompts hold turn, and
// writers the lock of the space, as does who calls this.
func (v *vectors) replace(e memory.Embedder) {
	v.turn.Lock()
	defer v.turn.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.serving = e
}

// open opens the embedder of an ID: the built-in one, or what is configured.
func (v *vectors) open(id string) (memory.Embedder, error) {
	if builtin := embed.NewTable(); builtin.ID() == id {
		return builtin, nil
	}
	e, err := v.configured()
	if err != nil {
		return nil, err
	}
	if e == nil || e.ID() != id {
		return nil, fmt.Errorf("the vectors are of %s: %w: it is not configured", id, memory.ErrNotFound)
	}
	return e, nil
}

// missing stands for an embedder whose vectors are there and which itself is
// not.
type missing struct {
	id  string
	err error
}

// ID implements [memory.Embedder].
func (m missing) ID() string { return m.id }

// Embed implements [memory.Embedder].
func (m missing) Embed(context.Context, []string) ([][]float32, error) { return nil, m.err }

// NoVector is what a result names when a prompt got no vector.
const NoVector = "embedder"

// Embed makes vectors of texts by the embedder that serves, and tells which it is.
func (sp *Space) Embed(ctx context.Context, texts []string) (model string, vectors [][]float32, err error) {
	defer sp.vectors.hold()()
	vectors, err = sp.vectors.Embed(ctx, texts)
	return sp.vectors.ID(), vectors, err
}

// EmbedQuery makes the vector of what is searched for, and tells by which
// embedder.
func (sp *Space) EmbedQuery(ctx context.Context, text string) (model string, vector []float32, err error) {
	vector, err = sp.vectors.EmbedQuery(ctx, text)
	return sp.vectors.ID(), vector, err
}
