package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// What an entry is and how it is read: the Kind of its [memory.File].
const (
	kindLedger   = "ledger"
	kindMarkdown = "markdown"
	kindUsage    = "usage"
	kindArchive  = "archive" // never of a [memory.File]: no index reads it
	kindOther    = "other"   // likewise: only a purge looks at it
)

// coreName is the file that says what is always worth saying.
const coreName = "MEMORY.md"

// errGone means that a file vanished between listing and reading.
var errGone = errors.New("file is gone")

// entry is a file of the space.
type entry struct {
	root *Root
	path string // as [memory.File.Path]
	file string // for the operating system
	kind string
	info fs.FileInfo
}

func ledgerNames() []string {
	return []string{"semantic.jsonl", "episodic.jsonl", "procedural.jsonl"}
}

// ledgerName is the ledger for new items of a kind. Notes that come as items
// go with the facts.
func ledgerName(k memory.Kind) string {
	switch k {
	case memory.Episodic:
		return "episodic.jsonl"
	case memory.Procedural:
		return "procedural.jsonl"
	}
	return "semantic.jsonl"
}

// failuresDir is the folder of the ledgers of what failed and how it was mended, one
// for each thing that fails.
const failuresDir = "failures"

// placeOf is the ledger for a new item.
func placeOf(it *memory.Item) string {
	if what := it.FailedAt(); what != "" && it.Kind != memory.Episodic {
		return failuresDir + "/" + failureName(what) + ".jsonl"
	}
	return ledgerName(it.Kind)
}

// failureName is the name of what failed as a file's: small letters, digits and
// dashes.
func failureName(what string) string {
	const most = 40 // bytes
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, what[:min(len(what), most)])
	if name = strings.Trim(name, "-"); name == "" {
		return "other"
	}
	return name
}

// ledgersIn names the ledgers of a root: those that every root may have, and what
// stands in the folder of failures.
func ledgersIn(r *Root) []string {
	names := ledgerNames()
	if !r.Scope.Private() {
		return names
	}
	dir := filepath.Join(r.Dir, failuresDir)
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return names // a link could lead elsewhere
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if n := e.Name(); !hidden(n) && strings.HasSuffix(n, ".jsonl") {
			names = append(names, failuresDir+"/"+n)
		}
	}
	return names
}

// isLedger reports whether a name is that of a ledger within a root.
func isLedger(name string) bool {
	dir, file := path.Split(name)
	return slices.Contains(ledgerNames(), name) || dir == failuresDir+"/" && !hidden(file) && strings.HasSuffix(file, ".jsonl")
}

func ledgerEntry(r *Root, name string) entry {
	return entry{root: r, path: r.Name + "/" + name, file: filepath.Join(r.Dir, filepath.FromSlash(name)), kind: kindLedger}
}

// ledgers lists the ledgers that exist, at the cost of one stat each.
func (s *Store) ledgers() (found []entry, problems []memory.Problem) {
	for i := range s.roots {
		r := &s.roots[i]
		if r.Notes {
			continue
		}
		for _, name := range ledgersIn(r) {
			e := ledgerEntry(r, name)
			info, err := os.Lstat(e.file)
			bad, ok := e.looked(info, err, "ledger")
			problems = append(problems, bad...)
			if !ok {
				continue
			}
			if err := s.within[i](); err != nil {
				problems = append(problems, memory.Problem{Path: r.Name, Text: err.Error()})
				break
			}
			found = append(found, e)
		}
	}
	return found, problems
}

// looked keeps what the system says of a file. It reports false where there is
// none, or none that can be read, which is a problem.
func (e *entry) looked(info fs.FileInfo, err error, belongs string) (problems []memory.Problem, ok bool) {
	switch {
	case errors.Is(err, fs.ErrNotExist), notDir(err):
		return nil, false
	case err != nil:
		return []memory.Problem{unread(e.path, err)}, false
	case !info.Mode().IsRegular():
		return []memory.Problem{{Path: e.path, Text: "is " + describe(info) + " where a " + belongs + " belongs: move it away"}}, false
	}
	e.info = info
	return nil, true
}

