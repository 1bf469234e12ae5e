package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/home"
	"orihon/internal/memoryindex"
	"orihon/internal/verbs"
	"orihon/memory"
)

// Repository looks after the text that came with the project's files. What the
// person has not accepted is found by recall and marked as such; it gives no
// orders, ends nothing and is never taken for the person's word.
type Repository struct{ h *verbs.Verbs }

// OfRepository is the text that came with the project of a home; programs call
// orihon.Memory.Repository.
func OfRepository(v *verbs.Verbs) *Repository { return &Repository{v} }

// ForeignText is a content of the repository that waits for acceptance.
type ForeignText struct {
	Hash string `json:"hash"` // what an acceptance holds for
	// ID is what recall and list name it by until it is accepted; empty for what they
	// do not find.
	ID   string `json:"id,omitempty"`
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
	// Runs says that it is a command or a program of the project's settings: once
	// accepted, it runs as you do. Trust does not cover it. Refused is why it would
	// not run even then.
	Runs    bool   `json:"runs,omitempty"`
	Refused string `json:"refused,omitempty"`
	// Committer is who committed the text as it stands, or its file last where that is no
	// statement, as git says, and when; empty when git says nothing.
	Committer string `json:"committer,omitempty"`
	// Before is what the commit took away in its place, as git says.
	Before string `json:"before,omitempty"`
	// Ends is what holds now and would be ended, EndsLater that it was put in its words
	// later than this.
	Ends      string `json:"ends,omitempty"`
	EndsLater bool   `json:"ends_later,omitempty"`
	// Section says that it stands in the program's section of MEMORY.md: it is not
	// rejected, since clients load it all the same, but written anew.
	Section bool `json:"section,omitempty"`
	// Rejected says that the person turned it down: it waits no more.
	Rejected  bool      `json:"rejected,omitempty"`
	Committed time.Time `json:"committed,omitzero"`
}

// Waiting lists what waits for acceptance, file by file, and what could not be
// read, one line each.
func (r *Repository) Waiting(ctx context.Context) (out []ForeignText, problems []string, err error) {
	out, problems, err = r.texts(ctx)
	return slices.DeleteFunc(out, func(x ForeignText) bool { return x.Rejected }), problems, err
}

// Count is how much waits for acceptance.
func (r *Repository) Count(ctx context.Context) (int, error) {
	out, _, err := r.gather(ctx, false)
	return len(slices.DeleteFunc(out, func(x ForeignText) bool { return x.Rejected })), err
}

// Rejected lists what was turned down and still stands there in the same words.
func (r *Repository) Rejected(ctx context.Context) ([]ForeignText, error) {
	out, _, err := r.texts(ctx)
	return slices.DeleteFunc(out, func(x ForeignText) bool { return !x.Rejected }), err
}

