package orihon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"orihon/internal/jsonl"
	"orihon/internal/project"
	"orihon/internal/store"
	"orihon/internal/trust"
	"orihon/memory"
)

// Repository looks after the text that came with the project's files. What the
// person has not accepted is found by recall and marked as such; it gives no
// orders, ends nothing and is never taken for the person's word.
type Repository struct{ m *Memory }

// Repository is the part of the handle for text that came with the project.
func (m *Memory) Repository() *Repository { return &Repository{m} }

// ForeignText is a content of the repository that waits for acceptance.
type ForeignText struct {
	Hash string `json:"hash"` // what an acceptance holds for
	File string `json:"file"` // within the project's folder, with slashes
	Line int    `json:"line"` // from 1; 0 is the whole file
	// Text is what would be accepted.
	Text string `json:"text"`
	// Claims is the item that the text would be; of the list of roles only its
	// Content is of use.
	Claims memory.Item `json:"claims"`
	// Start says that every session would begin with it.
	Start bool `json:"start,omitempty"`
	// Roles says that it is the list of who is management.
	Roles bool `json:"roles,omitempty"`
	// Committer is who committed the file last, as git says, and when; empty
	// when git says nothing or the file was changed since.
	Committer string    `json:"committer,omitempty"`
	Committed time.Time `json:"committed,omitzero"`
}

