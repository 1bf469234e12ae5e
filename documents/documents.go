// Package documents is the project's own files beside memory: an index of them,
// kept up to date, that recall asks when a query wants documents.
//
// They are never believed as memory is. Start at [Documents.Index].
package documents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"orihon/embed"
	"orihon/internal/corpus"
	"orihon/internal/home"
	"orihon/internal/jsonl"
	"orihon/internal/recall"
	"orihon/internal/redact"
	"orihon/internal/session"
	"orihon/internal/sqlite"
	"orihon/memory"
)

// DocumentsBudget is the smallest token budget of a recall that holds
// documents.
const DocumentsBudget = recall.DocumentsBudget

// Documents is the project's own files beside memory: found by recall when a query
// asks for documents, never believed as memory is.
type Documents struct{ h *home.Home }

// New is the documents of a home's project.
func New(h *home.Home) *Documents { return &Documents{h} }

// Skip is a file or folder that was left out.
type Skip struct {
	Path   string `json:"path"`
	Reason Reason `json:"reason"`
}

// Reason is why something was left out, in words.
type Reason string

// Report is what became of the files.
type Report struct {
	Read      int            `json:"read"`
	Unchanged int            `json:"unchanged"`
	Gone      int            `json:"gone"`
	Skipped   map[Reason]int `json:"skipped"` // files and folders by reason
	// Left are the first of what was skipped, by reason, those ignored by git
	// aside.
	Left     []Skip        `json:"left,omitempty"`
	Bytes    int64         `json:"bytes"`    // of the files read
	Passages int           `json:"passages"` // in the index now
	Busy     bool          `json:"busy,omitempty"`
	Rebuilt  string        `json:"rebuilt,omitempty"` // why the index was started over
	Took     time.Duration `json:"-"`
}

// take takes over what was read.
func (r *Report) take(c *corpus.Report) {
	r.Read, r.Unchanged, r.Gone, r.Bytes = c.Read, c.Unchanged, c.Gone, c.Bytes
	r.Skipped, r.Left = make(map[Reason]int, len(c.Skipped)), nil
	for why, n := range c.Skipped {
		r.Skipped[Reason(why)] = n
	}
	for _, s := range c.Left {
		r.Left = append(r.Left, Skip{s.Path, Reason(s.Reason)})
	}
}

// Status describes the index of the files.
type Status struct {
	Index    string    `json:"index"` // its file
	Root     string    `json:"root"`
	Files    int       `json:"files"`
	Passages int       `json:"passages"`
	Bytes    int64     `json:"bytes"` // of the index
	Synced   time.Time `json:"synced,omitzero"`
	Stale    string    `json:"stale,omitempty"`
}

// Index brings the index of the files up to date: files whose size, time or
// content changed are read, those that vanished or are no longer wanted are
// dropped. paths, absolute or from the project's folder, restrict it to what
// lies there; one outside the project wraps [memory.ErrRefused]. progress is
// told from time to time how many files were looked at; nil for nobody. What
// was read stays when ctx ends. Another process at it makes Index return at
// once, with Busy set.
func (d *Documents) Index(ctx context.Context, progress func(files int), paths ...string) (Report, error) {
	h := d.h
	var out Report
	if h.ReadOnly {
		return out, fmt.Errorf("index of the files: %w: this handle only reads", memory.ErrRefused)
	}
	start := time.Now()
	o, err := d.options(paths)
	if err != nil {
		return out, err
	}
	o.Step = progress
	unlock, free, err := jsonl.TryLock(d.path() + ".sync")
	if err != nil || !free {
		out.Busy = err == nil
		return out, err
	}
	defer unlock()
	defer session.Hold(d.path() + ".sync")()
	err = d.catchUp(ctx, o, &out)
	if sqlite.Damaged(err) {
		why := err.Error()
		if err = d.Rebuild(); err == nil {
			err = d.catchUp(ctx, o, &out)
		}
		out.Rebuilt = why
	}
	out.Took = time.Since(start)
	if err != nil {
		return out, fmt.Errorf("index of the files: %w", err)
	}
	return out, nil
}

// catchUp reads what changed and applies it.
func (d *Documents) catchUp(ctx context.Context, o *corpus.Options, out *Report) error {
	x, err := d.open(ctx, false)
	if err != nil {
		return err
	}
	defer x.Close()
	stamp, err := x.Stamp(ctx)
	if err != nil {
		return err
	}
	if stamp.Stale != neverSynced {
		out.Rebuilt = stamp.Stale
	}
	r, err := corpus.Changes(ctx, o, stamp.Files, func(b memory.Batch) error { return x.Apply(ctx, b) })
	if r != nil {
		out.take(r)
	}
	if err != nil {
		return err
	}
	if err := x.Synced(ctx, d.h.Now()); err != nil {
		return err
	}
	if stamp, err = x.Stamp(ctx); err != nil {
		return err
	}
	out.Passages = stamp.Passages
	return d.sweep()
}

// RootNote ends the name of the file beside an index that names its folder.
const RootNote = ".root"

// sweep notes which folder the index is for, and deletes those of folders that
// are no more: worktrees come and go.
func (d *Documents) sweep() error {
	if err := jsonl.Place(d.path()+RootNote, []byte(d.h.Project.Root)); err != nil {
		return err
	}
	notes, err := filepath.Glob(filepath.Join(d.h.Project.Index(), "rag-*.db"+RootNote))
	if err != nil {
		return err
	}
	for _, path := range notes {
		root, err := jsonl.ReadFile(path)
		if err != nil {
			continue
		}
		if _, err := os.Stat(string(root)); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := errors.Join(sqlite.Delete(strings.TrimSuffix(path, RootNote), nil), os.Remove(path)); err != nil {
			return err
		}
	}
	return nil
}

