package orihon

import (
	"context"
	"fmt"

	"orihon/internal/project"
	"orihon/memory"
	"orihon/projects"
)

// Project is what a handle belongs to, and where that keeps what. FORMAT.md says
// what lies in the folders.
type Project struct {
	ID   string // 12 hex digits, the same in every worktree and clone
	Name string // for people
	Root string // the folder that was found
	Home string // the user's home of Orihon

	Folder string // shared: it lives in the repository
	Config string // its settings, a file
	Core   string // its MEMORY.md
	Shared string // text of scope shared

	Private  string // what the user alone keeps of the project
	Personal string // text of scope personal
	Sessions string // one folder for each session
	Index    string // derived; it may be deleted at any time

	// Local says that Private lies below Root; LocalRefused says in one line why a
	// folder for it that is there is not used.
	Local        bool
	LocalRefused string

	// Claim says which known project the folder says to be without being linked with
	// it, see [Memory.Claimed], Conflict which name of it is another project's.
	Claim, Conflict string // one line, or empty
}

// Project is the project this handle is for, as it is now.
func (m *Memory) Project() *Project {
	p := m.home().Project
	out := &Project{
		ID: p.ID, Name: p.Name, Root: p.Root, Home: p.Home,
		Folder: p.Folder(), Config: p.Config(), Core: p.Core(), Shared: p.SharedMemory(),
		Private: string(p.Private()), Personal: p.PersonalMemory(), Sessions: p.Sessions(), Index: p.Index(),
		Local: p.Local, LocalRefused: p.LocalRefused,
	}
	if p.Claim != nil {
		out.Claim = p.Claim.String()
	}
	if p.Conflict != nil {
		out.Conflict = p.Conflict.String()
	}
	return out
}

// Session is the folder of one session, whose ID may be any text.
func (p *Project) Session(id string) string { return project.Space(p.Private).Session(id) }

// Standing is what a person may do on a project.
type Standing struct {
	Roles []string // those they say they hold, sorted
	// Management is recognised when both sides agree.
	Management bool
	Claims     bool // their own list says management
	Listed     bool // the project's list says so
	// Reviewed says that the project has a management at all: without one, nothing
	// waits for it.
	Reviewed bool
}

// Standing is what the user may do on the project.
func (m *Memory) Standing() (Standing, error) {
	h := m.home()
	st, err := h.Project.Standing(h.User, h.Accepts)
	return Standing(st), err
}

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

// Moved says in one line which known project the folder may have been before it was
// moved; empty when there is none.
func (m *Memory) Moved() string { return projects.Moved(m.home()) }

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
	before := m.home().Project
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
	p := m.home().Project
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

// MakeLocal keeps the project's private memory below the project from now on. A
// folder for it that is there and was not made on this machine is refused with
// [memory.ErrRefused], unless the settings ask for it.
func (m *Memory) MakeLocal(ctx context.Context) error {
	return m.relink(func(p *project.Project) error { return p.MakeLocal(ctx) })
}

// relink changes what the registry knows of the folder, and opens the home anew.
func (m *Memory) relink(change func(*project.Project) error) error {
	p := *m.home().Project // what runs meanwhile goes on with the project it has
	if err := change(&p); err != nil {
		return err
	}
	return m.reopen()
}
