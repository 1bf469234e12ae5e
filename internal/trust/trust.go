// Package trust keeps what a person has accepted of a repository's text: which
// contents, by their hash, which they turned down, and whether they trust the repository
// from now on.
//
// The record is a file of JSON lines in the user's home, which no repository
// can reach. It holds hashes, times and names, no text. It decides nothing:
// [orihon/internal/store] asks it about what it reads, and whoever writes on a
// person's behalf adds to it. Start with [Open].
//
// A [Book] is safe for several goroutines, and several processes may add to the
// same file. Reading costs one pass over the file when it has changed.
package trust

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"sync"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// The operations of a record.
const (
	opAccept  = "accept"  // this content
	opTrust   = "trust"   // everything, from now on
	opUntrust = "untrust" // only what was accepted by itself

	opReject   = "reject"   // this content is not to be shown
	opUnreject = "unreject" // it waits again
)

// version is the format of a line.
const version = 1

// entry is one line of the record.
type entry struct {
	V    int       `json:"v"`
	Op   string    `json:"op"`
	Hash string    `json:"hash,omitempty"`
	At   time.Time `json:"at"`
	By   string    `json:"by,omitempty"`
}

// Book is the record of one project.
type Book struct {
	path string
	by   string
	now  func() time.Time

	mu       sync.Mutex
	size     int64 // of the file when it was read; -1 before
	accepted map[string]bool
	rejected map[string]bool
	all      bool
	epoch    int
}

// Open returns the record at a path, for entries made by a user. It touches no
// file until it is asked.
func Open(path, by string, now func() time.Time) *Book {
	return &Book{path: path, by: by, now: now, size: -1}
}

// Accepted reports whether the person accepted content with this hash, or
// trusts the repository whatever it says. A record that cannot be read accepts
// nothing.
func (b *Book) Accepted(hash string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.size < 0 {
		_ = b.read()
	}
	return b.accepted[hash] || b.all && !b.rejected[hash]
}

// Rejected reports whether the person turned content with this hash down.
func (b *Book) Rejected(hash string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.size < 0 {
		_ = b.read()
	}
	return b.rejected[hash]
}

// AcceptedItself is [Book.Accepted] for what runs: to trust a repository from now
// on is not enough, the very content must have been accepted.
func (b *Book) AcceptedItself(hash string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.size < 0 {
		_ = b.read()
	}
	return b.accepted[hash]
}

// All reports whether the repository is trusted from now on.
func (b *Book) All() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.size < 0 {
		_ = b.read()
	}
	return b.all
}

// Epoch reads the record again if it has changed, and names the state in which
// everything was accepted or single contents were, and which were rejected: what was
// judged in another one must be judged again.
func (b *Book) Epoch() (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.read()
	return strconv.Itoa(b.epoch), err
}

// read brings the book up to date with its file.
func (b *Book) read() error {
	info, err := os.Stat(b.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		b.size, b.accepted, b.rejected, b.all, b.epoch = 0, nil, nil, false, 0
		return nil
	case err != nil:
		return fmt.Errorf("read what was accepted: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: %w: it is no file: move it away", b.path, memory.ErrInvalid)
	case info.Size() == b.size:
		return nil
	}
	accepted, rejected, all, epoch := make(map[string]bool), make(map[string]bool), false, 0
	end, err := jsonl.Read(b.path, 0, func(line []byte, _ int64, _ int) error {
		var e entry
		if json.Unmarshal(line, &e) != nil || e.V > version {
			return nil // what cannot be read accepts nothing
		}
		switch e.Op {
		case opAccept:
			accepted[e.Hash] = true
			if rejected[e.Hash] {
				delete(rejected, e.Hash)
				epoch++
			}
		case opReject, opUnreject:
			delete(accepted, e.Hash)
			delete(rejected, e.Hash)
			if e.Op == opReject {
				rejected[e.Hash] = true
			}
			epoch++
		case opTrust, opUntrust:
			all = e.Op == opTrust
			epoch++
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read what was accepted: %w", err)
	}
	b.size, b.accepted, b.rejected, b.all, b.epoch = max(end, info.Size()), accepted, rejected, all, epoch
	return nil
}

// Accept adds contents by their hashes; those that are accepted one by one
// already are left out.
func (b *Book) Accept(ctx context.Context, hashes ...string) error {
	b.mu.Lock()
	if err := b.read(); err != nil {
		b.mu.Unlock()
		return err
	}
	var entries []entry
	for _, h := range hashes {
		if h != "" && !b.accepted[h] {
			entries = append(entries, entry{Op: opAccept, Hash: h})
		}
	}
	b.mu.Unlock()
	return b.add(ctx, entries...)
}

// Trust accepts everything that the repository says, from now on.
func (b *Book) Trust(ctx context.Context) error { return b.add(ctx, entry{Op: opTrust}) }

// Reject turns contents down by their hashes: they are neither accepted nor shown.
// To accept one takes it back.
func (b *Book) Reject(ctx context.Context, hashes ...string) error {
	return b.addEach(ctx, opReject, hashes)
}

// Unreject takes [Book.Reject] back: the contents wait again.
func (b *Book) Unreject(ctx context.Context, hashes ...string) error {
	return b.addEach(ctx, opUnreject, hashes)
}

func (b *Book) addEach(ctx context.Context, op string, hashes []string) error {
	var entries []entry
	for _, h := range hashes {
		if h != "" {
			entries = append(entries, entry{Op: op, Hash: h})
		}
	}
	return b.add(ctx, entries...)
}

// Untrust takes [Book.Trust] back; contents that were accepted one by one stay
// accepted.
func (b *Book) Untrust(ctx context.Context) error { return b.add(ctx, entry{Op: opUntrust}) }

func (b *Book) add(ctx context.Context, entries ...entry) error {
	if len(entries) == 0 {
		return nil
	}
	lines := make([][]byte, len(entries))
	for i, e := range entries {
		e.V, e.At, e.By = version, b.now().UTC(), b.by
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		lines[i] = line
	}
	if _, err := jsonl.Append(ctx, b.path, &jsonl.Options{Sync: true}, lines...); err != nil {
		return fmt.Errorf("note what was accepted: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.read()
}
