package jsonl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"orihon/memory"
)

// Open opens a file for reading as [os.Open] does, but nothing that is no
// regular file: opening a named pipe waits until somebody writes to it, which
// may be never. What it refuses wraps [memory.ErrInvalid].
func Open(path string) (*os.File, error) {
	if err := regular(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// ReadFile is [os.ReadFile] for regular files, see [Open].
func ReadFile(path string) ([]byte, error) {
	if err := regular(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// regular refuses a path at which something else than a regular file stands.
// That nothing stands there is for the caller to find out.
func regular(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%w %s: it is %s where a file belongs: move it away", memory.ErrInvalid, path, Describe(info))
}

// Describe says in two or three words what stands at a path.
func Describe(info fs.FileInfo) string {
	switch m := info.Mode(); {
	case m.IsRegular():
		return "a file"
	case m.IsDir():
		return "a folder"
	case m&fs.ModeSymlink != 0:
		return "a symlink"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// Aside renames what stands at a path, whatever it is, to the first free name
// of <path>.aside-<n>, so that a file of ours can take its place and nothing is
// lost. It returns the name; "" when nothing stands there.
func Aside(path string) (aside string, err error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for n := 1; ; n++ {
		aside = fmt.Sprintf("%s.aside-%d", path, n)
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside, os.Rename(path, aside)
		} else if err != nil {
			return "", err
		}
	}
}
