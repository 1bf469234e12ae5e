// Package space is one home of memory, the user's or the project's: its text,
// the index and the vectors that are derived from it, and the journals of its
// sessions. A space opens its index when it is first asked, brings it up to date
// with the text, mends it when it is damaged, and swaps its vectors while the old
// ones serve.
//
// It decides nothing about items and knows no project but by its folders. Start
// at [Open], [Space.Reader] and [Space.Sync].
package space

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"orihon/embed"
	"orihon/internal/jsonl"
	"orihon/internal/project"
	"orihon/internal/redact"
	"orihon/internal/store"
	"orihon/journal"
	"orihon/memory"
)

// The names of the two spaces.
const (
	Project = "project"
	User    = "user"
)

// Options of [Open].
type Options struct {
	Name  string        // [Project] or [User]
	Dir   project.Space // where it lies
	Roots []store.Root  // the folders of its text
	// Store keeps the items in place of files, Index finds them in place of
	// SQLite; nil means those. Who gave them closes them.
	Store memory.Store
	Index memory.Index
	Owner string // whose memory it is
	// Project is the ID of the project in which decisions about it are made, for the audit
	// trail of a space that belongs to none; empty notes nothing.
	Project string

	// ReadOnly makes recall read the index without writing it, and see what the
	// text has gained since by reading its ends.
	ReadOnly bool
	Redactor *redact.Redactor
	// Configured opens the embedder that the settings name; it returns nil for
	// the one that is built in.
	Configured func() (memory.Embedder, error)
	// MayChange refuses a change of the text that this user may not make; nil
	// refuses none.
	MayChange func(ctx context.Context, it *memory.Item) error
	// Committers are who committed files of the text last, by path; nil asks
	// nobody.
	Committers func(ctx context.Context, paths []string) map[string]string

	Now        func() time.Time
	NewID      func() string
	Logger     *slog.Logger
	Unembedded *Seldom // shared by spaces; nil is one of its own
}

// Space is one home of memory. It is safe for use by several goroutines.
type Space struct {
	Name string
	Dir  project.Space
	Text Text

	owner      string
	readOnly   bool
	now        func() time.Time
	log        *slog.Logger
	vectors    *vectors
	unembedded *Seldom
	committers func(ctx context.Context, paths []string) map[string]string

	mu    sync.Mutex
	index Index // nil until it is needed
	// complete says that the index was synced as a whole once: to ask it reads all that
	// it knows of files.
	complete bool
	given    Index // in place of one in a file; nil without
	late     bool  // the index needs a sync that this process left to another
	dirty    bool  // files have changed since the last sync, see [Space.Touch]
	// changed are IDs of shared statements that syncs have read and nobody has
	// reconciled yet.
	changed []string
	// pulled is what a look without a sync found of files that others write; nil when
	// they lie as the last sync left them.
	pulled *memory.Batch
	// unread says that a whole file or folder of the text could not be read.
	unread bool
}

// Open makes a space over its folders. It reads and creates nothing.
func Open(o *Options) (*Space, error) {
	sp := &Space{
		Name: o.Name, Dir: o.Dir, owner: o.Owner, readOnly: o.ReadOnly, now: o.Now, log: o.Logger,
		vectors: newVectors(o.Configured), unembedded: o.Unembedded, committers: o.Committers,
	}
	if sp.unembedded == nil {
		sp.unembedded = new(Seldom)
	}
	roots := o.Roots
	if o.Store != nil {
		roots = nil
	}
	text, err := store.Open(&store.Options{
		Roots: roots, State: string(o.Dir), Redactor: o.Redactor, Now: o.Now, NewID: o.NewID, Logger: o.Logger,
		Covered: func(session string) bool {
			_, err := journal.Stat(o.Dir.Session(session))
			return err == nil
		},
	})
	if err != nil {
		return nil, err
	}
	sp.Text = Text{text, o.MayChange, o.Project}
	if o.Store != nil {
		sp.Text.Store = adapt(o.Store, text)
	}
	if o.Index != nil {
		sp.given = adaptIndex(o.Index)
	}
	return sp, nil
}

// Seldom keeps what comes with every prompt from filling a log, in all spaces
// together. The zero value is ready.
type Seldom struct {
	mu   sync.Mutex
	last time.Time
}

// due reports whether it is time to tell it again.
func (s *Seldom) due(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ago := now.Sub(s.last); ago >= 0 && ago < time.Minute {
		return false
	}
	s.last = now
	return true
}

// Close releases the index and the vectors.
func (sp *Space) Close() error {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.vectors.replace(embed.NewTable())
	if sp.index == nil {
		return nil
	}
	err := sp.index.Close()
	sp.index = nil
	return err
}

// ReadOnly reports whether the index is only read.
func (sp *Space) ReadOnly() bool { return sp.readOnly }

// Late reports whether recall found that the index lags behind its text, so that
// a sync is worth a process of its own.
func (sp *Space) Late() bool {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	return sp.late
}

// Touch notes that files have changed, so that the next search reads them first.
func (sp *Space) Touch() {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.dirty = true
}

// Statements counts what the index holds beside conversations, and tells whether
// any of it was there before a time. What cannot be told counts as much.
func (sp *Space) Statements(ctx context.Context, visible []memory.Scope, before time.Time) (n int, old bool) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if sp.index == nil {
		return 0, false
	}
	n, err := sp.index.Statements(ctx)
	if err != nil {
		return n, true
	}
	first, err := sp.index.Newest(ctx, memory.Filter{Scopes: visible, Until: before, NoTurns: true}, 1)
	return n, err != nil || len(first) > 0
}

// Unreadable reports whether the last look found text that cannot be read.
func (sp *Space) Unreadable() bool {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	return sp.unread
}

// Empty reports whether the space holds no text of any kind.
func (sp *Space) Empty() bool {
	if _, err := os.Stat(sp.IndexPath()); err == nil {
		return false
	}
	return !sp.Text.Exists() && !hasFiles(sp.Dir.Sessions())
}

func hasFiles(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0
}

func (sp *Space) scope() memory.Scope {
	if sp.Name == User {
		return memory.Global
	}
	return memory.Personal(sp.owner)
}

// Turn lets one process at a time decide about items of the space, from looking
// at what is known to having written: two that say the same at once make one
// item, and a version made of an old one does not bring back what was forgotten
// meanwhile.
func (sp *Space) Turn(ctx context.Context) (unlock func(), err error) {
	return jsonl.Lock(ctx, filepath.Join(string(sp.Dir), ".turn.lock"))
}
