package importer

import (
	"archive/zip"
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"orihon/memory"
)

// source is one file that may hold records.
type source struct {
	name    string // relative to what was asked for, with slashes
	size    int64  // as stored
	format  Format // known by its surroundings; empty otherwise
	project string // folder of one project among several; empty otherwise
	raw     func() (io.ReadCloser, error)
}

// sources is what was asked for.
type sources struct {
	sources []source
	single  bool // one file was named
	closer  io.Closer
}

func (s *sources) close() {
	if s.closer != nil {
		_ = s.closer.Close() // it was only read
	}
}

// list finds the files of a path: itself, the members of an archive, or what
// lies below a folder. Symlinks below it, hidden files and folders are left
// out.
func list(name string, format Format) (*sources, error) {
	info, err := os.Stat(name)
	if os.IsNotExist(err) {
		return nil, fmt.Errorf("import: %w: %w", memory.ErrNotFound, err)
	}
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	switch {
	case info.IsDir():
		return listDir(name, format)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%w import: %s is neither a file nor a folder", memory.ErrInvalid, name)
	}
	if isZip(name) {
		return listZip(name, info.Size())
	}
	return &sources{single: true, sources: []source{file(name, filepath.Base(name), info.Size())}}, nil
}

func file(full, name string, size int64) source {
	return source{name: name, size: size, raw: func() (io.ReadCloser, error) { return os.Open(full) }}
}

func isZip(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && string(magic[:]) == "PK\x03\x04"
}

func listDir(dir string, format Format) (*sources, error) {
	out := &sources{}
	err := filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil || full == dir {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") || d.Type()&fs.ModeSymlink != 0 {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() || !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, full)
		if err != nil {
			return err
		}
		out.sources = append(out.sources, file(full, filepath.ToSlash(rel), info.Size()))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	out.settle(filepath.Base(dir))
	return out, out.check(dir, format)
}

func listZip(name string, size int64) (*sources, error) {
	z, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("%w import: %s: %w", memory.ErrInvalid, filepath.Base(name), err)
	}
	out := &sources{closer: z}
	for _, f := range z.File {
		if !f.Mode().IsRegular() || strings.HasPrefix(path.Base(f.Name), ".") {
			continue
		}
		out.sources = append(out.sources, source{name: f.Name, size: int64(f.CompressedSize64), raw: f.Open})
	}
	slices.SortStableFunc(out.sources, func(a, b source) int { return strings.Compare(a.name, b.name) })
	out.settle(strings.TrimSuffix(filepath.Base(name), ".zip"))
	return out, nil
}

// settle sets the formats that are known by what lies beside a file.
func (s *sources) settle(folder string) {
	beside := make(map[string]map[string]bool) // names by folder
	for i := range s.sources {
		dir, base := path.Split(s.sources[i].name)
		if beside[dir] == nil {
			beside[dir] = make(map[string]bool)
		}
		beside[dir][strings.TrimSuffix(base, ".gz")] = true
	}
	kept := s.sources[:0]
	for _, f := range s.sources {
		dir, base := path.Split(f.name)
		base = strings.TrimSuffix(base, ".gz")
		switch {
		case beside[dir]["manifest.json"] && base == "manifest.json" && slices.ContainsFunc(slices.Collect(maps.Keys(beside[dir])), isPart):
			continue
		case beside[dir]["manifest.json"] && isPart(base):
			f.format = COGX
		case beside[dir]["conversations.json"] && base != "conversations.json":
			continue // the rest of a ChatGPT export: attachments, ratings
		case path.Ext(base) == ".md" && beside[dir]["MEMORY.md"] && (path.Base(dir) == "memory" || dir == "" && folder == "memory"):
			f.format = ClaudeMemory
		}
		if first, rest, ok := strings.Cut(f.name, "/"); ok && namesProject(first) {
			f.project, f.name = first, rest // whose name tells where a home is
		}
		kept = append(kept, f)
	}
	s.sources = kept
}

// namesProject reports whether a folder has the name that Claude Code makes of
// a project's path.
func namesProject(folder string) bool {
	drive := len(folder) > 2 && folder[1:3] == "--"
	return strings.HasPrefix(folder, "-") || drive
}

// check leaves out, of a folder whose format is given, the files that cannot
// have it.
func (s *sources) check(dir string, format Format) error {
	var want []string
	switch format {
	case "":
		return nil
	case Markdown, ClaudeMemory:
		want = []string{".md", ".markdown"}
	case ClaudeCode, GeminiCLI, MCPMemory, COGX, Orihon:
		want = []string{".jsonl", ".json"}
	case Letta:
		want = []string{".af", ".json"}
	default:
		want = []string{".json"}
	}
	s.sources = slices.DeleteFunc(s.sources, func(f source) bool {
		return !slices.Contains(want, strings.ToLower(path.Ext(strings.TrimSuffix(f.name, ".gz"))))
	})
	if len(s.sources) == 0 {
		return fmt.Errorf("%w import: %s has no %s file", memory.ErrInvalid, filepath.Base(dir), strings.Join(want, " or "))
	}
	return nil
}

// open opens the text of a source, unpacked when it is compressed; read hears
// how many stored bytes were read.
func (s *source) open(read func(int64)) (io.ReadCloser, error) {
	raw, err := s.raw()
	if err != nil {
		return nil, err
	}
	b := bufio.NewReaderSize(&metered{raw, read}, 64<<10)
	if magic, _ := b.Peek(2); string(magic) != "\x1f\x8b" {
		return stream{b, raw}, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		_ = raw.Close() // it was only read
		return nil, err
	}
	return stream{z, raw}, nil
}

type stream struct {
	io.Reader
	io.Closer
}

type metered struct {
	io.Reader
	read func(int64)
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.read(int64(n))
	return n, err
}

// headSize is how much of a file its shape is told by.
const headSize = 256 << 10

func (s *source) head() ([]byte, error) {
	in, err := s.open(func(int64) {})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	head, err := io.ReadAll(io.LimitReader(in, headSize))
	if len(head) > 0 {
		return head, nil // what is broken further on is told when it is read
	}
	return nil, err
}
