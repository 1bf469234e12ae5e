package journal

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// packedEnd is the end of the name of a compressed file, which takes the place of
// the one without it. Where both stand, the one without counts: it is whole
// before the other is made, and again before the other goes.
const packedEnd = ".gz"

// Names are the names that the file of a journal has in its folder.
func Names() []string { return []string{fileName, fileName + packedEnd} }

// Stat describes the journal in a folder, compressed or not. Without one the
// error is a [fs.ErrNotExist].
func Stat(dir string) (Info, error) {
	info, packed, err := stat(filepath.Join(dir, fileName), os.Stat)
	return Info{info, packed}, err
}

// Info describes the file of a journal.
type Info struct {
	fs.FileInfo
	Packed bool // it is compressed
}

// stat describes a file or the compressed one in its place.
func stat(path string, how func(string) (fs.FileInfo, error)) (info fs.FileInfo, packed bool, err error) {
	info, err = how(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return info, false, err
	}
	if zipped, zerr := how(path + packedEnd); zerr == nil {
		return zipped, true, nil
	}
	info, err = how(path) // it may have been unpacked in between
	return info, false, err
}

// open opens a file or the compressed one in its place. What it reads of a
// damaged one ends in a [memory.ErrInvalid].
func open(path string) (io.ReadCloser, error) {
	f, err := jsonl.Open(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	f, err = jsonl.Open(path + packedEnd)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = jsonl.Open(path) // it may have been unpacked in between
		return f, err
	}
	if err != nil {
		return nil, err
	}
	zip, err := gzip.NewReader(f)
	if err != nil {
		return nil, errors.Join(damaged(path, err), f.Close())
	}
	return &packedFile{zip: zip, f: f, path: path}, nil
}

// Bounds of what a compressed file may become, in bytes: a small one that somebody
// else made could fill the memory.
const (
	maxPackedLine = 64 << 20 // lines are short, larger payloads lie in io/
	maxPackedBody = 256 << 20
)

// packedFile is an open compressed file.
type packedFile struct {
	zip  *gzip.Reader
	f    *os.File
	path string
	line int // bytes since the last line break
}

// Read reads what the file holds, within the bounds of [maxPackedLine].
func (p *packedFile) Read(b []byte) (int, error) {
	n, err := p.zip.Read(b)
	if end := bytes.LastIndexByte(b[:n], '\n'); end >= 0 {
		p.line = n - end - 1
	} else {
		p.line += n
	}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		err = damaged(p.path, err)
	case p.line > maxPackedBody || p.line > maxPackedLine && filepath.Base(p.path) == fileName:
		err = damaged(p.path, errors.New("a line is too long"))
	}
	return n, err
}

// Close closes the file.
func (p *packedFile) Close() error { return p.f.Close() }

func damaged(path string, err error) error {
	return fmt.Errorf("%w %s: it is damaged: %s; a backup may hold it whole", memory.ErrInvalid, path+packedEnd, err)
}

// readLines is [jsonl.Read] for a journal that may be compressed.
func readLines(path string, from int64, fn func(line []byte, offset int64, number int) error) (end int64, err error) {
	end, err = jsonl.Read(path, from, fn)
	if end != from || !errors.Is(err, fs.ErrNotExist) {
		return end, err
	}
	if _, packed, _ := stat(path, os.Stat); !packed {
		return end, err
	}
	r, err := open(path)
	if err != nil {
		return from, err
	}
	defer r.Close()
	if _, err := io.CopyN(io.Discard, r, from); err != nil {
		return from, fmt.Errorf("read %s: %w", path, err)
	}
	return jsonl.Lines(path, r, from, fn)
}

// readPacked reads a compressed body of at most size bytes.
func readPacked(path string, size int) ([]byte, error) {
	r, err := open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, int64(size)))
}
