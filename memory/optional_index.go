package memory

import (
	"context"
	"iter"
	"time"
)

// What an [Index] may offer beyond the protocol, one interface for each thing
// that callers want. Who needs one asks by a type assertion and does without
// where an index has it not.

// Recent finds the newest passages without reading the others.
type Recent interface {
	// Newest returns the n passages created last of those that pass the filter,
	// newest first; among equals the ID decides.
	Newest(ctx context.Context, f Filter, n int) ([]Passage, error)
}

// Speller finds what a mistyped word is meant for.
type Speller interface {
	// Spelled returns for each of some terms itself when a passage holds it, or
	// else the one known term that differs from it by the fewest slips of the
	// keyboard; those with none or with several are left out.
	Spelled(ctx context.Context, words []string) (map[string]string, error)
}

// Pending searches a batch beside the index without writing it, for readers
// that must see what was just written.
type Pending interface {
	// Pend replaces what was pending before; an empty batch ends it. What is
	// pending is not in the stamp, and Close forgets it.
	Pend(ctx context.Context, b Batch) error
}

// Syncable remembers the files it was built from one by one, so that a sync
// reads only what it needs.
type Syncable interface {
	// Files returns what is remembered of the files of some kinds, by path.
	Files(ctx context.Context, kinds ...string) ([]File, error)
	// FilesAt returns what is remembered of the files with these paths, by path.
	FilesAt(ctx context.Context, paths ...string) ([]File, error)
	// Synced records the end of a complete sync, which the stamp then tells.
	Synced(ctx context.Context, at time.Time) error
}

// Checker says in what state an index is.
type Checker interface {
	// Check reports the first damage that it finds.
	Check(ctx context.Context) error
	// Statements counts the passages that recall may find, turns left out.
	Statements(ctx context.Context) (int, error)
}

// Wiper leaves no trace of what was removed.
type Wiper interface {
	// Wipe takes removed text out of everything that the index keeps.
	Wipe(ctx context.Context) error
}

// Freezer may have been opened without regard for other processes.
type Freezer interface {
	// Frozen reports whether the index is read as it was when it was opened,
	// because nothing could be written beside it. It should be opened anew before
	// long.
	Frozen() bool
}

// Trainable gives the texts of its passages to who trains an embedder on them.
type Trainable interface {
	// Passages yields the texts of all live passages, by ID. One at a time is
	// held.
	Passages(ctx context.Context) iter.Seq2[PassageText, error]
}

// PassageText is what a passage is embedded by, and where it was said.
type PassageText struct {
	ID, Text string
	Turn     bool // of a conversation, at Line of the journal of Session
	Session  string
	Line     int
}

// Reembedder changes the embedder of an index that stays in use.
type Reembedder interface {
	// Reembed makes vectors of every passage by e and then lets them serve in the
	// place of those there were; until then searches use the old ones. With the
	// serving embedder it makes what is missing. Ended early, by an error or by
	// ctx, it has changed nothing for readers, and the next call with the same
	// embedder goes on. One call works at a time; others return [ErrBusy] at
	// once. progress, which may be nil, is told how many passages of how many
	// have their vector.
	Reembed(ctx context.Context, e Embedder, progress func(done, total int)) error
	// Embedding returns the state of the vectors now, Opened as it was when the
	// index was opened.
	Embedding(ctx context.Context) (Embedding, error)
	Opened() Embedding
}

// Embedding says whose vectors an index holds and of how many passages.
type Embedding struct {
	Passages int    // that should have a vector
	Serving  string // ID of the embedder whose vectors are searched
	Embedded int    // passages that have one of it
	// Next is the embedder that [Reembedder.Reembed] has begun to change to;
	// empty when it is not under way.
	Next         string
	NextEmbedded int
}