// texts lists what nobody here has accepted, and who committed it.
func (r *Repository) texts(ctx context.Context) (out []ForeignText, problems []string, err error) {
	out, problems, err = r.gather(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	r.attribute(ctx, out)
	r.endings(ctx, out)
	return out, problems, nil
}

// attribute says who committed the texts, and what stood in their place before.
func (r *Repository) attribute(ctx context.Context, texts []ForeignText) {
	var files []string // whose lines are not told apart
	var said []home.Said
	var at []int
	for i := range texts {
		if x := &texts[i]; x.said() {
			said, at = append(said, home.Said{File: x.File, Text: x.Text}), append(at, i)
		} else {
			files = append(files, x.File)
		}
	}
	whole := r.h.Committers(ctx, files)
	for i := range texts {
		if c, ok := whole[texts[i].File]; ok && !texts[i].said() {
			texts[i].Committer, texts[i].Committed = c.Name, c.At
		}
	}
	for i, c := range r.h.Introduced(ctx, said) {
		x := &texts[at[i]]
		x.Committer, x.Committed = c.By, c.At
		x.Before, _ = r.h.Redactor.Text(c.Before)
	}
}

// said reports whether a text is a statement of a Markdown file: its lines are those of
// the file.
func (x *ForeignText) said() bool {
	return strings.HasSuffix(x.File, ".md") && !x.Section && !x.Roles && !x.Runs
}

// endings looks up what texts would end, and whether that was said or put in its present
// words after them.
func (r *Repository) endings(ctx context.Context, texts []ForeignText) {
	for i := range texts {
		x := &texts[i]
		id := x.Claims.Relations.Supersedes
		if id == "" || x.Rejected {
			continue
		}
		old, err := r.h.Personal.Text.Get(ctx, id)
		if err != nil || old.Scope.Private() || !old.ValidTo.IsZero() {
			continue // it ends nothing that holds
		}
		m, n := &old.Metadata, &x.Claims.Metadata
		x.Ends, x.EndsLater = old.Content, later(m.RewordedAt, m.CreatedAt).After(later(n.RewordedAt, n.CreatedAt))
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Accepted lists what counts although it came with the repository: what the person
// accepted, or what they trust it to say. What they wrote through this program is among it.
func (r *Repository) Accepted(ctx context.Context) ([]ForeignText, error) {
	out, _, err := r.gather(ctx, true)
	return out, err
}

func (r *Repository) gather(ctx context.Context, accepted bool) (out []ForeignText, problems []string, err error) {
	h := r.h
	look := h.Personal.Text.Waiting
	if accepted {
		look = h.Personal.Text.Accepted
	}
	found, bad, err := look(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range bad {
		problems = append(problems, p.String())
	}
	for _, w := range found {
		out = append(out, ForeignText{Hash: w.Hash, File: h.InProject(w.File), Line: w.Line, Text: w.Claims.Content, Claims: w.Claims, Start: w.Core, ID: w.ID, Rejected: w.Rejected})
	}
	strange, err := memoryindex.Foreign(ctx, h)
	switch {
	case accepted:
	case err != nil:
		problems = append(problems, err.Error())
	case strange.Text != "":
		out = append(out, ForeignText{Hash: strange.Hash, File: h.InProject(strange.File), Line: strange.Line, Text: strange.Text, Start: true, Section: true})
	}
	list, hash, err := h.Project.RolesList()
	switch {
	case err != nil:
		problems = append(problems, err.Error())
	case hash != "" && h.Accepts(hash) == accepted:
		clean, _ := h.Redactor.Text(list)
		out = append(out, ForeignText{Hash: hash, File: h.InProject(h.Project.RolesFile()), Text: clean, Roles: true, Rejected: h.Book().Rejected(hash)})
	}
	commands := h.UnacceptedCommands
	if accepted {
		commands = h.AcceptedCommands
	}
	for _, c := range commands() {
		clean, _ := h.Redactor.Text(c.Text)
		out = append(out, ForeignText{Hash: c.Hash, File: h.InProject(c.File), Line: c.Line, Text: clean, Runs: true, Refused: c.Refused})
	}
	for _, p := range h.Config.Programs() {
		if p.Accepted == accepted && p.Problem == "" && !h.Book().Rejected(p.Hash) {
			clean, _ := h.Redactor.Text(p.Text)
			out = append(out, ForeignText{Hash: p.Hash, File: h.InProject(p.File), Line: p.Line, Text: clean, Runs: true})
		}
	}
	return out, problems, nil
}

// Accept accepts contents by their hashes, as they were shown.
func (r *Repository) Accept(ctx context.Context, hashes ...string) error {
	h := r.h
	if err := h.Register(ctx); err != nil {
		return err
	}
	if err := h.Book().Accept(ctx, hashes...); err != nil {
		return err
	}
	return r.settle(ctx, fmt.Sprintf("%d contents of the repository accepted", len(hashes)), "accept")
}

// Reject turns contents down by their hashes: until they change, nothing shows or
// tells them. [Repository.Unreject] takes it back, and so does [Repository.Accept].
func (r *Repository) Reject(ctx context.Context, hashes ...string) error {
	if err := r.h.Register(ctx); err != nil {
		return err
	}
	if err := r.h.Book().Reject(ctx, hashes...); err != nil {
		return err
	}
	return r.settle(ctx, fmt.Sprintf("%d contents of the repository rejected", len(hashes)), memory.AuditReject)
}

// Unreject lets contents wait again that were rejected.
func (r *Repository) Unreject(ctx context.Context, hashes ...string) error {
	if err := r.h.Book().Unreject(ctx, hashes...); err != nil {
		return err
	}
	return r.settle(ctx, fmt.Sprintf("%d contents of the repository wait again", len(hashes)), memory.AuditUnreject)
}

// Trust accepts all that the repository says, now and from now on.
func (r *Repository) Trust(ctx context.Context) error {
	h := r.h
	if err := h.Register(ctx); err != nil {
		return err
	}
	if err := h.Book().Trust(ctx); err != nil {
		return err
	}
	return r.settle(ctx, "the repository is trusted from now on", "trust")
}

// Untrust takes [Repository.Trust] back. What was accepted by itself stays
// accepted.
func (r *Repository) Untrust(ctx context.Context) error {
	if err := r.h.Book().Untrust(ctx); err != nil {
		return err
	}
	return r.settle(ctx, "the repository is no longer trusted from now on", "untrust")
}

// Trusted reports whether the repository is trusted from now on.
func (r *Repository) Trusted() bool { return r.h.Book().All() }

func (r *Repository) settle(ctx context.Context, why string, op memory.AuditOp) error {
	h := r.h
	if err := h.Personal.Text.Audit(ctx, memory.AuditRecord{TS: h.Now().UTC(), Op: op, By: h.User, Why: why}); err != nil {
		return err
	}
	if err := h.Personal.Follow(ctx, memory.Shared); err != nil {
		h.Log.Warn("repository: the index lags behind", "err", err)
		return nil
	}
	return h.Reconcile(ctx, h.Personal)
}
