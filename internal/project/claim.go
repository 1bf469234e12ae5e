package project

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Claim is a known project that a folder says to be without having been linked
// with it. Anybody can write such text, so that it is only told.
type Claim struct {
	ID   string
	Name string // what that project is called; empty when its record is lost
	Key  string // what both are known by, such as "remote:host/owner/name"
	// Settled says that a person wants the two apart.
	Settled bool
}

// String says it in one line, for people.
func (c *Claim) String() string {
	name := c.ID
	if called := []rune(c.Name); len(called) > 0 {
		const most = 60
		name = fmt.Sprintf("%q (%s)", string(called[:min(most, len(called))]), c.ID)
	}
	return fmt.Sprintf("this folder says that it is the project %s, with which it was not linked here", name)
}

// decision is what the registry says of a folder.
type decision struct {
	ID       string
	Complete bool     // registering it has nothing to write
	Keys     []string // that belong to the project, or will
	Claim    *Claim
	Conflict *Conflict
}

// lookup decides which project a folder is. What the folder says of itself is
// believed when this machine has linked it with that project before, or when
// nothing is known of the project, which is then linked with it. Else it gets a
// project of its own, with an ID made from its path and from what it says.
//
// A place alone does not make a repository with a remote part of a project that
// has other remotes: folders are used again, and memory must not pass from one
// project to another that way.
func (r *registry) lookup(f *folder) decision {
	own, first := f.own(), f.Keys[0]
	remote := strings.HasPrefix(first, remoteKey)
	place := r.Keys[own]
	reused := remote && place != "" && r.hasKey(place, remoteKey)
	var e decision
	switch known := r.Keys[first]; {
	case first != own && known != "":
		switch {
		case r.linked(f, known) || f.trusted(first):
			e = r.member(f, known)
		case r.linked(f, place) && !reused:
			e = decision{ID: place, Complete: true, Claim: &Claim{ID: known, Key: first}}
		default:
			e = r.apart(f, known, first)
		}
	case r.linked(f, place) && !reused:
		e = r.member(f, place)
	case place != "" && !reused:
		e = r.apart(f, place, own)
	case first == own && r.only(f) != "":
		e = r.member(f, r.only(f)) // it was linked when it said more of itself
	default:
		id := deriveID(first)
		switch {
		case !r.taken(id) && (first == own || !r.holds(id)):
			e = decision{ID: id, Keys: f.Keys}
		case r.linked(f, id):
			e = r.member(f, id)
		default:
			e = r.apart(f, id, first)
		}
	}
	if place != "" && place != e.ID && e.Claim == nil {
		e.Conflict = &Conflict{Key: own, ID: place}
	}
	e.Complete = e.Complete && !r.old
	return e
}

// member is the decision on a folder that belongs to a project.
func (r *registry) member(f *folder, id string) decision {
	unknown := func(key string) bool { return r.Keys[key] == "" }
	return decision{ID: id, Keys: f.Keys, Complete: r.linked(f, id) && !slices.ContainsFunc(f.Keys, unknown)}
}

// apart is the decision on a folder that says to be a project it is not linked
// with.
func (r *registry) apart(f *folder, claimed, by string) decision {
	key := apartKey + stored(slashed(f.Anchor)) + "//" + by
	e := decision{Keys: []string{key}, Claim: &Claim{ID: claimed, Key: by}}
	e.ID = r.Keys[key]
	e.Complete = e.ID != "" && r.linked(f, e.ID)
	for n, text := 0, key; e.ID == ""; n++ {
		if id := deriveID(text); !r.taken(id) {
			e.ID = id
		}
		text = fmt.Sprintf("%s#%d", key, n)
	}
	return e
}

// linked reports whether a folder, or the main worktree of its repository, was
// linked with a project.
func (r *registry) linked(f *folder, id string) bool {
	return id != "" && (slices.Contains(r.links(f.Anchor), id) || slices.Contains(r.links(f.Root), id))
}

// links lists the projects that a path is linked with. Where a file system does
// not tell upper from lower case, the spelling may differ.
func (r *registry) links(path string) []string {
	if ids, ok := r.Links[stored(path)]; ok {
		return ids
	}
	for other, ids := range r.Links {
		if strings.EqualFold(other, path) && same(other, path) {
			return ids
		}
	}
	return nil
}

// only is the one project that a folder was ever linked with; empty when there
// are none or several, or when it was one of those that are kept apart.
func (r *registry) only(f *folder) string {
	ids := r.links(f.Root)
	if len(ids) != 1 || r.hasKey(ids[0], apartKey) {
		return ""
	}
	return ids[0]
}

// taken reports whether an ID is some project's already: text that happens to
// give the same ID must not open that.
func (r *registry) taken(id string) bool {
	return r.hasKey(id, "") || exists(filepath.Join(r.home.Projects(), id, "project.json"))
}

// holds reports whether something is kept of a project whose record is lost. A
// folder knows its own by its path; what others say is not enough to open it.
func (r *registry) holds(id string) bool {
	dir := filepath.Join(r.home.Projects(), id)
	return exists(filepath.Join(dir, "memory")) || exists(filepath.Join(dir, "sessions"))
}

// hasKey reports whether a project is known by a key of a kind.
func (r *registry) hasKey(id, kind string) bool {
	for key, owner := range r.Keys {
		if owner == id && strings.HasPrefix(key, kind) {
			return true
		}
	}
	return false
}

// trusted reports whether the user lets clones of a remote link by themselves.
func (f *folder) trusted(key string) bool {
	name, ok := strings.CutPrefix(key, remoteKey)
	if !ok {
		return false
	}
	for _, prefix := range f.trust {
		host, owner, _ := strings.Cut(strings.Trim(prefix, "/"), "/")
		prefix = lower(host)
		if caseless(prefix) {
			owner = lower(owner)
		}
		if owner != "" {
			prefix += "/" + owner
		}
		if name == prefix || strings.HasPrefix(name, prefix+"/") {
			return true
		}
	}
	return false
}

// find looks up which project it is.
func (p *Project) find() error {
	if p.Local {
		p.ID, p.Claim, p.Conflict = deriveID(p.Keys[0]), nil, nil
		p.name()
		return nil
	}
	r, err := readRegistry(p.Home)
	if err != nil {
		return err
	}
	p.settle(r)
	return nil
}

// settle takes over what the registry says.
func (p *Project) settle(r *registry) {
	e := r.lookup(&p.found)
	if e.Claim != nil {
		if rec, ok := readRecord(filepath.Join(r.home.Projects(), e.Claim.ID)); ok {
			e.Claim.Name = rec.Name
		}
		if rec, ok := readRecord(filepath.Join(r.home.Projects(), e.ID)); ok {
			e.Claim.Settled = slices.Contains(rec.ApartFrom, e.Claim.ID)
		}
	}
	p.ID, p.Registered, p.Claim, p.Conflict = e.ID, e.Complete, e.Claim, e.Conflict
	p.name()
}

// name names the project for people: by its remote, unless it only says so.
func (p *Project) name() {
	p.Name = filepath.Base(p.Root)
	if p.Remote != "" && p.Claim == nil && (p.Root == p.found.repo.Top || p.Root == p.Worktree) {
		p.Name = path.Base(p.Remote)
	}
}
