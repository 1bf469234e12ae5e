package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"orihon/internal/jsonl"
	"orihon/internal/redact"
	"orihon/memory"
)

// Root is a folder of text with one scope. The folder decides the scope of
// what stands in it, whatever the text says.
type Root struct {
	Name  string // first part of the paths in it, such as "personal" or "role/art"
	Dir   string // created when something is first written to it
	Scope memory.Scope

	// Notes marks a folder of somebody else's Markdown: read as notes only,
	// never written.
	Notes bool
	// Only names the files in it that are read; empty reads all.
	Only []string
	// Flat leaves the folders in it out, because they are roots of their own.
	Flat bool
	// Foreign judges what the root says, when others than the user may have
	// written it; nil takes every word as the user's own.
	Foreign Foreign
	// Within is a folder the root must not leave by a symlink in its own path,
	// such as the repository that brings it; empty does not look.
	Within string
}

// Options of [Open].
type Options struct {
	// Roots in the order in which they are read. New items of a scope go to
	// the first root of that scope which is not for notes.
	Roots []Root
	// State is the folder of audit.jsonl, usage.jsonl and the lock.
	State string
	// Covered reports whether the journal of a session exists, so that its
	// part of a daily log need not be indexed. Nil means that none does.
	Covered func(session string) bool
	// Redactor takes secrets out of what is read from Markdown; nil applies
	// every rule.
	Redactor *redact.Redactor

	Now    func() time.Time // nil means time.Now
	NewID  func() string    // for atoms without an ID; nil makes UUIDv7s
	Logger *slog.Logger     // nil discards
}

// Store is one space of memory.
type Store struct {
	roots   []Root
	state   string
	covered func(string) bool
	now     func() time.Time
	newID   func() string
	log     *slog.Logger

	redactor *redact.Redactor

	within []func() error // per root, the outcome of the check of Root.Within
	tables tables

	// The ways to the disk, replaced in tests of failing ones.
	appendTo func(ctx context.Context, path string, o *jsonl.Options, lines ...[]byte) (int64, error)
	replace  func(path string, data []byte) error
	move     func(from, to string) error
}

var (
	_ memory.Store        = (*Store)(nil)
	_ memory.Archiver     = (*Store)(nil)
	_ memory.AuditTrail   = (*Store)(nil)
	_ memory.ChangeSource = (*Store)(nil)
	_ memory.Purger       = (*Store)(nil)
	_ memory.QuestionLog  = (*Store)(nil)
	_ memory.UsageLog     = (*Store)(nil)
	_ memory.Versioned    = (*Store)(nil)
)

// Open returns the store over o.Roots. It touches no file: folders come into
// being when something is written to them.
func Open(o *Options) (*Store, error) {
	s := &Store{
		roots: o.Roots, state: o.State, covered: o.Covered, now: o.Now, newID: o.NewID,
		redactor: cmp.Or(o.Redactor, new(redact.Redactor)), log: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)),
		appendTo: jsonl.Append, replace: jsonl.WriteFile, move: move,
	}
	if s.state == "" {
		return nil, fmt.Errorf("open store: %w options: no state folder", memory.ErrInvalid)
	}
	names := make(map[string]bool)
	for _, r := range s.roots {
		if r.Name == "" || r.Dir == "" || names[r.Name] {
			return nil, fmt.Errorf("open store: %w root %q in %q: name and folder are required, and a name stands once", memory.ErrInvalid, r.Name, r.Dir)
		}
		if _, err := memory.ParseScope(string(r.Scope)); err != nil {
			return nil, fmt.Errorf("open store: root %s: %w", r.Name, err)
		}
		names[r.Name] = true
		s.within = append(s.within, sync.OnceValue(func() error { return checkWithin(r) }))
	}
	if s.covered == nil {
		s.covered = func(string) bool { return false }
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.newID == nil {
		s.newID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	return s, nil
}

// Get returns the current version of an item: of a ledger, an atom as a whole,
// or a bullet of an atom.
func (s *Store) Get(ctx context.Context, id string) (memory.Item, error) {
	p, err := s.one(ctx, id)
	if err == nil && p.retired {
		err = memory.ErrNotFound
	}
	if err != nil {
		return memory.Item{}, fmt.Errorf("item %s: %w", id, err)
	}
	return p.item, nil
}

// Living returns the current versions of those of the items that are not
// retired, by ID, in one pass over the text.
func (s *Store) Living(ctx context.Context, ids ...string) (map[string]memory.Item, error) {
	out := make(map[string]memory.Item, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	found, err := s.find(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("items: %w", err)
	}
	for id, p := range found {
		if !p.retired {
			out[id] = p.item
		}
	}
	return out, nil
}

// Scan yields every item, root by root, ledgers before atoms, in the order of
// their first lines. Of an atom with bullets the bullets are the items. What
// does not parse is left out here; [Store.Changes] reports it.
func (s *Store) Scan(ctx context.Context) iter.Seq2[memory.Stored, error] {
	return func(yield func(memory.Stored, error) bool) {
		entries, _ := s.walk()
		for i := range entries {
			e := &entries[i]
			if err := ctx.Err(); err != nil {
				yield(memory.Stored{}, err)
				return
			}
			stored, err := s.items(e)
			if err != nil && !errors.Is(err, errGone) {
				if !yield(memory.Stored{}, err) {
					return
				}
			}
			for _, it := range stored {
				if !yield(it, nil) {
					return
				}
			}
		}
	}
}

// Remove retires an item; [Store.Restore] brings it back. Removing what is
// retired already changes nothing; what was archived is forgotten from then on.
func (s *Store) Remove(ctx context.Context, id, reason string, at time.Time) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return fmt.Errorf("remove %s: %w", id, err)
	}
	defer unlock()
	p, err := s.one(ctx, id)
	if err != nil {
		return fmt.Errorf("item %s: %w", id, err)
	}
	if p.retired && !p.archived {
		return nil
	}
	if err := mayWrite(&p); err != nil {
		return fmt.Errorf("remove %s: %w", id, err)
	}
	err = s.alter(ctx, p, func(l *ledgerLines) error { return l.retire(id, reason, at) }, func() error { return s.retireInAtom(p, reason, at) })
	if err != nil {
		return fmt.Errorf("remove %s: %w", id, err)
	}
	return nil
}
