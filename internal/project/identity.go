package project

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// maxClones bounds how far a chain of clones of clones is followed.
const maxClones = 8

// The kinds of keys a project is known by.
const (
	remoteKey = "remote:"
	dirKey    = "dir:"
)

// identity is what the files say about a project folder.
type identity struct {
	Keys   []string // strongest first, at least one
	Remote string   // normalised; empty without one
	repo   repository
	inGit  bool
}

// identify reads the identity of root, a real path. A root that lies below the
// git top level is a project of its own within the repository, so its keys
// carry the way down.
func identify(root string) identity {
	repo, ok := enclosing(root)
	if !ok {
		if repo, ok = openRepository(root); !ok {
			return identity{Keys: []string{dirKey + slashed(root)}}
		}
	}
	id := identity{repo: repo, inGit: true}
	id.Keys, id.Remote = repositoryKeys(repo, maxClones, nil)
	if repo.Top == root {
		return id
	}
	if rel, err := filepath.Rel(realPath(repo.Top), root); err == nil && rel != "." {
		for i := range id.Keys {
			id.Keys[i] += "//" + filepath.ToSlash(rel)
		}
	}
	return id
}

// repositoryKeys lists the keys of a repository. Those of the one it was cloned
// from stand before its own place, so that a clone of a local repository is the
// same project whether or not that one has a remote.
func repositoryKeys(r repository, depth int, seen []string) (keys []string, name string) {
	own := dirKey + slashed(r.place())
	if depth == 0 || slices.Contains(seen, r.Common) {
		return []string{own}, ""
	}
	from := parseRemote(remoteURL(r.config()))
	switch {
	case from.Name != "":
		return []string{remoteKey + from.Name, own}, from.Name
	case from.Path != "":
		if source, ok := localSource(absolute(r.Top, filepath.FromSlash(from.Path))); ok {
			keys, name = repositoryKeys(source, depth-1, append(seen, r.Common))
		}
	}
	if !slices.Contains(keys, own) {
		keys = append(keys, own)
	}
	return keys, name
}

// localSource opens the repository a local URL points to, with the endings git
// tries. One that is gone keeps the place it had.
func localSource(path string) (repository, bool) {
	for _, p := range []string{path, path + ".git"} {
		if r, ok := openRepository(p); ok {
			return r, true
		}
	}
	if exists(path) {
		return repository{}, false // a bundle, or a folder without git
	}
	return repository{Top: path, Dir: path, Common: realPath(path)}, true
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
