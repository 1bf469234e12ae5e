package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/jsonl"
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
// edited before its last 4 KiB. Shared looks at the Markdown of shared folders as
// well, and needs the files of [SharedKinds]. Full repairs torn ledgers and gives
// atoms without an ID one. Problems are those of the files that were read this time.
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
		if y.freed() {
			y.readShared(ctx, entries)
		}
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
	switch depth {
	case memory.QuickLook:
		entries, problems = s.ledgers()
	case memory.SharedLook:
		entries, problems = s.ledgers()
		md, bad := s.sharedMarkdown()
		entries, problems = append(entries, md...), append(problems, bad...)
	default:
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
		if unchanged(e, known) && (y.depth == memory.QuickLook || y.depth == memory.SharedLook && e.kind != kindMarkdown) {
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
		if y.depth == memory.SharedLook && e.kind == kindMarkdown {
			y.batch.Replace = append(y.batch.Replace, e.path) // what it said may not hold
		}
	case r != nil:
		y.readings = append(y.readings, r)
	}
}

// assemble makes the batch of the readings.
func (y *catchUp) assemble(ctx context.Context) error {
	slices.SortStableFunc(y.readings, func(a, b *reading) int { return y.rank(a) - y.rank(b) })
	before, now := y.pairs()
	next := resolve(now)
	changed := next.changed(resolve(before))
	if y.depth == memory.FullLook {
		for _, f := range y.known {
			if m := decodeMark(f.Mark); m != nil {
				changed = append(changed, m.Owed...)
			}
		}
	}

	taken, err := y.taken(ctx)
	if err != nil {
		return err
	}
	source := make(map[string]string)
	covered := make(map[string]bool) // items whose passages are put anyway
	for _, r := range y.readings {
		y.batch.Uses = append(y.batch.Uses, r.uses...)
		for _, id := range r.left {
			if r.private() || !taken[id] {
				y.batch.Remove = append(y.batch.Remove, id)
			}
		}
		if r.again && r.entry.kind != kindUsage {
			y.batch.Replace = append(y.batch.Replace, r.entry.path)
		}
		put := r.passages[:0]
		for _, p := range r.passages {
			if !r.private() && (taken[p.ID] || taken[p.Parent]) {
				y.problems = append(y.problems, memory.Problem{Path: p.Source, Line: p.Line, Text: "has the id of a private statement and is left out: give it an id of its own"})
				continue
			}
			if first, taken := source[p.ID]; taken && first != p.Source {
				y.problems = append(y.problems, memory.Problem{Path: p.Source, Line: p.Line, Text: fmt.Sprintf("item %s stands in %s too and is left out here: delete one of them", p.ID, first)})
				continue
			}
			source[p.ID] = p.Source
			covered[p.ID], covered[p.Parent] = true, true
			put = append(put, p)
		}
		if r.passages = nil; len(y.batch.Put) == 0 {
			y.batch.Put = put // they are many where a file is read as a whole
		} else {
			y.batch.Put = append(y.batch.Put, put...)
		}
	}
	again, missing, err := y.restate(ctx, slices.DeleteFunc(changed, func(id string) bool { return covered[id] }))
	if err != nil {
		return err
	}
	y.owe(missing)
	for _, r := range y.readings {
		if r.file.Mark, err = r.mark.encode(); err != nil {
			return err
		}
		y.batch.Files = append(y.batch.Files, r.file)
	}
	y.batch.Put = append(y.batch.Put, again...)
	for i := range y.batch.Put {
		next.apply(&y.batch.Put[i])
	}
	return nil
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
		if there[path] || f.Kind == kindMarkdown && !y.looksAt(path) || y.unreadable(path) {
			continue
		}
		y.batch.Gone = append(y.batch.Gone, path)
	}
	slices.Sort(y.batch.Gone)
}

// looksAt reports whether a Markdown file would have been found if it were there.
func (y *catchUp) looksAt(path string) bool {
	return y.depth == memory.FullLook || y.depth == memory.SharedLook && y.inShared(path)
}

