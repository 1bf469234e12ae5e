package project

import (
	"os"
	"path/filepath"
	"slices"
)

// folderName is the folder a project keeps its shared text in, and the one the
// user's home usually is.
const folderName = ".orihon"

// Marker is what made a folder the root of a project.
type Marker string

// The markers, strongest first.
const (
	ByFolder Marker = ".orihon" // it has a folder of ours
	ByGit    Marker = ".git"    // it is the top level of a git worktree
	ByPath   Marker = ""        // nothing: it is where the search began
)

// Find looks for the project folder from dir upwards: the nearest folder with
// .orihon in it, else the nearest git top level, else dir itself.
//
// homes are the user's Orihon homes (such as ~/.orihon). The folder around a
// home is not a project because of it, and its git worktree, which then holds
// somebody's dot files, is one only for dir itself.
func Find(dir string, homes ...string) (root string, marker Marker) {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	var known []os.FileInfo
	for _, h := range homes {
		if info, err := os.Stat(h); err == nil {
			known = append(known, info)
		}
	}
	git := ""
	for at := dir; ; {
		home := false
		if info, err := os.Stat(filepath.Join(at, folderName)); err == nil && info.IsDir() {
			if home = slices.ContainsFunc(known, func(h os.FileInfo) bool { return os.SameFile(h, info) }); !home {
				return at, ByFolder
			}
		}
		if git == "" && (!home || at == dir) && hasGit(at) {
			git = at
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at = up
	}
	if git != "" {
		return git, ByGit
	}
	return dir, ByPath
}

// nearest prefers the git worktree around dir to a folder of ours above it,
// unless this machine has linked that one: whoever can write above a repository
// does not say what it is.
func nearest(home, dir, root string) (string, Marker, error) {
	top := ""
	for at := dir; at != root && top == ""; at = filepath.Dir(at) {
		if hasGit(at) {
			top = at
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	if top == "" {
		return root, ByFolder, nil
	}
	r, err := readRegistry(home)
	if err != nil {
		return "", ByPath, err
	}
	if len(r.links(root)) > 0 {
		return root, ByFolder, nil
	}
	return top, ByGit, nil
}
