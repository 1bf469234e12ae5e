package orihon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/learn"
	"orihon/internal/project"
	"orihon/memory"
)

// KnownProject is a project that the user's home knows.
type KnownProject struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Remotes []string `json:"remotes,omitempty"`
	Folders []string `json:"folders"` // linked with it
	Bytes   int64    `json:"bytes"`   // of all that is kept of it
	Current bool     `json:"current"`
	// Says is what its folder says to be, when it is kept apart from that.
	Says string `json:"says,omitempty"`
}

// Projects lists every project known to the user, oldest first.
func (m *Memory) Projects(ctx context.Context) ([]KnownProject, error) {
	records, err := project.List(m.project.Home)
	if err != nil {
		return nil, err
	}
	out := make([]KnownProject, 0, len(records))
	for i := range records {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out = append(out, m.known(&records[i]))
	}
	return out, nil
}

func (m *Memory) known(rec *project.Record) KnownProject {
	k := KnownProject{
		ID: rec.ID, Name: rec.Name, Folders: rec.Paths, Current: !m.project.Local && rec.ID == m.project.ID,
		Bytes: size(filepath.Join(project.User(m.project.Home).Projects(), rec.ID)),
	}
	if k.Folders == nil {
		k.Folders = []string{}
	}
	for _, key := range rec.Keys {
		if name, ok := strings.CutPrefix(key, "remote:"); ok {
			k.Remotes = append(k.Remotes, name)
		}
	}
	_, k.Says, _ = rec.Apart()
	return k
}

// Claimed is the known project that the folder says to be without being linked
// with it; nil when there is none.
func (m *Memory) Claimed() *KnownProject {
	c := m.project.Claim
	if c == nil {
		return nil
	}
	k := KnownProject{ID: c.ID, Name: c.Name, Folders: []string{}}
	if rec, ok := project.Known(m.project.Home, c.ID); ok {
		k = m.known(&rec)
	}
	return &k
}

// Linked is what [Memory.Link] did.
type Linked struct {
	Project string `json:"project"`
	ID      string `json:"project_id"`
	Folder  string `json:"folder"`
	Items   int    `json:"items"` // brought over from the folder's own project
	// Before is where that lies; empty when nothing is left there.
	Before string `json:"before,omitempty"`
}

// Link ties the folder to a known project, on the word of a person: the one it
// says to be when id is empty. What was remembered in the folder alone comes
// along, and stays where it was, too. The handle is for the tied project from
// then on.
func (m *Memory) Link(ctx context.Context, id string) (Linked, error) {
	p := m.project
	if id == "" {
		if p.Claim == nil {
			return Linked{}, fmt.Errorf("%w: %s says to be no other project that is known; name one: orihon project link ID", memory.ErrNotFound, p.Root)
		}
		id = p.Claim.ID
	}
	before, private := p.ID, string(p.Private())
	stored, err := m.Items().List(ctx, memory.Filter{Scopes: []memory.Scope{memory.Personal(m.user)}, Superseded: true})
	if err != nil {
		return Linked{}, err
	}
	if err := project.Link(ctx, p, id, m.now()); err != nil {
		return Linked{}, err
	}
	if err := m.reopen(); err != nil {
		return Linked{}, err
	}
	out := Linked{Project: p.Name, ID: p.ID, Folder: p.Root}
	rec, kept := project.Known(p.Home, before)
	if before == id || !kept || len(rec.Paths) > 0 {
		return out, nil // nothing was there, or other folders live on it
	}
	out.Before = private
	out.Items, err = m.bring(ctx, before, stored)
	return out, err
}

// reopen opens the spaces anew, after the project has become another one.
func (m *Memory) reopen() error {
	_ = m.personal.close() // what it had not written is derived
	_ = m.global.close()
	return m.openSpaces()
}

// bring takes over what was remembered in another project, each statement with
// where it comes from.
func (m *Memory) bring(ctx context.Context, from string, stored []memory.Stored) (int, error) {
	if len(stored) == 0 {
		return 0, nil
	}
	unlock, err := m.personal.turn(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	t := &transfer{m: m, o: &ImportOptions{}}
	in, err := t.intake(ctx, m.personal)
	if err != nil {
		return 0, err
	}
	n := 0
	for i := range stored {
		it := stored[i].Item
		if it.Kind == memory.Note || strings.Contains(it.ID, "#") {
			continue // of a file, which stays where it is
		}
		evidence := append(slices.Clone(it.Metadata.Evidence), "project:"+from)
		out, err := in.Take(learn.Foreign{Own: &it, Statement: Statement{
			ID: it.ID, Text: it.Content, Title: it.Title, Kind: it.Kind, Topic: it.Topic, Scope: it.Scope,
			Tags: it.Metadata.Tags, Triggers: it.Triggers, Aliases: it.Aliases, Session: it.Metadata.Session, Evidence: evidence,
		}})
		if err != nil {
			return n, err
		}
		if out.Action == learn.Added || out.Action == learn.Confirmed {
			n++
		}
	}
	if err := in.Flush(ctx); err != nil {
		return n, err
	}
	return n, m.personal.follow(ctx)
}

// Unlink takes back that the folder is linked with its project. What that
// remembers stays with it; the handle is for the folder's own project from then
// on.
func (m *Memory) Unlink(ctx context.Context) error {
	if err := project.Unlink(ctx, m.project); err != nil {
		return err
	}
	return m.reopen()
}

// KeepApart notes that a person does not want the folder linked with what it
// says to be, so that nobody asks again.
func (m *Memory) KeepApart(ctx context.Context) error {
	return project.KeepApart(ctx, m.project, m.now())
}

// Apart says in one line that the folder is kept apart from the project it says
// to be, and how to tie it; empty when it is not, or when the user wants it so.
func (m *Memory) Apart() string {
	c := m.project.Claim
	if c == nil || c.Settled {
		return ""
	}
	return c.String() + ": its memory is kept apart; orihon project link ties it after one yes"
}

// checkSession looks through the folder of a session before it is used, or
// through those of all when it may become any of them. See
// [project.Project.CheckLocal].
func (m *Memory) checkSession(dir string) error {
	p := m.project
	if !p.Local {
		return nil
	}
	if _, err := os.Lstat(dir); err != nil {
		dir = p.Sessions()
	}
	rel, err := filepath.Rel(string(p.Private()), dir)
	if err != nil {
		return err
	}
	left, err := p.CheckLocal(rel)
	if err == nil && left {
		err = m.reopen()
	}
	return err
}
