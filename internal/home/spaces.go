package home

import (
	"os"
	"path/filepath"
	"slices"

	"orihon/internal/project"
	"orihon/internal/space"
	"orihon/internal/store"
	"orihon/internal/trust"
	"orihon/memory"
)

// openSpaces makes the two spaces over the project and the user's home.
func (h *Home) openSpaces(items memory.Store, index memory.Index) (err error) {
	p := h.Project
	h.book = trust.Open(p.TrustFile(), h.User, h.Now)
	h.Roles = h.ownRoles()
	o := h.spaceOptions(space.Project, p.Private(), h.projectRoots()...)
	o.Store, o.Index = items, index
	o.Committers, o.Unembedded = h.committersByPath, new(space.Seldom)
	if h.Personal, err = space.Open(o); err != nil {
		return err
	}
	user := project.User(p.Home)
	unembedded := o.Unembedded
	o = h.spaceOptions(space.User, user, store.Root{Name: "global", Dir: user.Memory(), Scope: memory.Global})
	o.Unembedded = unembedded
	h.Global, err = space.Open(o)
	return err
}

// SpaceAt opens another space of the same user: of another project, or of a home
// that was kept aside. Its only text is its own memory folder.
func (h *Home) SpaceAt(name string, dir project.Space) (*space.Space, error) {
	root := store.Root{Name: "personal", Dir: dir.Memory(), Scope: memory.Personal(h.User)}
	if name == space.User {
		root.Name, root.Scope = "global", memory.Global
	}
	return space.Open(h.spaceOptions(name, dir, root))
}

func (h *Home) spaceOptions(name string, dir project.Space, roots ...store.Root) *space.Options {
	return &space.Options{
		Name: name, Dir: dir, Roots: roots, Owner: h.User, ReadOnly: h.ReadOnly, Redactor: h.Redactor,
		Configured: h.configured, MayChange: h.MayChange, Now: h.Now, NewID: h.NewID, Logger: h.Log,
	}
}

// projectRoots are the folders of the project's text: private, shared, of roles,
// and those that the settings name.
func (h *Home) projectRoots() []store.Root {
	p := h.Project
	// Nothing is written through a symlink that leads out of here. It is there
	// even before the project's own folder is.
	within := p.Root
	if !project.Within(p.Root, p.Folder()) {
		within = p.Home // the folder around the home keeps its text there
	}
	roots := []store.Root{
		{Name: "personal", Dir: p.PersonalMemory(), Scope: memory.Personal(h.User)},
		{Name: "shared", Dir: p.SharedMemory(), Scope: memory.Shared, Within: within, Foreign: h.judge(p.SharedMemory())},
		{Name: "project", Dir: filepath.Dir(p.Core()), Scope: memory.Shared, Flat: true, Within: within, Foreign: h.judge(p.Core())},
	}
	for _, name := range roleNames(p.Roles(), h.Roles) {
		dir, err := p.RoleMemory(name)
		if err != nil {
			continue
		}
		roots = append(roots, store.Root{Name: "role/" + name, Dir: dir, Scope: memory.Role(name), Within: within, Foreign: h.judge(dir)})
	}
	for _, dir := range h.Config.Memory.ExtraDirs {
		root := store.Root{Name: "extra/" + filepath.Base(dir), Dir: dir, Scope: memory.Personal(h.User), Notes: true}
		if !filepath.IsAbs(dir) {
			root.Dir = filepath.Join(p.Root, dir)
			if filepath.IsLocal(dir) {
				root.Within = p.Root // where a symlink leads to is not the project's to say
			}
		}
		root.Foreign = h.judge(root.Dir)
		roots = append(roots, root)
	}
	return roots
}

// roleNames lists the roles that the user holds and those that have a folder,
// each once.
func roleNames(dir string, held []string) []string {
	names := slices.Clone(held)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() && memory.ValidName(e.Name()) && !slices.Contains(names, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}
