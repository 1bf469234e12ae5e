// Package workmem is the memory that a model keeps for itself while it works: a
// folder with an overview that it sees at every request, details that it reads
// when it wants them, and an archive. The model writes through tools that reach
// no other file.
//
// It decides nothing about what a model sees, that is package window's, and it
// is not the long-term memory: nothing here is believed, ranked or recalled.
//
// # Where to start
//
// [Open] opens the folder of a session, [Look] only looks at it. [Store.Call] answers the tools of
// [Tools], [MemoryTool] the Anthropic memory tool over the same files, and
// [Store.Overview] is what goes into a request.
//
// # Files
//
//	working-memory/overview.md   made from a template that explains itself
//	working-memory/detail/       never shown unasked
//	working-memory/archive/      never shown unasked
package workmem

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"orihon/memory"
)

// Dir is the folder of the store in that of its session.
const Dir = "working-memory"

// OverviewFile is the file that stands in every request.
const OverviewFile = "overview.md"

//go:embed overview.md
var template string

// Options tune a store. Nil means the zero value, and zero the default named.
type Options struct {
	MaxFile  int // bytes of a file; 100,000
	MaxFiles int // files of the store; 2,000
	// Redact takes secrets out of what is written; nil writes it as it is.
	Redact func(string) string
	// Overwrite lets the memory tool's create replace a file; by default it
	// answers that the file exists.
	Overwrite bool
}

// ErrPath says that a path does not lie in the store.
var ErrPath = errors.New("the path does not lie in the working memory")

// Store is the folder of one session. It may be used by several goroutines.
// Paths are relative to it and have forward slashes; none leads out of it, nor
// does a symlink.
type Store struct {
	o    Options
	mu   sync.Mutex
	root *os.Root
}

// Open opens the store below a session's folder and makes what is missing. The
// caller closes it.
func Open(session string, o *Options) (*Store, error) {
	s := &Store{}
	if o != nil {
		s.o = *o
	}
	s.o.MaxFile = cmp.Or(max(s.o.MaxFile, 0), 100_000)
	s.o.MaxFiles = cmp.Or(max(s.o.MaxFiles, 0), 2000)
	dir := filepath.Join(session, Dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	var err error
	if s.root, err = os.OpenRoot(dir); err != nil {
		return nil, err
	}
	if err := s.furnish(); err != nil {
		return nil, errors.Join(err, s.root.Close())
	}
	return s, nil
}

// furnish makes the folders, and the overview from its template.
func (s *Store) furnish() error {
	for _, dir := range [...]string{"detail", "archive"} {
		if err := s.root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	f, err := s.root.OpenFile(OverviewFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(template)
	return errors.Join(err, f.Close())
}

// Close lets go of the folder.
func (s *Store) Close() error { return s.root.Close() }

// clean checks a path and gives it its one form. "." is the store itself.
func clean(name string) (string, error) {
	if !utf8.ValidString(name) || strings.ContainsAny(name, "\x00\\") || strings.ContainsFunc(name, unicode.IsControl) || len(name) > 1000 {
		return "", fmt.Errorf("%w: %w: it holds signs that no path here has", memory.ErrInvalid, ErrPath)
	}
	if lower := strings.ToLower(name); strings.Contains(lower, "%2e") || strings.Contains(lower, "%2f") || strings.Contains(lower, "%5c") {
		return "", fmt.Errorf("%w: %w: it is encoded", memory.ErrInvalid, ErrPath)
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return "", fmt.Errorf("%w: %w: it holds %q", memory.ErrInvalid, ErrPath, "..")
		}
	}
	if strings.HasPrefix(name, "/") {
		return "", fmt.Errorf("%w: %w: it is absolute", memory.ErrInvalid, ErrPath)
	}
	name = path.Clean(name)
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("%w: %w", memory.ErrInvalid, ErrPath)
	}
	return name, nil
}

// Read returns a file.
func (s *Store) Read(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, err := clean(name)
	if err != nil {
		return "", err
	}
	return s.read(name)
}

func (s *Store) read(name string) (string, error) {
	info, err := s.root.Stat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no file: %w", name, fs.ErrInvalid)
	}
	if info.Size() > 64<<20 {
		return "", fmt.Errorf("%s has %d bytes: %w", name, info.Size(), memory.ErrInvalid)
	}
	data, err := s.root.ReadFile(name)
	return string(data), err
}