// Waiting lists what waits for acceptance, file by file, and what could not be
// read, one line each.
func (r *Repository) Waiting(ctx context.Context) (out []ForeignText, problems []string, err error) {
	m := r.m
	found, bad, err := m.personal.text.Waiting(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range bad {
		problems = append(problems, p.String())
	}
	for _, w := range found {
		out = append(out, ForeignText{Hash: w.Hash, File: m.inProject(w.File), Line: w.Line, Text: w.Claims.Content, Claims: w.Claims, Start: w.Core})
	}
	list, hash, err := m.project.RolesList()
	switch {
	case err != nil:
		problems = append(problems, err.Error())
	case hash != "" && !m.accepts(hash):
		clean, _ := m.redactor.Text(list)
		out = append(out, ForeignText{Hash: hash, File: m.inProject(m.project.RolesFile()), Text: clean, Roles: true})
	}
	var files []string
	for i := range out {
		files = append(files, out[i].File)
	}
	by := m.committers(ctx, files)
	for i := range out {
		if c, ok := by[out[i].File]; ok {
			out[i].Committer, out[i].Committed = c.Name, c.At
		}
	}
	return out, problems, nil
}

// inProject is a file's path within the project's folder.
func (m *Memory) inProject(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	rel, err := filepath.Rel(m.project.Root, file)
	if err != nil {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(rel)
}

// Accept accepts contents by their hashes, as they were shown.
func (r *Repository) Accept(ctx context.Context, hashes ...string) error {
	m := r.m
	if err := m.register(ctx); err != nil {
		return err
	}
	if err := m.book.Accept(ctx, hashes...); err != nil {
		return err
	}
	return r.settle(ctx, fmt.Sprintf("%d contents of the repository accepted", len(hashes)), memory.AuditAccept)
}

// Trust accepts all that the repository says, now and from now on.
func (r *Repository) Trust(ctx context.Context) error {
	m := r.m
	if err := m.register(ctx); err != nil {
		return err
	}
	if err := m.book.Trust(ctx); err != nil {
		return err
	}
	return r.settle(ctx, "the repository is trusted from now on", memory.AuditTrust)
}

// Untrust takes [Repository.Trust] back. What was accepted by itself stays
// accepted.
func (r *Repository) Untrust(ctx context.Context) error {
	if err := r.m.book.Untrust(ctx); err != nil {
		return err
	}
	return r.settle(ctx, "the repository is no longer trusted from now on", memory.AuditUntrust)
}

// Trusted reports whether the repository is trusted from now on.
func (r *Repository) Trusted() bool { return r.m.book.All() }

func (r *Repository) settle(ctx context.Context, why string, op memory.AuditOp) error {
	m := r.m
	if err := m.personal.text.Audit(ctx, memory.AuditRecord{TS: m.now().UTC(), Op: op, By: m.user, Why: why}); err != nil {
		return err
	}
	if err := m.personal.follow(ctx, memory.Shared); err != nil {
		m.log.Warn("repository: the index lags behind", "err", err)
		return nil
	}
	return m.reconcile(ctx, m.personal)
}

// accepts reports whether the person accepted a content of the repository.
func (m *Memory) accepts(hash string) bool { return m.book.Accepted(hash) }

// openBook opens the record of what was accepted in this project.
func (m *Memory) openBook() {
	m.book = trust.Open(m.project.TrustFile(), m.user, m.now)
}

// judge is who judges the text of a folder; nil when it is the user's own. All
// that lies in the project's folder may be somebody else's.
func (m *Memory) judge(dir string) store.Foreign {
	rel, err := filepath.Rel(m.project.Root, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	if home, err := filepath.Rel(m.project.Home, dir); err == nil && filepath.IsLocal(home) {
		return nil // the folder around the home
	}
	return m.book
}

// waitingFile is the derived note of what waits, which a session's start reads.
const waitingFile = "repository.json"

// unacceptedText is what a sync found unaccepted.
type unacceptedText struct {
	Contents   map[string]int    `json:"contents"`             // how many, by path, as [memory.File.Path]
	Committers map[string]string `json:"committers,omitempty"` // by path
}

// sum is how many contents wait.
func (u unacceptedText) sum() (n int) {
	for _, c := range u.Contents {
		n += c
	}
	return n
}

func (sp *space) unacceptedPath() string { return filepath.Join(sp.dir.Index(), waitingFile) }

// noteUnaccepted keeps how much waits, and who committed it, where a hook can
// read it without a look at the text. Git is asked only when something else
// waits than before, and never by who only reads.
func (sp *space) noteUnaccepted(ctx context.Context, files []memory.File) error {
	now := unacceptedText{Contents: sp.text.Unaccepted(files)}
	if maps.Equal(now.Contents, sp.unaccepted().Contents) {
		return nil
	}
	if len(now.Contents) == 0 {
		if err := os.Remove(sp.unacceptedPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if sp.committers != nil && !sp.readOnly {
		now.Committers = sp.committers(ctx, slices.Sorted(maps.Keys(now.Contents)))
	}
	data, err := json.Marshal(now)
	if err != nil {
		return err
	}
	return jsonl.Place(sp.unacceptedPath(), data)
}

// unaccepted is what the last sync noted.
func (sp *space) unaccepted() (out unacceptedText) {
	data, err := os.ReadFile(sp.unacceptedPath())
	if err != nil || json.Unmarshal(data, &out) != nil {
		return unacceptedText{}
	}
	return out
}

// committers are who committed some files of the project last; without git
// there are none.
func (m *Memory) committers(ctx context.Context, files []string) map[string]project.Committer {
	if len(files) == 0 || m.project.Worktree == "" {
		return nil
	}
	const patience = 3 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	by, err := project.Committers(ctx, m.project.Root, files)
	if err != nil {
		m.log.Debug("repository: no committers", "err", err)
	}
	return by
}

// committersOf is committers by the paths of the text.
func (m *Memory) committersOf(ctx context.Context, paths []string) map[string]string {
	files := make(map[string]string, len(paths)) // in the project → path
	var names []string
	for _, p := range paths {
		if file := m.personal.text.FileOf(p); file != "" {
			name := m.inProject(file)
			files[name], names = p, append(names, name)
		}
	}
	out := make(map[string]string)
	for name, c := range m.committers(ctx, names) {
		if p, ok := files[name]; ok && c.Name != "" {
			out[p] = c.Name
		}
	}
	return out
}

// committer tells who committed a file, as the last sync saw it.
func (m *Memory) committer() func(source string) string {
	known := sync.OnceValue(m.personal.unaccepted)
	return func(source string) string { return known().Committers[source] }
}

// claims reports whether text that waits gives itself an ID.
func (r *Repository) claims(ctx context.Context, id string) bool {
	found, _, err := r.m.personal.text.Waiting(ctx)
	return err == nil && slices.ContainsFunc(found, func(w store.Waiting) bool {
		atom, _, _ := strings.Cut(w.Claims.ID, "#")
		return w.Claims.ID == id || atom == id
	})
}
