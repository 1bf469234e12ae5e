// Package sqlite is the derived index: a [memory.Index] in one SQLite file.
//
// Everything in it comes from text files and can be deleted at any time; a
// file of another format, of another tokenizer or with damage in it is
// replaced by an empty one and says so in its [memory.Stamp]. It finds
// candidates and gives the raw score of each leg; it does not decide what is
// relevant (that is recall's work) and it never reads the text files itself.
//
// Start with [Open], then Index.Apply and Index.Search.
//
// Costs, with n passages, m of them holding a query term, k candidates:
//
//	Apply   O(changed text) and one transaction
//	Search  full text O(m log k); vectors O(n) codes and O(k) vectors; pending
//	        passages O(pending)
//	Open    O(1)
//
// Several processes may share the file: readers never wait (write-ahead log),
// writers take turns through a file lock beside it, because SQLite's own busy
// handler sleeps and is unfair.
package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"

	"orihon/internal/jsonl"
	"orihon/internal/score"
	"orihon/memory"
)

//go:embed schema.sql
var schema string

// Format is the version of the schema; a file of any other version is rebuilt.
const Format = 11

// Options of [Open]. The zero value is not usable: Embedder is required.
type Options struct {
	// Embedder makes the vectors of what is applied. It must be the one that
	// makes the vectors of the queries. When the index holds another's vectors,
	// searches leave the vectors out until [Index.Reembed] has been called.
	Embedder memory.Embedder
	// ReadOnly opens what is there and creates, repairs and writes nothing;
	// Open then fails with [memory.ErrNotFound] when there is no index and
	// with [memory.ErrStale] when it would have to be rebuilt. Even readers write
	// beside the file; where that is not possible, on a full disk or a
	// read-only one, it is read as it is, see [Index.Frozen].
	ReadOnly bool
	Logger   *slog.Logger // nil discards
}

// Index is an open index. It is safe for use by several goroutines.
type Index struct {
	path    string
	db      *sql.DB
	opened  memory.Embedding // as it was when the file was opened
	embed   memory.Embedder
	log     *slog.Logger
	stale   string // why Open started over; empty when it did not
	frozen  bool   // it is read as if nobody wrote to it, because nobody can
	pending atomic.Pointer[score.Pending]
	vectors vectorCache

	connections connections // of searches
}

// Open opens or creates the index file at path, in a folder that is created
// when missing. Damage, another format or another tokenizer make it start over
// with an empty file; Stamp then says why. Vectors of another embedder stay.
func Open(ctx context.Context, path string, o *Options) (_ *Index, err error) {
	defer faults(&err)()
	x := &Index{path: path, embed: o.Embedder, log: o.Logger}
	if x.log == nil {
		x.log = slog.New(slog.DiscardHandler)
	}
	if o.ReadOnly {
		return x, x.openReadOnly(ctx)
	}
	if err := makeWay(filepath.Dir(path), x.log); err != nil {
		return nil, err
	}
	if err = Blocked(path); err == nil {
		err = x.openOrCreate(ctx)
	}
	if err == nil {
		return x, nil
	}
	if !Damaged(err) && !unreadable(path) {
		return nil, err
	}
	if err := x.startOver(ctx); err != nil {
		return nil, err
	}
	return x, nil
}

// Delete removes an index with its write-ahead log, when no process is writing
// or creating it. Nothing is lost by it: what is no index is moved aside.
func Delete(path string, log *slog.Logger) error {
	if _, err := os.Lstat(filepath.Dir(path)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err := makeWay(filepath.Dir(path), log); err != nil {
		return err
	}
	unlock, err := jsonl.Lock(context.Background(), path+lockSuffix)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	defer unlock()
	return remove(path, log)
}

// Frozen reports whether the file is read without regard for other processes,
// because nothing could be written beside it when it was opened. It should be
// opened anew before long.
func (x *Index) Frozen() bool { return x.frozen }

// Close lets go of the file. What is pending is forgotten.
func (x *Index) Close() (err error) {
	defer faults(&err)()
	return errors.Join(x.connections.close(), x.db.Close())
}

// Pend makes Search see a batch without writing it. It replaces what was
// pending before; [Index.Apply] does not touch it. Costs grow with the batch,
// at every search.
func (x *Index) Pend(ctx context.Context, b memory.Batch) error {
	if b.Empty() {
		x.pending.Store(nil)
		return nil
	}
	p, err := x.prepareBatch(ctx, &b)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	x.pending.Store(p)
	return nil
}

func (x *Index) prepareBatch(ctx context.Context, b *memory.Batch) (*score.Pending, error) {
	p := score.NewPending(b)
	entries := make([]*score.Entry, len(p.Entries))
	for i := range p.Entries {
		entries[i] = &p.Entries[i]
	}
	return p, x.embedEntries(ctx, entries)
}

var (
	_ memory.Index      = (*Index)(nil)
	_ memory.Recent     = (*Index)(nil)
	_ memory.Speller    = (*Index)(nil)
	_ memory.Pending    = (*Index)(nil)
	_ memory.Syncable   = (*Index)(nil)
	_ memory.Checker    = (*Index)(nil)
	_ memory.Wiper      = (*Index)(nil)
	_ memory.Freezer    = (*Index)(nil)
	_ memory.Trainable  = (*Index)(nil)
	_ memory.Reembedder = (*Index)(nil)
)
