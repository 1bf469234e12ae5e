// Package backup packs folders of text into one archive and unpacks them again,
// with the hash of every file checked before anything is replaced.
//
// It knows files, not memory: whoever calls it says which folders there are and
// what in them is derived. Others may write meanwhile: of a file of lines the
// archive has the whole lines that stood there, of any other file one version
// of it, since those are replaced as a whole.
//
// # Format
//
// A gzipped tar of regular files. Each name begins with the name of its folder:
// "home/memory/semantic.jsonl". The files are sorted by name; the last one is
// manifest.json with size, time and SHA-256 of every other. The same files give
// the same bytes.
//
// Start with [Write], then [Verify] and [Restore].
package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// manifestName is the last file of an archive.
const manifestName = "manifest.json"

// version is that of the format.
const version = 1

// Manifest says what an archive holds.
type Manifest struct {
	V     int               `json:"v"`
	About map[string]string `json:"about,omitempty"` // what the maker notes
	Files []File            `json:"files"`           // by name
}

// File is one file of an archive.
type File struct {
	Name   string    `json:"name"`
	Size   int64     `json:"size"`
	SHA256 string    `json:"sha256"`
	Time   time.Time `json:"time"` // of its last change, in seconds
}

// Size is that of all files, in bytes.
func (m *Manifest) Size() int64 {
	var n int64
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// Folder is something to pack.
type Folder struct {
	Name string // first part of the names of its files
	Dir  string // need not exist
	// Skip leaves out a file or folder by its path below Dir, with slashes.
	Skip func(rel string, dir bool) bool
}

// planned is a file to be packed; of a file of lines, up to cut.
type planned struct {
	name, file string
	lines      bool
	cut        int64
}

// Write packs the folders. Symlinks and what is no regular file are left out.
func Write(ctx context.Context, w io.Writer, about map[string]string, folders ...Folder) (*Manifest, error) {
	files, err := plan(ctx, folders)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewWriterLevel(w, gzip.DefaultCompression)
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(z)
	m := &Manifest{V: version, About: about, Files: []File{}}
	for _, p := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := p.pack(t)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is gone since it was found
		}
		if err != nil {
			return nil, fmt.Errorf("back up %s: %w", p.name, err)
		}
		m.Files = append(m.Files, f)
	}
	data, err := json.MarshalIndent(m, "", " ")
	if err == nil {
		err = entry(t, manifestName, int64(len(data)), time.Unix(0, 0))
	}
	if err == nil {
		_, err = t.Write(data)
	}
	if err == nil {
		err = t.Close()
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("back up: %w", err)
	}
	return m, nil
}

// plan finds the files. Where the files of lines end is noted first and for all
// of them: what their lines refer to was written before them, and so is found
// afterwards.
func plan(ctx context.Context, folders []Folder) ([]planned, error) {
	var out []planned
	for _, lines := range []bool{true, false} {
		for i := range folders {
			if err := folders[i].walk(ctx, lines, &out); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(out, func(a, b planned) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

func (f *Folder) walk(ctx context.Context, lines bool, out *[]planned) error {
	return filepath.WalkDir(f.Dir, func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(f.Dir, file)
		if err != nil || rel == "." {
			return err
		}
		rel = filepath.ToSlash(rel)
		if f.Skip != nil && f.Skip(rel, d.IsDir()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || lines != (path.Ext(rel) == ".jsonl") {
			return nil
		}
		p := planned{name: f.Name + "/" + rel, file: file, lines: lines}
		if lines {
			in, err := os.Open(file)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			defer in.Close()
			info, err := in.Stat()
			if err != nil {
				return err
			}
			if p.cut, err = lastLine(in, info.Size()); err != nil {
				return err
			}
		}
		*out = append(*out, p)
		return nil
	})
}

// lastLine is the offset behind the last newline before size, or size when what
// follows it is a whole object, as editors leave it.
func lastLine(f io.ReaderAt, size int64) (int64, error) {
	const chunk = 64 << 10
	for end := size; end > 0; {
		begin := max(0, end-chunk)
		buf := make([]byte, end-begin)
		if _, err := f.ReadAt(buf, begin); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf, '\n'); i >= 0 {
			cut := begin + int64(i) + 1
			return wholeTail(f, cut, size)
		}
		end = begin
	}
	return wholeTail(f, 0, size)
}

func wholeTail(f io.ReaderAt, cut, size int64) (int64, error) {
	const most = 16 << 20
	if size == cut || size-cut > most {
		return cut, nil
	}
	tail := make([]byte, size-cut)
	if _, err := f.ReadAt(tail, cut); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if tail = bytes.TrimSpace(tail); len(tail) > 0 && tail[0] == '{' && json.Valid(tail) {
		return size, nil
	}
	return cut, nil
}

// pack writes one file to the archive.
func (p *planned) pack(t *tar.Writer) (File, error) {
	in, err := os.Open(p.file)
	if err != nil {
		return File{}, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return File{}, err
	}
	size := info.Size()
	if p.lines {
		// It may have been replaced by a shorter one since it was found.
		if size, err = lastLine(in, min(p.cut, size)); err != nil {
			return File{}, err
		}
	}
	f := File{Name: p.name, Size: size, Time: info.ModTime().UTC().Truncate(time.Second)}
	if err := entry(t, f.Name, f.Size, f.Time); err != nil {
		return File{}, err
	}
	sum := sha256.New()
	if n, err := io.Copy(io.MultiWriter(t, sum), io.NewSectionReader(in, 0, size)); err != nil {
		return File{}, err
	} else if n < size {
		return File{}, fmt.Errorf("became shorter while it was read: try again")
	}
	f.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

func entry(t *tar.Writer, name string, size int64, at time.Time) error {
	return t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: at, Format: tar.FormatPAX})
}
