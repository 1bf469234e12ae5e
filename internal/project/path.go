package project

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// isFolder reports whether path is the folder dir, a real path, however it is
// spelled.
func isFolder(path, dir string) bool { return realPath(path) == dir || same(path, dir) }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func absolute(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// realPath resolves symlinks as far as the path exists and keeps the rest.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	up := filepath.Dir(path)
	if up == path {
		return path
	}
	return filepath.Join(realPath(up), filepath.Base(path))
}

// maxGitFile bounds what is read of any one file of git, in bytes.
const maxGitFile = 1 << 20

// readRegular reads at most maxGitFile bytes.
func readRegular(path string) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxGitFile))
}

// openRegular does not open a pipe or a device, on which reading could hang.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "read", Path: path, Err: os.ErrInvalid}
	}
	return os.Open(path)
}

func firstLine(path string) string {
	data, err := readRegular(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(line)
}

// Within reports whether a path is a folder or lies in it.
func Within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Size is how many bytes the files of a folder hold, or of what a symlink names;
// what cannot be read counts nothing.
func Size(dir string) int64 {
	var n int64
	_ = filepath.WalkDir(realPath(dir), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}
