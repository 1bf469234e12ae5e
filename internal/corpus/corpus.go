// Package corpus makes the project's own files findable: it walks them, reads
// what changed since the last time, and cuts it into passages for an index of
// its own.
//
// It is stateless and remembers nothing: what an index knows of each file comes
// in, what the index must do to catch up goes out. Its passages are documents,
// never believed as memory is. Which files are left out, and why, is in the
// report; secrets and private spans are taken out of every text before it leaves this package.
//
// Start with [Changes].
package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/gitignore"
	"orihon/memory"
)

// FileKind is the kind of the files of a corpus in an index.
const FileKind = "document"

// Options of [Changes]. Root, Now and Redact are required.
type Options struct {
	// Root is the project's folder; nothing outside it is read.
	Root string
	// GitTop is the top of the git worktree that Root lies in, whose .gitignore
	// files count as well; empty means Root.
	GitTop string
	// GitExclude is the text of .git/info/exclude.
	GitExclude string
	// Paths are files and folders below Root, given from it with slashes, that
	// are looked at; empty means all. What lies elsewhere is left as it is.
	Paths []string
	// Include and Exclude are patterns as in a .gitignore at Root: with
	// Include, only files that match are read; those that match Exclude never.
	Include, Exclude []string
	// MaxBytes is the size from which a file is left out; 0 means 1 MB.
	MaxBytes int64
	// Redact takes secrets and private spans out of a text and leaves the line
	// breaks they held.
	// Rules names its rules: files are read again when they change.
	Redact func(text string) string
	Rules  string
	Now    func() time.Time
	// Step is told how many files were looked at; nil for nobody.
	Step func(files int)
}

// Reason is why something was left out.
type Reason string

// The reasons.
const (
	Ignored    Reason = "ignored by git"
	Excluded   Reason = "excluded by settings"
	Binary     Reason = "binary"
	Encoding   Reason = "not UTF-8"
	TooLarge   Reason = "too large"
	Generated  Reason = "generated"
	Vendored   Reason = "vendored"
	Secret     Reason = "may hold secrets"
	Data       Reason = "data, not text"
	Symlink    Reason = "symlink"
	Special    Reason = "not a regular file"
	Unreadable Reason = "cannot be read"
)

// Skip is one file or folder that was left out.
type Skip struct {
	Path   string `json:"path"`
	Reason Reason `json:"reason"`
}

// Report is what a run of [Changes] did.
type Report struct {
	Read      int            `json:"read"`
	Unchanged int            `json:"unchanged"`
	Gone      int            `json:"gone"`
	Skipped   map[Reason]int `json:"skipped"` // files and folders by reason
	// Left are the first of what was skipped, by reason, those ignored by git
	// aside.
	Left  []Skip `json:"left,omitempty"`
	Bytes int64  `json:"bytes"` // of the files read
}

// mostLeft bounds [Report.Left] for each reason.
const mostLeft = 20

// version is what a file's passages depend on besides its text; it changes
// with the chunks and with what is taken out of them.
const version = "2"

// Changes compares the files with what an index knows of them and hands over,
// a part at a time, what the index must do to catch up; each part is complete
// in itself, so that what was applied need not be done again. Memory is bounded
// by one part and the names of the files. An error of apply ends it.
func Changes(ctx context.Context, o *Options, known []memory.File, apply func(memory.Batch) error) (*Report, error) {
	w, err := begin(ctx, o, known, apply)
	if err != nil {
		return nil, err
	}
	defer w.root.Close()
	if err := w.folder(".", w.above()); err != nil {
		return w.report, err
	}
	if err := w.flush(); err != nil {
		return w.report, err
	}
	return w.report, w.gone()
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
	if w.most <= 0 {
		w.most = 1 << 20
	}
	for i := range known {
		w.known[known[i].Path] = &known[i]
	}
	w.visit = w.file
	return w, nil
}

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

// gone drops the files that are no longer there, or no longer wanted.
func (w *walk) gone() error {
	var gone []string
	for p := range w.known {
		if !w.seen[p] && w.wanted(p, false) && !slices.ContainsFunc(w.lost, func(l string) bool { return l == "." || p == l || strings.HasPrefix(p, l+"/") }) {
			gone = append(gone, p)
		}
	}
	if w.report.Gone = len(gone); len(gone) == 0 {
		return nil
	}
	slices.Sort(gone)
	return w.apply(memory.Batch{Gone: gone})
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
