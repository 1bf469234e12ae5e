package project

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"runtime"
	"strings"
)

// The kinds of keys a project is known by. An apart key names a folder and what
// it says to be, which it is not believed to be.
const (
	remoteKey = "remote:"
	dirKey    = "dir:"
	apartKey  = "apart:"
)

// identity is what the files say about a project folder: text to look up, and
// no proof of anything.
type identity struct {
	Keys   []string // strongest first, at least one; the last is the folder's own place
	Remote string   // normalised; empty without one
	// Anchor is the folder whose link counts for this one, too: the place of a
	// repository that names this worktree back, else itself.
	Anchor string
	repo   repository
	inGit  bool
}

// own is the key of the folder's own place.
func (id *identity) own() string { return id.Keys[len(id.Keys)-1] }

// identify reads the identity of root, a real path. A root that lies below the
// git top level is a project of its own within the repository, so its keys
// carry the way down.
func identify(root string) identity {
	id := identified(root)
	for i, key := range id.Keys {
		id.Keys[i] = stored(key)
	}
	return id
}

func identified(root string) identity {
	repo, ok := enclosing(root)
	if !ok {
		if repo, ok = openRepository(root); !ok {
			return identity{Keys: []string{dirKey + slashed(root)}, Anchor: root}
		}
	}
	id := identity{repo: repo, inGit: true, Anchor: root}
	inside := Within(repo.Top, repo.Common)
	if repo.Linked || inside {
		id.Anchor = repo.place()
	}
	id.Keys, id.Remote = repositoryKeys(repo)
	if repo.Top == root {
		return id
	}
	if rel, err := filepath.Rel(repo.Top, root); err == nil && rel != "." {
		for i := range id.Keys {
			id.Keys[i] += "//" + filepath.ToSlash(rel)
		}
		if repo.Linked || inside {
			id.Anchor = filepath.Join(id.Anchor, rel)
		}
	}
	return id
}

// repositoryKeys lists the keys of a repository. One that was cloned from a
// folder of this machine is known by that folder, too.
func repositoryKeys(r repository) (keys []string, name string) {
	own := dirKey + slashed(r.place())
	from := parseRemote(remoteURL(r.config()))
	switch {
	case from.Name != "":
		return []string{remoteKey + from.Name, own}, from.Name
	case from.Path != "":
		if place, ok := localSource(absolute(r.Top, filepath.FromSlash(from.Path))); ok && dirKey+slashed(place) != own {
			return []string{dirKey + slashed(place), own}, ""
		}
	}
	return []string{own}, ""
}

// localSource is the place of the repository a local URL points to, with the
// endings git tries. One that is gone keeps the place it had.
func localSource(path string) (place string, ok bool) {
	for _, p := range []string{path, path + ".git"} {
		if r, ok := openRepository(realPath(p)); ok {
			return r.place(), true
		}
	}
	if exists(path) {
		return "", false // a bundle, or a folder without git
	}
	return realPath(path), true
}

// deriveID makes the ID of a project that is known by no key yet.
func deriveID(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:6])
}

// validID reports whether s can be a project's ID, and so a folder's name.
func validID(s string) bool {
	if len(s) != 12 {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) })
}

func slashed(path string) string {
	path = filepath.ToSlash(path)
	if runtime.GOOS == "windows" && len(path) > 1 && path[1] == ':' {
		path = strings.ToUpper(path[:1]) + path[1:]
	}
	return path
}