// Write replaces a file, or makes it with its folders. Secrets are taken out
// first. A file over the limit, or one too many, is a [memory.ErrInvalid].
func (s *Store) Write(name, text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, err := clean(name)
	if err != nil {
		return err
	}
	return s.write(name, text)
}

func (s *Store) write(name, text string) error {
	if s.o.Redact != nil {
		text = s.o.Redact(text)
	}
	if len(text) > s.o.MaxFile {
		return fmt.Errorf("%w: %s would have %d bytes, the limit is %d: split it", memory.ErrInvalid, name, len(text), s.o.MaxFile)
	}
	if _, err := s.root.Stat(name); errors.Is(err, fs.ErrNotExist) {
		if n := s.files(); n >= s.o.MaxFiles {
			return fmt.Errorf("%w: the store has %d files already: delete some", memory.ErrInvalid, n)
		}
	}
	if dir := path.Dir(name); dir != "." {
		if err := s.root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return s.replace(name, text)
}

// replace writes a file beside the old one and puts it in its place.
func (s *Store) replace(name, text string) error {
	if info, err := s.root.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file: %w", name, fs.ErrInvalid)
	}
	next := path.Join(path.Dir(name), ".new-"+path.Base(name))
	f, err := s.root.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = s.root.Rename(next, name)
	}
	if err != nil {
		return errors.Join(err, s.root.Remove(next))
	}
	return nil
}

// files counts the files of the store, up to its limit.
func (s *Store) files() int {
	n := 0
	_ = fs.WalkDir(s.root.FS(), ".", func(_ string, d fs.DirEntry, err error) error { // what cannot be read counts for nothing
		if err != nil {
			return fs.SkipDir
		}
		if !d.IsDir() {
			n++
		}
		if n >= s.o.MaxFiles {
			return fs.SkipAll
		}
		return nil
	})
	return n
}

// Overview is what the model keeps in view.
type Overview struct {
	Text     string
	Size     int  // bytes of the file
	Pristine bool // it is still the template
	Cut      bool // only its beginning is in Text, and Text says so
	// Touched is when the file was written last; zero while it is the template.
	Touched time.Time
}

// OverviewGuide is the size an overview should stay below, in bytes. A larger
// one is cut to twice of it.
const OverviewGuide = 5 << 10

// Overview reads the overview; a missing one is made from the template.
func (s *Store) Overview() (Overview, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, err := s.read(OverviewFile)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = template, s.furnish()
	}
	if err != nil {
		return Overview{}, err
	}
	return s.overview(text)
}

// overview is what is shown of the text of the file.
func (s *Store) overview(text string) (Overview, error) {
	o := Overview{Text: strings.ToValidUTF8(text, "\ufffd"), Size: len(text), Pristine: strings.TrimSpace(text) == strings.TrimSpace(template)}
	if len(text) > 2*OverviewGuide {
		end := bytes.LastIndexByte([]byte(o.Text[:2*OverviewGuide]), '\n')
		if end < OverviewGuide {
			for end = 2 * OverviewGuide; end > 0 && !utf8.RuneStart(o.Text[end]); end-- {
			}
		}
		o.Text = o.Text[:end] + fmt.Sprintf("\n[… %s has %d bytes and is cut here; keep it below %d: move details to detail/ …]", OverviewFile, len(text), OverviewGuide)
		o.Cut = true
	}
	if o.Pristine {
		return o, nil
	}
	info, err := s.root.Stat(OverviewFile)
	if err == nil {
		o.Touched = info.ModTime()
	}
	return o, err
}
