package project

import (
	"bufio"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The lengths of object names.
const (
	sha1Digits   = 40
	sha256Digits = 64
)

func hexID(s string) bool {
	return (len(s) == sha1Digits || len(s) == sha256Digits) &&
		!strings.ContainsFunc(s, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') })
}

// own reports whether the git folder is the worktree's own: it lies in it, or
// says itself that it is meant. What stands in a worktree's .git alone may lead
// anywhere.
func (r repository) own() bool {
	top := realPath(r.Top)
	switch {
	case Within(top, r.Dir):
		return r.Common == r.Dir
	case filepath.Dir(r.Dir) == filepath.Join(r.Common, "worktrees"):
		back := firstLine(filepath.Join(r.Dir, "gitdir"))
		return back != "" && realPath(filepath.Dir(absolute(r.Dir, back))) == top
	}
	for _, s := range r.config() { // a submodule, or a folder apart
		if s.Section == "core" && s.Key == "worktree" && realPath(absolute(r.Dir, filepath.FromSlash(s.Value))) == top {
			return r.Common == r.Dir
		}
	}
	return false
}

// prefix is the way from the worktree's top to a folder in it, with a slash at
// its end unless it is empty.
func (r repository) prefix(dir string) string {
	rel, err := filepath.Rel(realPath(r.Top), realPath(dir))
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel) + "/"
}

// head is the commit that is checked out; empty when the files do not tell, as
// before the first commit and in the reftable format.
func (r repository) head() string {
	line := firstLine(filepath.Join(r.Dir, "HEAD"))
	for range 5 { // a branch may be another name of one
		ref, is := strings.CutPrefix(line, "ref:")
		if !is {
			break
		}
		ref = strings.TrimSpace(ref)
		if !strings.HasPrefix(ref, "refs/") || !fs.ValidPath(ref) {
			return ""
		}
		if line = firstLine(filepath.Join(r.Common, filepath.FromSlash(ref))); line == "" {
			line = r.packed(ref)
		}
	}
	if !hexID(line) {
		return ""
	}
	return line
}

// packed looks a branch up among those that git has put into one file.
func (r repository) packed(ref string) string {
	const most = 64 << 20 // bytes
	f, err := openRegular(filepath.Join(r.Common, "packed-refs"))
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, most))
	for lines.Scan() {
		if id, name, _ := strings.Cut(lines.Text(), " "); name == ref {
			return id
		}
	}
	return ""
}

// plainObjects reports whether a folder of objects holds its objects itself: no
// symlink leads out of it, and it borrows from no other repository.
func plainObjects(dir string) bool {
	for _, at := range []string{dir, filepath.Join(dir, "pack"), filepath.Join(dir, "info")} {
		info, err := os.Lstat(at)
		if os.IsNotExist(err) && at != dir {
			continue
		}
		if err != nil || !info.IsDir() {
			return false
		}
		entries, err := os.ReadDir(at)
		if err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !e.IsDir() && !e.Type().IsRegular() }) {
			return false
		}
	}
	return !exists(filepath.Join(dir, "info", "alternates")) && !exists(filepath.Join(dir, "info", "http-alternates"))
}