// unread is a problem of what could not be read.
func unread(path string, err error) memory.Problem {
	return memory.Problem{Path: path, Text: "cannot be read: " + reason(err)}
}

// walk lists every file that is read, root by root, ledgers first, then
// Markdown by path.
func (s *Store) walk() (found []entry, problems []memory.Problem) {
	ledgers, problems := s.ledgers()
	for i := range s.roots {
		r := &s.roots[i]
		for len(ledgers) > 0 && ledgers[0].root == r {
			found, ledgers = append(found, ledgers[0]), ledgers[1:]
		}
		info, err := os.Stat(r.Dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			problems = append(problems, unread(r.Name, err))
			continue
		case !info.IsDir():
			problems = append(problems, memory.Problem{Path: r.Name, Text: "is " + describe(info) + " where a folder belongs: move it away"})
			continue
		}
		if err := s.within[i](); err != nil {
			problems = append(problems, memory.Problem{Path: r.Name, Text: err.Error()})
			continue
		}
		md, bad := walkMarkdown(r)
		found, problems = append(found, md...), append(problems, bad...)
	}
	return found, problems
}

func walkMarkdown(r *Root) (found []entry, problems []memory.Problem) {
	dir, err := filepath.EvalSymlinks(r.Dir)
	if err != nil {
		return nil, []memory.Problem{unread(r.Name, err)}
	}
	_ = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, file)
		name := path.Join(r.Name, filepath.ToSlash(rel))
		if err != nil {
			problems = append(problems, unread(name, err))
			return nil
		}
		if d.IsDir() && rel != "." {
			if d.Name() == coreName {
				problems = append(problems, memory.Problem{Path: name, Text: "is a folder where a file belongs: move it away"})
			}
			if r.Flat || hidden(d.Name()) || d.Name() == archiveDir {
				return fs.SkipDir
			}
		}
		if rel == "." || d.IsDir() || hidden(d.Name()) {
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			// A link within the root names what is found anyway; a ledger's was
			// reported as such.
			if outside(dir, file) && !slices.Contains(ledgerNames(), rel) {
				problems = append(problems, memory.Problem{Path: name, Text: "is a symlink that leads out of the folder and is not followed: put the file itself here"})
			}
			return nil
		}
		if !isMarkdown(d.Name()) || len(r.Only) > 0 && !slices.Contains(r.Only, filepath.ToSlash(rel)) {
			return nil
		}
		e := entry{root: r, path: name, file: file, kind: kindMarkdown}
		info, err := d.Info()
		bad, ok := e.looked(info, err, "file")
		problems = append(problems, bad...)
		if ok {
			found = append(found, e)
		}
		return nil
	})
	return found, problems
}

// hidden names are working files: neither read nor indexed.
func hidden(name string) bool { return name[0] == '_' || name[0] == '.' }

func isMarkdown(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".md" || ext == ".markdown"
}

// logDay is the day of a daily log by its file name.
func logDay(p string) (time.Time, bool) {
	day, err := time.Parse("2006-01-02", strings.TrimSuffix(path.Base(p), ".md"))
	return day, err == nil
}

// outside reports whether a path leads out of a folder, or nowhere.
func outside(dir, file string) bool {
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return true
	}
	rel, err := filepath.Rel(dir, target)
	return err != nil || !filepath.IsLocal(rel)
}

func checkWithin(r Root) error {
	if r.Within == "" {
		return nil
	}
	return confined(r.Within, r.Dir)
}

// notDir recognises a path through something that is not a folder, which
// walk reports once for the root.
func notDir(err error) bool {
	return err != nil && strings.HasSuffix(err.Error(), "not a directory")
}

// lock excludes every other writer of the space.
func (s *Store) lock(ctx context.Context) (unlock func(), err error) {
	return jsonl.Lock(ctx, filepath.Join(s.state, ".store.lock"))
}

// FileOf is where a path of the space lies; empty for none.
func (s *Store) FileOf(path string) string {
	e, _ := s.entryOf(path)
	return e.file
}

