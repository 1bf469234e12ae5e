package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/memory"
)

// reading is what one file has to say.
type reading struct {
	entry    entry
	file     memory.File
	mark     mark
	again    bool // the file is known and read whole
	whole    bool // passages are all it has
	same     bool // only file or mark differ from what is known
	passages []memory.Passage
	left     []string // items that went into the archive
	uses     []memory.Use
}

// catchUp is one run of Changes.
type catchUp struct {
	*Store
	depth    memory.Depth
	known    map[string]*memory.File
	readings []*reading
	batch    memory.Batch
	problems []memory.Problem
	// epochs are the states of what was accepted, by the name of the root.
	epochs map[string]string
	given  int // atoms that were given an ID
	bare   int // those that must wait for theirs
}

// Changes compares the text with what an index knows of it and returns what the
// index must do to catch up. Applied to nothing, or step by step, the outcome
// is the same; of what is known, Quick needs only the files of [QuickKinds]: it
// looks at the ledgers and the usage log, and trusts that one that grew was not
// edited before its last 4 KiB. Full repairs torn ledgers and gives atoms
// without an ID one. Problems are those of the files that were read this time.
// An error means that nothing can be said.
//
// An ID belongs in one file. Of two atoms with the same one the first by path
// counts; two ledgers that were given the same one by hand are reported when
// both are read, and which of them counts is open until one is mended.
func (s *Store) Changes(ctx context.Context, known []memory.File, depth memory.Depth) (memory.Batch, []memory.Problem, error) {
	y := &catchUp{Store: s, depth: depth, known: make(map[string]*memory.File, len(known)), epochs: make(map[string]string)}
	for i := range s.roots {
		if r := &s.roots[i]; r.Foreign != nil {
			epoch, err := r.Foreign.Epoch()
			if err != nil {
				y.problems = append(y.problems, memory.Problem{Path: r.Name, Text: oneLine(err.Error()) + "; nothing of it counts as accepted"})
			}
			y.epochs[r.Name] = epoch
		}
	}
	for i := range known {
		y.known[known[i].Path] = &known[i]
	}
	entries, problems := s.list(depth)
	y.problems = append(y.problems, problems...)
	for i := range entries {
		if err := ctx.Err(); err != nil {
			return memory.Batch{}, nil, err
		}
		y.read(ctx, &entries[i], false)
	}
	y.gone(entries)
	if depth == memory.FullLook {
		y.shadow(ctx, entries)
	}
	if y.bare > 0 {
		y.problems = append(y.problems, memory.Problem{Path: "memory", Text: fmt.Sprintf("%d files have no id yet: each sync gives %d one, so run it again", y.bare, maxNewIDs)})
	}
	if len(y.readings)+len(y.batch.Gone) == 0 {
		return y.batch, y.problems, nil
	}
	if err := y.assemble(ctx); err != nil {
		return memory.Batch{}, nil, fmt.Errorf("changes: %w", err)
	}
	return y.batch, y.problems, nil
}

// list is what a depth looks at.
func (s *Store) list(depth memory.Depth) (entries []entry, problems []memory.Problem) {
	if depth == memory.QuickLook {
		entries, problems = s.ledgers()
	} else {
		entries, problems = s.walk()
	}
	e := entry{path: usageName, file: filepath.Join(s.state, usageName), kind: kindUsage}
	info, err := os.Stat(e.file)
	bad, ok := e.looked(info, err, "log")
	if ok {
		entries = append(entries, e)
	}
	return entries, append(problems, bad...)
}

// read reads a file if it changed. What cannot be read becomes a problem, and
// the index keeps what it has of it.
func (y *catchUp) read(ctx context.Context, e *entry, force bool) {
	known := y.known[e.path]
	var m *mark
	if known != nil && known.Kind == e.kind {
		if unchanged(e, known) && y.depth == memory.QuickLook {
			return
		}
		if m = decodeMark(known.Mark); m != nil && (e.kind == kindMarkdown && m.Off != y.off() || y.judgedOtherwise(e, m)) {
			m = nil
		}
		if m != nil && !force && unchanged(e, known) && !m.Young && !m.Bare && len(m.Owed) == 0 && !y.uncovered(m) {
			return
		}
	}
	if known != nil && m == nil {
		force = true
	}
	var r *reading
	var err error
	if e.kind == kindMarkdown {
		r, err = y.readNote(ctx, e, known, m, force)
	} else {
		r, err = y.readLog(e, known, m, force)
	}
	switch {
	case errors.Is(err, errGone):
		*e = entry{}
	case err != nil:
		y.problems = append(y.problems, unread(e.path, err))
	case r != nil:
		y.readings = append(y.readings, r)
	}
}

// judgedOtherwise reports whether text that others may have written was read
// when something else of it was accepted.
func (y *catchUp) judgedOtherwise(e *entry, m *mark) bool {
	f := e.foreign()
	if f == nil {
		return false
	}
	return m.Epoch != y.epochs[e.root.Name] || slices.ContainsFunc(m.Waits, f.Accepted)
}

// gone notes the files that no longer exist. Those that could not be read are
// not gone.
func (y *catchUp) gone(entries []entry) {
	there := make(map[string]bool, len(entries)+len(y.problems))
	for i := range entries {
		there[entries[i].path] = true
	}
	for path, f := range y.known {
		if there[path] || y.depth == memory.QuickLook && f.Kind == kindMarkdown || y.unreadable(path) {
			continue
		}
		y.batch.Gone = append(y.batch.Gone, path)
	}
	slices.Sort(y.batch.Gone)
}

// unreadable reports whether a file, or a folder above it, was reported when
// listing and so may well still be there.
func (y *catchUp) unreadable(path string) bool {
	return slices.ContainsFunc(y.problems, func(p memory.Problem) bool {
		return p.Line == 0 && (p.Path == path || strings.HasPrefix(path, p.Path+"/"))
	})
}

// shadow leaves out atoms whose ID an earlier file has, and brings back those
// whose earlier file is gone.
func (y *catchUp) shadow(ctx context.Context, entries []entry) {
	byPath := make(map[string]*reading, len(y.readings))
	for _, r := range y.readings {
		byPath[r.entry.path] = r
	}
	owner := make(map[string]string)
	for i := range entries {
		e := &entries[i]
		if e.kind != kindMarkdown {
			continue
		}
		r := byPath[e.path]
		m := (*mark)(nil)
		if r != nil {
			m = &r.mark
		} else if f := y.known[e.path]; f != nil {
			m = decodeMark(f.Mark)
		}
		if m == nil || m.Atom == "" {
			continue
		}
		first, taken := owner[m.Atom]
		if !taken {
			owner[m.Atom] = e.path
		}
		if r == nil && m.Shadowed != taken || r != nil && r.same && m.Shadowed != taken {
			if r != nil {
				y.readings = slices.DeleteFunc(y.readings, func(x *reading) bool { return x == r })
			}
			n := len(y.readings)
			y.read(ctx, e, true)
			if r = nil; len(y.readings) > n {
				r = y.readings[n]
			}
		}
		if r != nil && taken {
			r.mark.Shadowed, r.passages, r.mark.Pairs = true, nil, nil
			y.problems = append(y.problems, memory.Problem{Path: e.path, Text: fmt.Sprintf("has the same id as %s and is left out: delete its id line and it gets one of its own", first)})
		}
	}
}
