package orihon

import (
	"context"
	"fmt"

	"orihon/internal/project"
	"orihon/memory"
	"orihon/projects"
)

// Projects lists every project known to the user, oldest first.
func (m *Memory) Projects(ctx context.Context) ([]projects.Known, error) {
	return projects.List(ctx, m.home())
}

// Claimed is the known project that the folder says to be without being linked
// with it; nil when there is none.
func (m *Memory) Claimed() *projects.Known { return projects.Claimed(m.home()) }

// Apart says in one line that the folder is kept apart from the project it says
// to be, and how to tie it; empty when it is not, or when the user wants it so.
func (m *Memory) Apart() string { return projects.Apart(m.home()) }

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
	before := m.Project()
	if id == "" {
		if before.Claim == nil {
			return Linked{}, fmt.Errorf("%w: %s says to be no other project that is known; name one: orihon project link ID", memory.ErrNotFound, before.Root)
		}
		id = before.Claim.ID
	}
	stored, err := m.Items().List(ctx, memory.Filter{Scopes: []memory.Scope{memory.Personal(m.User())}, Superseded: true})
	if err != nil {
		return Linked{}, err
	}
	if err := m.relink(func(p *project.Project) error { return project.Link(ctx, p, id, m.home().Now()) }); err != nil {
		return Linked{}, err
	}
	p := m.Project()
	out := Linked{Project: p.Name, ID: p.ID, Folder: p.Root}
	rec, kept := project.Known(p.Home, before.ID)
	if before.ID == id || !kept || len(rec.Paths) > 0 {
		return out, nil // nothing was there, or other folders live on it
	}
	out.Before = string(before.Private())
	out.Items, err = m.Transfer().Bring(ctx, before.ID, stored)
	return out, err
}

// Unlink takes back that the folder is linked with its project. What that
// remembers stays with it; the handle is for the folder's own project from then
// on.
func (m *Memory) Unlink(ctx context.Context) error {
	return m.relink(func(p *project.Project) error { return project.Unlink(ctx, p) })
}

// KeepApart notes that a person does not want the folder linked with what it
// says to be, so that nobody asks again.
func (m *Memory) KeepApart(ctx context.Context) error {
	return m.relink(func(p *project.Project) error { return project.KeepApart(ctx, p, m.home().Now()) })
}

// relink changes what the registry knows of the folder, and opens the home anew.
func (m *Memory) relink(change func(*project.Project) error) error {
	p := *m.Project() // what runs meanwhile goes on with the project it has
	if err := change(&p); err != nil {
		return err
	}
	return m.reopen()
}
