package project

import (
	"os"
	"path/filepath"
	"strings"
)

// repository is what the files of a git repository tell.
type repository struct {
	Top    string // top level of the worktree; the repository itself when bare
	Dir    string // the worktree's own git folder: HEAD stands there
	Common string // what all worktrees share: config stands there
	Linked bool   // Top is a worktree beside the main one
}

// openRepository reads the git files at dir, a real path, which is a worktree's
// top level or a bare repository; ok is false when it is neither.
//
// A .git that leads out of dir, as a file or as a symlink, says nothing by
// itself: anybody can write one. It counts when the folder it leads to names dir
// back, as git has it for linked worktrees and submodules.
func openRepository(dir string) (r repository, ok bool) {
	dot := filepath.Join(dir, ".git")
	if !hasGit(dir) {
		if !bare(dir) {
			return repository{}, false
		}
		return repository{Top: dir, Dir: dir, Common: dir}, true
	}
	r = repository{Top: dir, Dir: dot}
	if target, is := gitFile(dot); is {
		if target == "" {
			return repository{}, false
		}
		r.Dir = absolute(dir, target)
	}
	r.Dir = realPath(r.Dir)
	r.Common = r.Dir
	if line := firstLine(filepath.Join(r.Dir, "commondir")); line != "" && r.Dir != dot {
		r.Common = realPath(absolute(r.Dir, line))
		r.Linked = true
		return r, r.linkedBack()
	}
	return r, Within(dir, r.Dir) || r.configuredBack()
}

// linkedBack reports whether the worktree's git folder is one of those that the
// common folder keeps, and names this very worktree.
func (r repository) linkedBack() bool {
	if up := filepath.Dir(r.Dir); filepath.Base(up) != "worktrees" || filepath.Dir(up) != r.Common {
		return false
	}
	line := firstLine(filepath.Join(r.Dir, "gitdir"))
	if line == "" {
		return false
	}
	// The folder's own name is compared, not what a symlink there leads to.
	named := absolute(r.Dir, line)
	return filepath.Base(named) == ".git" && isFolder(filepath.Dir(named), r.Top)
}

// configuredBack reports whether the git folder's configuration names this very
// worktree.
func (r repository) configuredBack() bool {
	tree := ""
	for _, s := range r.config() {
		if s.Section == "core" && s.Sub == "" && s.Key == "worktree" {
			tree = s.Value
		}
	}
	return tree != "" && isFolder(absolute(r.Dir, tree), r.Top)
}

// enclosing is the repository whose worktree holds dir.
func enclosing(dir string) (repository, bool) {
	for at := dir; ; {
		if hasGit(at) {
			return openRepository(at)
		}
		up := filepath.Dir(at)
		if up == at {
			return repository{}, false
		}
		at = up
	}
}

// branch is the checked-out branch; empty when HEAD is detached or unreadable.
func (r repository) branch() string {
	ref, ok := strings.CutPrefix(firstLine(filepath.Join(r.Dir, "HEAD")), "ref:")
	if !ok {
		return ""
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(ref), "refs/heads/")
	if !ok || name == ".invalid" { // the stand-in of the reftable format
		return ""
	}
	return name
}

// place is the path that stands for the repository: the folder around .git, or
// the git folder itself for bare repositories and submodules.
func (r repository) place() string {
	if filepath.Base(r.Common) == ".git" {
		return filepath.Dir(r.Common)
	}
	return r.Common
}

// bare reports whether dir looks like a bare repository or a git folder.
func bare(dir string) bool {
	return exists(filepath.Join(dir, "HEAD")) && exists(filepath.Join(dir, "objects")) && exists(filepath.Join(dir, "refs"))
}

// gitFile reads a .git that is a file; is says whether it is one.
func gitFile(path string) (target string, is bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	target, _ = strings.CutPrefix(firstLine(path), "gitdir:")
	return strings.TrimSpace(target), true
}

// hasGit reports whether dir is the top level of a worktree: .git is a folder
// with a HEAD in it, or the file that worktrees and submodules have.
func hasGit(dir string) bool {
	path := filepath.Join(dir, ".git")
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if info.Mode().IsRegular() {
		return true
	}
	_, err = os.Lstat(filepath.Join(path, "HEAD"))
	return info.IsDir() && err == nil
}
