package project

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"orihon/memory"
)

// Tracked lists the files that git tracks in a folder, at most so many, as
// slash-separated paths within it. It reads git's index itself: no process is
// started. The error wraps [memory.ErrNotFound] where there is no index.
func Tracked(ctx context.Context, root string, most int) ([]string, error) {
	root = realPath(root)
	repo, ok := enclosing(root)
	if !ok || !repo.own() {
		return nil, fmt.Errorf("git index of %s: %w", root, memory.ErrNotFound)
	}
	path := filepath.Join(repo.Dir, "index")
	info, err := os.Lstat(path)
	switch {
	case os.IsNotExist(err):
		return nil, nil // nothing was added yet
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%w: %s is not a file", memory.ErrRefused, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	hash := sha1Digits / 2
	for _, s := range repo.config() {
		if s.Section == "extensions" && s.Key == "objectformat" && strings.EqualFold(s.Value, "sha256") {
			hash = sha256Digits / 2
		}
	}
	prefix, last := repo.prefix(root), ""
	var out []string
	err = readIndex(f, hash, func(name string) bool {
		// A file with a conflict stands there once for each side.
		if below, ok := strings.CutPrefix(name, prefix); ok && name != last {
			out, last = append(out, below), name
		}
		return len(out) < most && ctx.Err() == nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, ctx.Err()
}

// readIndex visits the names of the regular files in an index of git (formats 2
// to 4), in its order, until visit says that it is enough. hash is the length of
// an object's name in bytes. The error wraps [memory.ErrInvalid].
func readIndex(r io.Reader, hash int, visit func(name string) bool) error {
	const (
		longest  = 4096 // bytes of a name
		stat     = 40   // what an entry begins with: times, mode, owner, size
		modeAt   = 24
		regular  = 0o10 // the upper bits of a mode
		extended = 0x4000
	)
	bad := func(what string) error { return fmt.Errorf("%w git index: %s", memory.ErrInvalid, what) }
	in := bufio.NewReader(r)
	head := make([]byte, 12)
	if _, err := io.ReadFull(in, head); err != nil || string(head[:4]) != "DIRC" {
		return bad("its beginning is not that of one")
	}
	version, count := binary.BigEndian.Uint32(head[4:]), binary.BigEndian.Uint32(head[8:])
	if version < 2 || version > 4 {
		return bad(fmt.Sprintf("version %d is not known", version))
	}
	entry := make([]byte, stat+hash+4)
	var name []byte
	for range count {
		size := stat + hash + 2
		if _, err := io.ReadFull(in, entry[:size]); err != nil {
			return bad("it is cut off")
		}
		if version > 2 && binary.BigEndian.Uint16(entry[size-2:])&extended != 0 {
			if _, err := in.Discard(2); err != nil {
				return bad("it is cut off")
			}
			size += 2
		}
		if version == 4 {
			// Of the name before, so many bytes at the end do not count.
			drop, err := offset(in)
			if err != nil || drop > uint64(len(name)) {
				return bad("a name has no beginning")
			}
			name = name[:len(name)-int(drop)]
		} else {
			name = name[:0]
		}
		rest, err := in.ReadSlice(0)
		if err != nil || len(name)+len(rest) > longest {
			return bad("a name has no end")
		}
		name = append(name, bytes.TrimSuffix(rest, []byte{0})...)
		if version < 4 {
			// An entry is padded to a multiple of eight, one NUL of it is read.
			if _, err := in.Discard(7 - (size+len(name))%8); err != nil {
				return bad("it is cut off")
			}
		}
		mode := binary.BigEndian.Uint32(entry[modeAt:])
		if mode>>12 == regular && fs.ValidPath(string(name)) && !visit(string(name)) {
			return nil
		}
	}
	return nil
}

// offset reads a number as git writes offsets: seven bits in a byte, the most
// significant first, each continued one worth one more.
func offset(in io.ByteReader) (uint64, error) {
	c, err := in.ReadByte()
	n := uint64(c & 0x7f)
	for ; err == nil && c&0x80 != 0; n = (n+1)<<7 | uint64(c&0x7f) {
		if n > 1<<32 {
			return 0, memory.ErrInvalid
		}
		c, err = in.ReadByte()
	}
	return n, err
}
