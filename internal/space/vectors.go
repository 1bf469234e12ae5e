package space

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"orihon/embed"
	"orihon/memory"
)

// latentMin is the number of passages from which on vectors are learned from
// the store itself; below it hashed features serve. Recall at 5 of the vectors
// alone, hashed against learned, on all stretches of so many turns of the LoCoMo
// conversations, with the questions that each can answer: 15 .70/.79, 20 .65/.78,
// 30 .60/.74, 50 .52/.73. Turns that stand by themselves, as statements do, gain
// as much. Below 20 whatever is there is found anyway, and a model would be
// learned with every few statements.
const latentMin = 20

// vectors is which embedder a space uses: always the one whose vectors its index
// holds, whatever is configured. What is configured comes in by
// [Space.Refresh], which makes the vectors of all passages anew and lets the
// old ones serve meanwhile.
//
// As a [memory.Embedder] it is the serving one. It is safe for use by several
// goroutines.
type vectors struct {
	dir        string // of trained models, beside the index
	configured func() (memory.Embedder, error)

	turn    sync.RWMutex // held while a prompt is embedded and searched for
	mu      sync.Mutex
	serving memory.Embedder
}

func newVectors(dir string, configured func() (memory.Embedder, error)) *vectors {
	return &vectors{dir: dir, configured: configured, serving: embed.NewHash(0)}
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

// replace lets e serve and closes the model that did. Nothing is being embedded
// by that: prompts hold turn, and writers the lock of the space, as does who
// calls this.
func (v *vectors) replace(e memory.Embedder) {
	v.turn.Lock()
	defer v.turn.Unlock()
	v.mu.Lock()
	old := v.serving
	v.serving = e
	v.mu.Unlock()
	if m, ok := old.(*embed.Latent); ok && old != e {
		_ = m.Close() // it was only read
	}
}

// drop closes a model that came not to serve.
func (v *vectors) drop(e memory.Embedder) {
	if m, ok := e.(*embed.Latent); ok && v.current() != e {
		_ = m.Close() // it was only read
	}
}

// open opens the embedder of an ID: built in, trained here, or configured.
func (v *vectors) open(id string) (memory.Embedder, error) {
	if hash := embed.NewHash(0); hash.ID() == id {
		return hash, nil
	}
	if strings.HasPrefix(id, "builtin/") {
		m, err := embed.OpenLatent(v.modelPath(id))
		if err != nil {
			return nil, err
		}
		if m.ID() != id {
			err := fmt.Errorf("model %s: %w: it is %s", v.modelPath(id), memory.ErrInvalid, m.ID())
			return nil, errors.Join(err, m.Close())
		}
		return m, nil
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

// Models lie beside the index, named by what the ID ends in.
const modelSuffix = ".lsa"

func (v *vectors) modelPath(id string) string {
	return filepath.Join(v.dir, filepath.Base(filepath.FromSlash(id))+modelSuffix)
}

// sweep removes the models that nobody needs: all but the given ones. A file
// that another process has open stays where the system wants it so, until the
// next time.
func (v *vectors) sweep(keep ...string) error {
	files, err := filepath.Glob(filepath.Join(v.dir, "*"+modelSuffix))
	for _, path := range files {
		if slices.ContainsFunc(keep, func(id string) bool { return v.modelPath(id) == path }) {
			continue
		}
		if rerr := os.Remove(path); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	return err
}

// forget removes all models and lets hashed features serve.
func (v *vectors) forget() error {
	v.use(embed.NewHash(0).ID())
	return v.sweep()
}

// untrained reports whether nothing was ever learned from the passages.
func (v *vectors) untrained() bool {
	_, trained := v.current().(*embed.Latent)
	files, _ := filepath.Glob(filepath.Join(v.dir, "*"+modelSuffix))
	return !trained && len(files) == 0
}

// builtin is the embedder that a space of that many passages should have
// without any configured one; it may have to be trained.
func (v *vectors) builtin(ctx context.Context, x Index, state memory.Embedding) (memory.Embedder, error) {
	n := state.Passages
	if m, ok := v.current().(*embed.Latent); ok && fits(m, n) {
		return m, nil
	}
	if n < latentMin {
		return embed.NewHash(0), nil
	}
	// One that was being changed to need not be trained again.
	if e, err := v.open(state.Next); state.Next != "" && err == nil {
		if m, ok := e.(*embed.Latent); ok && fits(m, n) {
			return m, nil
		}
	}
	trained, err := embed.Train(ctx, docs(ctx, x), nil)
	if err != nil {
		return nil, err
	}
	path := v.modelPath(trained.ID())
	if err := trained.Save(path); err != nil {
		return nil, err
	}
	return embed.OpenLatent(path)
}

// fits reports whether a model is sound and was trained on about as many
// passages: less than a quarter more have come, and not half of them gone.
func fits(m *embed.Latent, passages int) bool {
	_, total := m.Passages()
	return passages*4 < total*5 && passages*2 >= total && m.Check() == nil
}

// docs are the passages of an index, to be trained on.
func docs(ctx context.Context, x Index) iter.Seq2[embed.Doc, error] {
	return func(yield func(embed.Doc, error) bool) {
		for p, err := range x.Passages(ctx) {
			d := embed.Doc{ID: p.ID, Text: p.Text}
			if p.Turn {
				d.Thread, d.Pos = p.Session, p.Line
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

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