// unreadable reports whether a file, or a folder above it, was reported when
// listing and so may well still be there.
func (y *catchUp) unreadable(path string) bool {
	return slices.ContainsFunc(y.problems, func(p memory.Problem) bool {
		return p.Line == 0 && (p.Path == path || strings.HasPrefix(path, p.Path+"/"))
	})
}

// freed reports whether private text may have lost an ID, which shared text may have
// had and was left out for.
func (y *catchUp) freed() bool {
	lost := func(path, atom string) bool {
		f := y.known[path]
		if f == nil || f.Kind == kindLedger {
			return f != nil
		}
		m := decodeMark(f.Mark)
		return m != nil && m.Atom != "" && m.Atom != atom
	}
	return slices.ContainsFunc(y.readings, func(r *reading) bool {
		return r.again && r.entry.root != nil && r.private() && lost(r.entry.path, r.mark.Atom)
	}) || slices.ContainsFunc(y.batch.Gone, func(path string) bool {
		return y.privatePath(path) && lost(path, "")
	})
}

// privatePath reports whether a path lies in a root that is the user's alone.
func (y *catchUp) privatePath(path string) bool {
	return slices.ContainsFunc(y.roots, func(r Root) bool { return r.Scope.Private() && strings.HasPrefix(path, r.Name+"/") })
}

