package project

import (
	"fmt"
	"os"
	"path"
	"path/filepath"

	"orihon/memory"
)

// Project is one project as seen from one folder. Its paths are real ones.
type Project struct {
	ID   string // 12 hex digits, the same in every worktree and clone
	Name string // for people
	Root string // the project folder that was found
	Home string // the user's Orihon home

	Worktree  string // git top level around the folder; empty outside git
	CommonDir string // git folder that all worktrees share; empty outside git
	Remote    string // "host/path" without credentials; empty without one
	Branch    string // checked out in Worktree; empty when detached

	// Keys are what the project is known by, strongest first.
	Keys []string
	// Registered says that every key is in the registry, so that [Register]
	// has nothing to write.
	Registered bool
	// Conflict is set when the registry knows a key under another ID.
	Conflict *Conflict

	// Local says that the private memory stays under the project.
	Local bool
	// LocalIgnored says that a .orihon/local folder is there but that this
	// user did not ask for it: it came with the repository.
	LocalIgnored bool

	folder string
}

// Conflict is a key that belongs to another project than the one found.
type Conflict struct {
	Key string
	ID  string // the project it belongs to
}

func (c *Conflict) String() string {
	return fmt.Sprintf("%s belongs to project %s", c.Key, c.ID)
}

// Options are the choices of [Resolve]; nil means all defaults.
type Options struct {
	// Homes are further Orihon homes of the user, such as ~/.orihon while
	// another home is in use; no project is found because of them.
	Homes []string
	// Local keeps the private memory under the project even without the
	// folder's marker.
	Local bool
}

// Resolve finds the project that dir belongs to and its ID. It only reads. An
// .orihon that leads out of the project wraps [memory.ErrRefused].
func Resolve(home, dir string, o *Options) (*Project, error) {
	if o == nil {
		o = &Options{}
	}
	home, err := filepath.Abs(home)
	if err != nil {
		return nil, fmt.Errorf("find the home: %w", err)
	}
	start, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the project: %w", err)
	}
	start = realPath(start)
	root, marker := Find(start, append([]string{home}, o.Homes...)...)
	id := identify(root)
	p := &Project{Root: root, Home: home, Keys: id.Keys, Remote: id.Remote}
	if id.inGit {
		p.Worktree, p.CommonDir, p.Branch = id.repo.Top, id.repo.Common, id.repo.branch()
		// A worktree inside the project folder has a branch of its own.
		if start != root {
			if near, ok := enclosing(start); ok && near.Common == id.repo.Common {
				p.Worktree, p.Branch = near.Top, near.branch()
			}
		}
	}
	if err := p.place(marker, o); err != nil {
		return nil, err
	}
	p.Name = filepath.Base(root)
	if p.Remote != "" && (root == id.repo.Top || root == p.Worktree) {
		p.Name = path.Base(p.Remote)
	}
	if p.Local {
		p.ID, p.Registered = deriveID(p.Keys[0]), true
		return p, nil
	}
	entry, err := Lookup(home, p.Keys)
	if err != nil {
		return nil, err
	}
	p.ID, p.Registered, p.Conflict = entry.ID, entry.Complete, entry.Conflict
	return p, nil
}

// place settles where the project's two spaces are, and refuses folders that
// lead elsewhere.
func (p *Project) place(marker Marker, o *Options) error {
	p.folder = filepath.Join(p.Root, folderName)
	if marker != ByFolder {
		// The folder around a home: what stands there is the user's own.
		for _, h := range append([]string{p.Home}, o.Homes...) {
			if same(h, p.folder) {
				p.folder = ""
				return nil
			}
		}
	}
	// Root is a real path and parents come first, so only symlinks need a
	// closer look.
	for _, rel := range []string{"", "memory", "memory/shared", "memory/role", "shared", "local"} {
		path := filepath.Join(p.folder, rel)
		info, err := os.Lstat(path)
		if err != nil && rel == "" {
			break
		}
		if err != nil || info.Mode().IsRegular() || info.IsDir() {
			continue
		}
		if err := Confine(p.Root, path); err != nil {
			return err
		}
	}
	info, err := os.Lstat(filepath.Join(p.folder, "local"))
	has := err == nil && info.IsDir()
	p.Local = o.Local || has && (p.CommonDir == "" || exists(p.localMarker()))
	p.LocalIgnored = has && !p.Local
	return nil
}

// localMarker is the file in the git folder that says that this user, and not
// somebody's commit, made .orihon/local: git never carries it.
func (p *Project) localMarker() string { return filepath.Join(p.CommonDir, "orihon-local") }

// MakeLocal keeps the project's private memory under the project from now on.
func (p *Project) MakeLocal() error {
	if p.folder == "" {
		return fmt.Errorf("%w: %s is the folder around the user's home; private memory is kept there already", memory.ErrRefused, p.Root)
	}
	dir := filepath.Join(p.folder, "local")
	if err := Confine(p.Root, dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if p.CommonDir != "" {
		if err := os.WriteFile(p.localMarker(), nil, 0o600); err != nil {
			return err
		}
	}
	p.Local, p.LocalIgnored, p.Registered, p.Conflict = true, false, true, nil
	p.ID = deriveID(p.Keys[0])
	return nil
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
