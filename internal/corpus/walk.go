package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/gitignore"
	"orihon/memory"
)

// walk is one run over the files.
type walk struct {
	*Options
	ctx              context.Context
	root             *os.Root
	apply            func(memory.Batch) error
	known            map[string]*memory.File
	seen             map[string]bool
	lost             []string // folders and files that could not be read
	include, exclude *gitignore.List
	report           *Report
	mark             string
	most             int64 // bytes, of a file that is read
	files            int
	visit            func(rel string, e fs.DirEntry) error // a file that is wanted

	batch memory.Batch
	bytes int64 // of the texts in batch
}

// begin prepares a walk; its root is to be closed.
func begin(ctx context.Context, o *Options, known []memory.File, apply func(memory.Batch) error) (*walk, error) {
	root, err := os.OpenRoot(o.Root)
	if err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	w := &walk{
		Options: o, ctx: ctx, root: root, apply: apply, known: make(map[string]*memory.File, len(known)), seen: make(map[string]bool, len(known)),
		include: gitignore.Patterns(o.Include...), exclude: gitignore.Patterns(o.Exclude...), report: &Report{Skipped: make(map[Reason]int)},
		mark: version + "/" + o.Rules, most: o.MaxBytes,
	}
	w.most = cmp.Or(max(w.most, 0), 1<<20)
	for i := range known {
		w.known[known[i].Path] = &known[i]
	}
	return w, nil
}

// above reads the ignore files between the top of git's worktree and Root. Their
// patterns see paths from the top, which prefix leads to.
func (w *walk) above() *gitignore.Tree {
	tree := gitignore.Top(gitignore.Parse(w.GitExclude))
	for _, dir := range w.outer() {
		text, err := os.ReadFile(filepath.Join(w.GitTop, filepath.FromSlash(dir), ".gitignore"))
		if err == nil {
			tree = tree.Under(dir, gitignore.Parse(string(text)))
		}
	}
	return tree
}

// outer lists the folders from the top of the worktree down to above Root,
// from the top; empty when Root is the top.
func (w *walk) outer() []string {
	prefix := w.prefix()
	if prefix == "" {
		return nil
	}
	out := []string{""}
	for i := range len(prefix) - 1 {
		if prefix[i] == '/' {
			out = append(out, prefix[:i])
		}
	}
	return out
}

// prefix leads from the top of the worktree to Root, with a slash at its end.
func (w *walk) prefix() string {
	if w.GitTop == "" {
		return ""
	}
	rel, err := filepath.Rel(w.GitTop, w.Root)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel) + "/"
}

// folder walks one folder in the order of its names.
func (w *walk) folder(dir string, tree *gitignore.Tree) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	entries, err := w.entries(dir)
	if err != nil {
		w.lose(dir)
		return nil
	}
	prefix := w.prefix()
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".gitignore" && e.Type().IsRegular() }) {
		text, err := w.root.ReadFile(filepath.Join(filepath.FromSlash(dir), ".gitignore"))
		if err == nil {
			at := strings.TrimSuffix(prefix+dir, "/.")
			if at == "." {
				at = ""
			}
			tree = tree.Under(at, gitignore.Parse(string(text)))
		}
	}
	for _, e := range entries {
		rel := path.Join(dir, e.Name())
		if !w.wanted(rel, e.IsDir()) {
			continue
		}
		var reason Reason
		switch {
		case tree.Ignored(prefix+rel, e.IsDir()):
			reason = Ignored
		case e.IsDir():
			reason = skippedFolder(e.Name())
			if at, _ := w.exclude.Match(rel, true); at {
				reason = Excluded
			}
		case e.Type()&fs.ModeSymlink != 0:
			reason = Symlink
		case !e.Type().IsRegular():
			reason = Special
		default:
			reason = w.unwanted(rel)
		}
		switch {
		case reason != "":
			w.skip(rel, reason)
		case e.IsDir():
			err = w.folder(rel, tree)
		default:
			err = w.visit(rel, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) entries(dir string) ([]fs.DirEntry, error) {
	f, err := w.root.Open(filepath.FromSlash(dir))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// wanted reports whether a path is among those asked for, or leads to one.
func (w *walk) wanted(rel string, folder bool) bool {
	if len(w.Paths) == 0 {
		return true
	}
	return slices.ContainsFunc(w.Paths, func(p string) bool {
		return p == "." || rel == p || strings.HasPrefix(rel, p+"/") || folder && strings.HasPrefix(p, rel+"/")
	})
}

// unwanted says by its name alone why a file is left out.
func (w *walk) unwanted(rel string) Reason {
	if !w.include.Empty() && !w.included(rel) {
		return Excluded
	}
	if excluded, _ := w.exclude.Match(rel, false); excluded {
		return Excluded
	}
	return skippedName(path.Base(rel))
}

// included reports whether a pattern takes in the file or a folder above it.
func (w *walk) included(rel string) bool {
	for folder := false; rel != "."; rel, folder = path.Dir(rel), true {
		if in, decided := w.include.Match(rel, folder); decided {
			return in
		}
	}
	return false
}

func (w *walk) skip(rel string, reason Reason) {
	w.report.Skipped[reason]++
	if reason != Ignored && w.report.Skipped[reason] <= mostLeft {
		w.report.Left = append(w.report.Left, Skip{rel, reason})
	}
}

// lose notes what could not be read: it may well still be there, and the index
// keeps what it has of it.
func (w *walk) lose(rel string) {
	w.skip(rel, Unreadable)
	w.lost = append(w.lost, rel)
}

// flush hands over what has gathered.
func (w *walk) flush() error {
	if w.batch.Empty() {
		return nil
	}
	err := w.apply(w.batch)
	w.batch, w.bytes = memory.Batch{}, 0
	return errors.Join(err, w.ctx.Err())
}