// readShared reads all shared text whole that was not.
func (y *catchUp) readShared(ctx context.Context, entries []entry) {
	for i := range entries {
		e := &entries[i]
		if e.root == nil || e.root.Scope.Private() || y.known[e.path] == nil {
			continue
		}
		at := slices.IndexFunc(y.readings, func(r *reading) bool { return r.entry.path == e.path })
		if at >= 0 && y.readings[at].whole {
			continue
		}
		if at >= 0 {
			y.readings = slices.Delete(y.readings, at, at+1)
		}
		y.read(ctx, e, true)
	}
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

// readLog reads the end of an append-only file, or all of it when it is not
// known or was changed elsewhere than at its end.
func (y *catchUp) readLog(e *entry, known *memory.File, m *mark, force bool) (*reading, error) {
	if y.depth == memory.FullLook {
		if err := y.repair(e); err != nil {
			return nil, err
		}
	}
	file, err := jsonl.Open(e.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errGone
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if e.info, err = file.Stat(); err != nil {
		return nil, err
	}
	r := &reading{entry: *e}
	h, err := y.resume(file, e.info.Size(), known, m)
	if err != nil {
		return nil, err
	}
	from := int64(0)
	if h == nil || force {
		h, r.whole, r.again = sha256.New(), true, known != nil
	} else {
		from, r.mark = known.Offset, *m
		r.mark.Pairs = slices.Clone(m.Pairs)
	}
	if y.depth != memory.FullLook && e.info.Size()-from > maxUnsynced {
		return y.readLatest(r, file)
	}
	if r.mark.Owed = nil; y.depth != memory.FullLook && m != nil {
		r.mark.Owed = m.Owed
	}
	var end int64
	if e.kind == kindUsage {
		end, err = y.readUses(r, from)
	} else {
		end, err = y.readItems(r, from)
	}
	if err != nil {
		return nil, err
	}
	if r.whole {
		r.mark.Lines = 0
	}
	sum, err := r.mark.finish(file, h, from, end)
	if err != nil {
		return nil, err
	}
	r.mark.Young = y.young(e)
	r.file = memory.File{Path: e.path, Kind: e.kind, Size: e.info.Size(), MTime: e.info.ModTime(), Hash: sum, Offset: end}
	r.same = !r.whole && end == from
	if r.same && unchanged(e, known) && r.mark.Young == m.Young && len(r.mark.Owed) == len(m.Owed) {
		return nil, nil
	}
	return r, nil
}

// readLatest reads no more than the last of what Quick does not know of a
// ledger: a search that waits for it cannot wait for all. Nothing is taken off
// what the index has of the file, and the next Full reads it.
func (y *catchUp) readLatest(r *reading, file *os.File) (*reading, error) {
	y.problems = append(y.problems, memory.Problem{Path: r.entry.path, Later: true, Text: fmt.Sprintf("has grown by more than %d KB since the last sync: only the latest of it is searched until the next one", maxUnsynced>>10)})
	if r.entry.kind == kindUsage {
		return nil, nil
	}
	tail := make([]byte, maxUnsynced)
	start := r.entry.info.Size() - maxUnsynced
	n, err := file.ReadAt(tail, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	i := bytes.IndexByte(tail[:n], '\n')
	if i < 0 {
		return nil, nil // one line larger than that
	}
	l, err := readLedger(&r.entry, start+int64(i)+1, 0, nil)
	if err != nil {
		return nil, err
	}
	for _, id := range l.order {
		if v := l.versions[id]; !v.archived {
			v.line = 0 // how many lines stand before is not known
			r.passages = append(r.passages, v.passage(&r.entry))
		}
	}
	for id, rec := range l.loose {
		if rec.Op == "retire" {
			y.batch.Remove = append(y.batch.Remove, id)
		}
	}
	bound(r.passages, 1)
	y.batch.Put = append(y.batch.Put, r.passages...)
	return nil, nil
}

// repair cuts a torn last line off, which a crash leaves.
func (y *catchUp) repair(e *entry) error {
	aside, err := jsonl.Repair(e.file)
	if err != nil {
		return err
	}
	if aside != "" {
		y.log.Warn("cut off a torn last line", "file", e.file, "aside", aside)
		y.problems = append(y.problems, memory.Problem{Path: e.path, Text: "had a torn last line, as a crash leaves it: it was moved to " + filepath.Base(aside)})
	}
	return nil
}

// readItems reads the passages of a ledger from an offset on.
func (y *catchUp) readItems(r *reading, from int64) (end int64, err error) {
	l, err := readLedger(&r.entry, from, r.mark.Lines, nil)
	if err != nil {
		return 0, err
	}
	y.problems = append(y.problems, l.problems...)
	if !r.whole && len(l.loose) > 0 {
		if err := l.fetchLoose(&r.entry); err != nil {
			return 0, err
		}
	}
	if r.mark.Epoch = y.epochs[r.entry.root.Name]; r.whole {
		r.mark.Waits = nil
	}
	defer func() { y.problems = append(y.problems, bound(r.passages, 1)...) }()
	r.mark.Pairs = slices.DeleteFunc(r.mark.Pairs, func(p pair) bool { return l.versions[p.By] != nil })
	r.passages = slices.Grow(r.passages, len(l.order))
	for _, id := range l.order {
		v := l.versions[id]
		l.versions[id] = nil // the passage takes its place, of which there may be many
		if v.waits != "" && !v.rejected && !v.retired {
			r.mark.Waits = append(r.mark.Waits, v.waits)
		}
		if !v.archived {
			r.passages = append(r.passages, v.passage(&r.entry))
		} else if !r.whole {
			r.left = append(r.left, v.item.ID)
		}
		// What an archived item replaced stays replaced.
		if p, ok := pairOf(&v.item); ok && (!v.retired || v.archived) {
			r.mark.Pairs = append(r.mark.Pairs, p)
		}
	}
	return l.end, nil
}

// fetchLoose reads the items that the end of a ledger retires but does not hold.
func (l *ledger) fetchLoose(e *entry) error {
	wanted := make(map[string]bool, len(l.loose))
	for id := range l.loose {
		wanted[id] = true
	}
	before, err := readLedger(e, 0, 0, lineFilter(wanted))
	if err != nil {
		return err
	}
	for _, id := range before.order {
		if wanted[id] {
			l.order = append(l.order, id)
			l.versions[id] = before.versions[id]
		}
	}
	return nil
}
