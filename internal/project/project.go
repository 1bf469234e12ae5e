package project

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
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

	// Keys are what the folder says of itself, strongest first: text to look up.
	Keys []string
	// Registered says that the registry knows all that there is to know, so
	// that [Register] has nothing to write.
	Registered bool
	// Claim is set when the folder says to be a known project without having
	// been linked with it: the ID is then one of its own.
	Claim *Claim
	// Conflict is set when the registry knows a key under another ID.
	Conflict *Conflict

	// Local says that the private memory stays under the project.
	Local bool
	// LocalRefused says in one line why a .orihon/local that is there is not
	// used; empty when it is, or when there is none.
	LocalRefused string
	// Refused says in one line why the project's folder was left out, see
	// [Options.Lenient]; empty when it was not.
	Refused string

	folder string
	found  folder
	token  func() string
	asked  bool // for the local space, at this moment
}

// folder is what is found where a session runs: its identity, and what the user
// says about such.
type folder struct {
	identity
	Root  string
	trust []string
}

// Conflict is a key that belongs to another project than the one found.
type Conflict struct {
	Key string
	ID  string // the project it belongs to
}

func (c *Conflict) String() string {
	return fmt.Sprintf("%s belongs to project %s, with which orihon project link %s ties this folder", c.Key, c.ID, c.ID)
}

// Options are the choices of [Resolve]; nil means all defaults.
type Options struct {
	// Homes are further Orihon homes of the user, such as ~/.orihon while
	// another home is in use; no project is found because of them.
	Homes []string
	// Lenient leaves the project's folder out where it leads out of the
	// project, instead of refusing everything: what a hook needs.
	Lenient bool
	// Local keeps the private memory under the project.
	Local bool
	// LocalNow says that the user asks for Local at this moment, and not for
	// all projects: a folder that was not made here counts, too.
	LocalNow bool
	// TrustRemotes are hosts, and hosts with an owner, whose clones are linked
	// without a question. Only the user's own settings may name them.
	TrustRemotes []string
	// Token makes the secret by which a local folder is known again; nil is
	// 26 random letters.
	Token func() string
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
	if marker == ByFolder {
		root, marker, err = nearest(home, start, root)
		if err != nil {
			return nil, err
		}
	}
	id := identify(root)
	p := &Project{Root: root, Home: home, Keys: id.Keys, Remote: id.Remote, token: o.Token, asked: o.LocalNow}
	p.found = folder{identity: id, Root: root, trust: o.TrustRemotes}
	if p.token == nil {
		p.token = rand.Text
	}
	if id.inGit {
		p.Worktree, p.CommonDir, p.Branch = id.repo.Top, id.repo.Common, id.repo.branch()
		// A worktree inside the project folder has a branch of its own.
		if start != root {
			if near, ok := enclosing(start); ok && near.Common == id.repo.Common {
				p.Worktree, p.Branch = near.Top, near.branch()
			}
		}
	}
	switch err := p.place(marker, o); {
	case err != nil && !o.Lenient:
		return nil, err
	case err != nil:
		// What the home holds goes on without the folder.
		p.folder, p.Refused = "", err.Error()
	}
	return p, p.find()
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
	for _, rel := range []string{"", "memory", "memory/shared", "memory/role", "shared"} {
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
	return p.placeLocal(o)
}
