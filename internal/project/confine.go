package project

import (
	"fmt"
	"os"
	"path/filepath"

	"orihon/memory"
)

// Confine reports whether path stays under root once every symlink on the way
// is followed; parts that do not exist yet are taken as they are. Leaving root
// wraps [memory.ErrRefused].
func Confine(root, path string) error {
	real, inside := realTarget(path), realPath(root)
	rel, err := filepath.Rel(inside, real)
	if err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%w: %s leads out of %s to %s; remove the symlink", memory.ErrRefused, path, root, real)
	}
	return nil
}

// realTarget resolves a path like realPath, and also follows a symlink whose
// target does not exist: it would be created on the first write.
func realTarget(path string) string {
	for range 40 {
		real := realPath(path)
		target, err := readlinkBelow(real)
		if err != nil {
			return real
		}
		path = target
	}
	return path
}

// readlinkBelow finds the first dangling symlink on a path and gives the path
// with that link replaced by its target.
func readlinkBelow(path string) (string, error) {
	rest := ""
	for at := path; ; {
		if target, err := os.Readlink(at); err == nil {
			return filepath.Join(absolute(filepath.Dir(at), target), rest), nil
		}
		up := filepath.Dir(at)
		if up == at || exists(at) {
			return "", memory.ErrNotFound
		}
		rest = filepath.Join(filepath.Base(at), rest)
		at = up
	}
}