// entryOf finds the root of a path: that with the longest name.
func (s *Store) entryOf(path string) (entry, bool) {
	var found entry
	for i := range s.roots {
		r := &s.roots[i]
		rest, ok := strings.CutPrefix(path, r.Name+"/")
		if ok && filepath.IsLocal(filepath.FromSlash(rest)) && (found.root == nil || len(r.Name) > len(found.root.Name)) {
			found = entry{root: r, path: path, file: filepath.Join(r.Dir, filepath.FromSlash(rest))}
		}
	}
	return found, found.root != nil
}

// QuickKinds are the kinds of the files that a Quick look at the text compares
// with what an index knows; of the others it need not be told.
func QuickKinds() []string { return []string{kindLedger, kindUsage} }

// SharedKinds are those that a Shared look compares.
func SharedKinds() []string { return append(QuickKinds(), kindMarkdown) }

// sharedMarkdown lists the Markdown files that others may write: those of every root
// that is not the user's alone.
func (s *Store) sharedMarkdown() (found []entry, problems []memory.Problem) {
	for i := range s.roots {
		r := &s.roots[i]
		if r.Scope.Private() || r.Notes {
			continue
		}
		if info, err := os.Stat(r.Dir); err != nil || !info.IsDir() || s.within[i]() != nil {
			continue
		}
		md, bad := walkMarkdown(r)
		found, problems = append(found, md...), append(problems, bad...)
	}
	return found, problems
}

// inShared reports whether a path is one of those roots'.
func (s *Store) inShared(path string) bool {
	e, ok := s.entryOf(path)
	return ok && !e.root.Scope.Private() && !e.root.Notes
}

// SharedState names how the Markdown files that others may write lie on the disk
// now, at the cost of one stat each. It equals [Store.SharedStateOf] what an index
// knows as long as that is up to date with them.
func (s *Store) SharedState() string {
	found, _ := s.sharedMarkdown()
	files := make([]memory.File, len(found))
	for i := range found {
		files[i] = memory.File{Path: found[i].path, Size: found[i].info.Size(), MTime: found[i].info.ModTime()}
	}
	return stateOf(files)
}

// SharedStateOf is the state of the files that an index knows. Files that had just
// been written when they were read have none: they may have changed since.
func (s *Store) SharedStateOf(known []memory.File) string {
	var files []memory.File
	for i := range known {
		f := &known[i]
		if f.Kind != kindMarkdown || !s.inShared(f.Path) {
			continue
		}
		if m := decodeMark(f.Mark); m == nil || m.Young {
			return ""
		}
		files = append(files, *f)
	}
	return stateOf(files)
}

func stateOf(files []memory.File) string {
	slices.SortFunc(files, func(a, b memory.File) int { return strings.Compare(a.Path, b.Path) })
	sum := sha256.New()
	for i := range files {
		fmt.Fprintf(sum, "%q %d %d\n", files[i].Path, files[i].Size, files[i].MTime.UnixNano())
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Exists reports whether any root of the space is there, at the cost of one
// stat a root.
func (s *Store) Exists() bool {
	for i := range s.roots {
		if _, err := os.Stat(s.roots[i].Dir); err == nil {
			return true
		}
	}
	return false
}

// Ledgers are the names of the ledgers in a root.
func (s *Store) Ledgers() []string { return ledgerNames() }

// confined refuses a folder that a symlink leads out of another.
func confined(in, folder string) error {
	base, err := filepath.EvalSymlinks(in)
	if err != nil {
		return fmt.Errorf("folder %s: %w: %s", folder, memory.ErrRefused, reason(err))
	}
	// What does not exist yet will be created below its nearest parent.
	dir := folder
	for {
		if _, err := os.Lstat(dir); err == nil || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	if outside(base, dir) {
		return fmt.Errorf("folder %s: %w: a symlink leads it out of %s", folder, memory.ErrRefused, in)
	}
	return nil
}

// move renames a file durably.
func move(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return jsonl.Sync(to)
}