// neverSynced is what a new index says of itself.
const neverSynced = "never synced"

// Rebuild deletes the index, so that the next [Documents.Index] reads everything.
func (d *Documents) Rebuild() error { return sqlite.Delete(d.path(), nil) }

// Status looks at the index and changes nothing. Without one, Stale says so.
func (d *Documents) Status(ctx context.Context) (Status, error) {
	s := Status{Index: d.path(), Root: d.h.Project.Root}
	x, err := d.open(ctx, true)
	switch {
	case errors.Is(err, memory.ErrNotFound):
		s.Stale = "not built yet: run orihon index"
		return s, nil
	case sqlite.Damaged(err):
		s.Stale = err.Error()
		return s, nil
	case err != nil:
		return s, err
	}
	defer x.Close()
	stamp, err := x.Stamp(ctx)
	if err != nil {
		return s, err
	}
	if info, err := os.Stat(s.Index); err == nil {
		s.Bytes = info.Size()
	}
	s.Files, s.Passages, s.Synced, s.Stale = len(stamp.Files), stamp.Passages, stamp.Synced, stamp.Stale
	return s, nil
}

// path is the index of the files of this folder: the clones and worktrees of a
// project share its private space, but not their files.
func (d *Documents) path() string {
	sum := sha256.Sum256([]byte(d.h.Project.Root))
	return filepath.Join(d.h.Project.Index(), "rag-"+hex.EncodeToString(sum[:4])+".db")
}

// open opens the index. Its vectors are those of hashed features, whatever
// embedder memory has: a model would have to read the whole project.
func (d *Documents) open(ctx context.Context, readOnly bool) (*sqlite.Index, error) {
	return sqlite.Open(ctx, d.path(), &sqlite.Options{Embedder: embed.NewHash(0), ReadOnly: readOnly, Logger: d.h.Log})
}

// options are what the settings say of the files.
func (d *Documents) options(paths []string) (*corpus.Options, error) {
	h := d.h
	p, set := h.Project, &h.Config.RAG
	o := &corpus.Options{
		Root: p.Root, GitTop: p.Worktree, Include: set.Include, Exclude: set.Exclude, MaxBytes: int64(set.MaxFileBytes),
		Redact: func(text string) string {
			clean, _ := h.Redactor.Lines(redact.ClosedPrivateLines(text))
			return clean
		},
		Rules: strings.Join(h.Config.Redact.Off, ","), Now: h.Now,
	}
	if p.CommonDir != "" {
		text, err := jsonl.ReadFile(filepath.Join(p.CommonDir, "info", "exclude"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			h.Log.Warn("index of the files: git's own list of what to ignore is left out", "err", err)
		}
		o.GitExclude = string(text)
	}
	if rel, err := filepath.Rel(p.Root, p.Home); err == nil && filepath.IsLocal(rel) && rel != "." {
		o.Exclude = append(o.Exclude[:len(o.Exclude):len(o.Exclude)], "/"+filepath.ToSlash(rel)+"/")
	}
	for _, path := range paths {
		rel, err := d.within(path)
		if err != nil {
			return nil, err
		}
		o.Paths = append(o.Paths, rel)
	}
	return o, nil
}

// within is a path from the project's folder, with slashes.
func (d *Documents) within(path string) (string, error) {
	root := d.h.Project.Root
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(root, full)
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		full = real
	}
	rel, err := filepath.Rel(root, full)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%w: %s lies outside the project %s: go there and index that project", memory.ErrRefused, path, root)
	}
	return filepath.ToSlash(rel), nil
}

// Auto indexes as part of a sync, when the settings want documents at all and
// the project is one: a folder with neither git nor .orihon may be a home full
// of other things.
func (d *Documents) Auto(ctx context.Context) error {
	set := &d.h.Config.RAG
	if !set.Enabled && !set.Hooks || d.h.ReadOnly {
		return nil
	}
	if _, err := os.Stat(d.h.Project.Folder()); err != nil && d.h.Project.CommonDir == "" {
		return nil
	}
	_, err := d.Index(ctx, nil)
	return err
}

// Source opens the index for a recall that asks for documents and can hold
// them; ok is false when there is nothing to ask.
func (d *Documents) Source(ctx context.Context, q *memory.Query) (s recall.Source, end func(), ok bool) {
	budget := q.MaxTokens
	if budget == 0 {
		budget = PromptBudget(d.h, q.Text)
	}
	// Files are only known as they are now.
	if !q.Documents || !q.AsOf.IsZero() || budget < recall.DocumentsBudget && !q.Explain {
		return s, nil, false
	}
	x, err := d.open(ctx, true)
	if err != nil {
		if !errors.Is(err, memory.ErrNotFound) {
			d.h.Log.Warn("recall: documents left out", "err", err)
		}
		return s, nil, false
	}
	return recall.Source{Name: "documents", Files: true, Index: &fresh{Index: x, embedder: embed.NewHash(0), documents: d, looked: make(map[string]bool), left: make(map[string]bool)}}, func() { _ = x.Close() }, true
}

// PromptBudget is what a prompt may bring in, in tokens, when nothing else bounds it.
func PromptBudget(h *home.Home, prompt string) int {
	c := &h.Config.Recall
	return recall.Settings{BudgetShort: c.BudgetShort, BudgetMedium: c.BudgetMedium, BudgetLong: c.BudgetLong}.Budget(prompt)
}
