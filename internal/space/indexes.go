package space

import (
	"context"
	"iter"
	"slices"
	"time"

	"orihon/embed"
	"orihon/memory"
)

// Index is what a space asks of its index: the protocol, and what an index may
// offer beyond it.
type Index interface {
	memory.Index
	memory.Recent
	memory.Pending
	memory.Syncable
	memory.Checker
	memory.Wiper
	memory.Freezer
	memory.Trainable
	memory.Reembedder
}

// adaptedIndex is an index of somebody else's. What it does not offer beyond the
// protocol is done by way of that, or not at all.
type adaptedIndex struct {
	memory.Index
	memory.Recent
	memory.Pending
	memory.Syncable
	memory.Checker
	memory.Wiper
	memory.Freezer
	memory.Trainable
	memory.Reembedder
}

func adaptIndex(x memory.Index) Index {
	p := plain{x}
	a := adaptedIndex{x, p, p, p, p, p, p, p, p}
	if own, ok := x.(memory.Recent); ok {
		a.Recent = own
	}
	if own, ok := x.(memory.Pending); ok {
		a.Pending = own
	}
	if own, ok := x.(memory.Syncable); ok {
		a.Syncable = own
	}
	if own, ok := x.(memory.Checker); ok {
		a.Checker = own
	}
	if own, ok := x.(memory.Wiper); ok {
		a.Wiper = own
	}
	if own, ok := x.(memory.Freezer); ok {
		a.Freezer = own
	}
	if own, ok := x.(memory.Trainable); ok {
		a.Trainable = own
	}
	if own, ok := x.(memory.Reembedder); ok {
		a.Reembedder = own
	}
	return a
}

// Close does nothing: who gave the index closes it.
func (a adaptedIndex) Close() error { return nil }

// plain does by way of the protocol alone what an index may offer beyond it.
type plain struct{ memory.Index }

// Newest implements [memory.Recent].
func (p plain) Newest(ctx context.Context, f memory.Filter, n int) ([]memory.Passage, error) {
	all, err := p.Fetch(ctx, f)
	return all[:min(n, len(all))], err
}

// Pend applies at once.
func (p plain) Pend(ctx context.Context, b memory.Batch) error {
	if len(b.Put)+len(b.Files)+len(b.Gone)+len(b.Remove) == 0 {
		return nil
	}
	return p.Apply(ctx, b)
}

// Files implements [memory.Syncable].
func (p plain) Files(ctx context.Context, kinds ...string) (out []memory.File, err error) {
	return p.files(ctx, func(f *memory.File) string { return f.Kind }, kinds)
}

// FilesAt implements [memory.Syncable].
func (p plain) FilesAt(ctx context.Context, paths ...string) ([]memory.File, error) {
	return p.files(ctx, func(f *memory.File) string { return f.Path }, paths)
}

func (p plain) files(ctx context.Context, of func(*memory.File) string, among []string) (out []memory.File, err error) {
	s, err := p.Stamp(ctx)
	for i := range s.Files {
		if slices.Contains(among, of(&s.Files[i])) {
			out = append(out, s.Files[i])
		}
	}
	return out, err
}

// Synced implements [memory.Syncable]; it is not noted.
func (p plain) Synced(context.Context, time.Time) error { return nil }

// Check implements [memory.Checker]; nothing is known of damage.
func (p plain) Check(context.Context) error { return nil }

// Wipe implements [memory.Wiper]; what was removed is trusted to be gone.
func (p plain) Wipe(context.Context) error { return nil }

// Frozen implements [memory.Freezer].
func (p plain) Frozen() bool { return false }

// Statements counts turns, too: the protocol does not tell them apart.
func (p plain) Statements(ctx context.Context) (int, error) {
	s, err := p.Stamp(ctx)
	return s.Passages, err
}

// Passages implements [memory.Trainable]; there is nothing to train on.
func (p plain) Passages(ctx context.Context) iter.Seq2[memory.PassageText, error] {
	return func(func(memory.PassageText, error) bool) {}
}

// Reembed implements [memory.Reembedder]; the index has its own vectors or none.
func (p plain) Reembed(context.Context, memory.Embedder, func(done, total int)) error { return nil }

// Embedding implements [memory.Reembedder].
func (p plain) Embedding(context.Context) (memory.Embedding, error) { return p.Opened(), nil }

// Opened says that nothing is there to be embedded.
func (p plain) Opened() memory.Embedding { return memory.Embedding{Serving: embed.NewTable().ID()} }
