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
	"slices"
	"strings"
	"time"

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
	w.visit = w.file
	if err := w.folder(".", w.above()); err != nil {
		return w.report, err
	}
	if err := w.flush(); err != nil {
		return w.report, err
	}
	return w.report, w.gone()
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
