package space

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"orihon/internal/copies"
	"orihon/internal/store"
	"orihon/memory"
)

// Store is what a space asks of its store: the protocol, what a store may offer
// beyond it, and what only text in files has.
type Store interface {
	memory.Store
	memory.AuditTrail
	memory.UsageLog
	memory.Versioned
	memory.Archiver
	memory.QuestionLog
	memory.Purger
	memory.ChangeSource
	files
}

// files is what only text in files has.
type files interface {
	Exists() bool
	Memory(ctx context.Context, but ...string) (string, error)
	Living(ctx context.Context, ids ...string) (map[string]memory.Item, error)
	Then(ctx context.Context, at time.Time) (memory.Batch, error)
	Ledgers() []string
	FileOf(path string) string
	Keep(ctx context.Context, dry bool, all ...store.Kept) (changed []string, err error)
	AppendLog(ctx context.Context, at time.Time, session string, turns []store.LogTurn) error

	Submit(ctx context.Context, dir string, it memory.Item, by string) error
	Submissions(ctx context.Context, dir string, scope memory.Scope) ([]store.Submission, []memory.Problem)
	Withdraw(ctx context.Context, s store.Submission, rejected *store.Rejection) error

	TurnedDown(ctx context.Context) ([]memory.Item, error)
	Waiting(ctx context.Context) ([]store.Waiting, []memory.Problem, error)
	Accepted(ctx context.Context) ([]store.Waiting, []memory.Problem, error)
	Unaccepted(known []memory.File) map[string]int
	Foreign(known []memory.File) map[string]string
	Torn(known []memory.File) map[string]int
	SharedState() string
	SharedStateOf(known []memory.File) string

	Mentions(ctx context.Context, words *copies.Words) ([]store.Mention, error)
	Scrub(ctx context.Context, id string, words *copies.Words) (left []string, changed int, err error)
}

// adapted is a store of somebody else's. What it does not offer beyond the
// protocol it has from an empty folder of files: the audit trail, usage and what
// waits for a person then lie beside the index, and what only files have is none.
type adapted struct {
	memory.Store
	memory.AuditTrail
	memory.UsageLog
	memory.Versioned
	memory.Archiver
	memory.QuestionLog
	memory.Purger
	memory.ChangeSource
	files
}

// adapt makes a store of another one; beside is that of the space's own folder,
// without roots.
func adapt(s memory.Store, beside *store.Store) Store {
	a := adapted{s, beside, beside, beside, beside, beside, without{s}, scanned{s}, besides{beside, s}}
	if own, ok := s.(memory.AuditTrail); ok {
		a.AuditTrail = own
	}
	if own, ok := s.(memory.UsageLog); ok {
		a.UsageLog = own
	}
	if own, ok := s.(memory.Versioned); ok {
		a.Versioned = own
	}
	if own, ok := s.(memory.Archiver); ok {
		a.Archiver = own
	}
	if own, ok := s.(memory.QuestionLog); ok {
		a.QuestionLog = own
	}
	if own, ok := s.(memory.Purger); ok {
		a.Purger = own
	}
	if own, ok := s.(memory.ChangeSource); ok {
		a.ChangeSource = own
	}
	return a
}

// without refuses to purge: nobody knows what a store keeps that does not say how.
type without struct{ memory.Store }

// Purge implements [memory.Purger].
func (w without) Purge(ctx context.Context, id string) (memory.Purged, error) {
	if _, err := w.Get(ctx, id); err != nil {
		return memory.Purged{}, err
	}
	return memory.Purged{}, fmt.Errorf("purge %s: %w: this store cannot erase", id, memory.ErrRefused)
}

// Texts implements [memory.Purger].
func (w without) Texts(ctx context.Context, id string) ([]string, error) {
	it, err := w.Get(ctx, id)
	if err != nil {
		return nil, nil
	}
	return []string{it.Content}, nil
}

// scanned tells what changed by a look at everything: for small stores.
type scanned struct{ memory.Store }

// scannedFile stands for the whole store among an index's files.
const scannedFile = "store"

// Changes implements [memory.ChangeSource].
func (s scanned) Changes(ctx context.Context, known []memory.File, _ memory.Depth) (memory.Batch, []memory.Problem, error) {
	var b memory.Batch
	sum := sha256.New()
	enc := json.NewEncoder(sum)
	for st, err := range s.Scan(ctx) {
		if err != nil {
			return memory.Batch{}, nil, err
		}
		if err := enc.Encode(st); err != nil {
			return memory.Batch{}, nil, err
		}
		b.Put = append(b.Put, memory.Passage{ID: st.Item.ID, Item: st.Item, Source: scannedFile, Line: st.Line, Retired: st.Retired})
	}
	now := memory.File{Path: scannedFile, Kind: scannedFile, Size: int64(len(b.Put)), Hash: hex.EncodeToString(sum.Sum(nil))}
	for _, f := range known {
		if f.Path == scannedFile && f.Hash == now.Hash {
			return memory.Batch{}, nil, nil
		}
	}
	b.Files, b.Replace = []memory.File{now}, []string{scannedFile}
	return b, nil, nil
}

// besides is what only files have, of a space whose items lie elsewhere.
type besides struct {
	files
	items memory.Store
}

// Exists reports whether there is anything to index.
func (b besides) Exists() bool { return true }

// Living returns the current versions of some items, by ID.
func (b besides) Living(ctx context.Context, ids ...string) (map[string]memory.Item, error) {
	out := make(map[string]memory.Item, len(ids))
	for _, id := range ids {
		if it, err := b.items.Get(ctx, id); err == nil {
			out[id] = it
		}
	}
	return out, ctx.Err()
}
