package jsonl

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// WriteFile replaces the file with data as a whole: whoever reads the path sees
// the old content or the new, also after a crash. The folder is created with
// mode 0700. The file gets mode 0600, less what an existing one denies its
// owner. A symlink is replaced, not followed.
func WriteFile(path string, data []byte) error {
	return replace(path, true, asFile, func(w io.Writer) error { return all(w, data) })
}

// Place is [WriteFile] without waiting for the disk; [Sync] does that later.
func Place(path string, data []byte) error {
	return replace(path, false, asFile, func(w io.Writer) error { return all(w, data) })
}

// Rewrite is [WriteFile] for content too large to hold: fill writes it. When
// fill fails, the file stays as it is and the error wraps fill's.
func Rewrite(path string, fill func(io.Writer) error) error {
	return replace(path, true, asFile, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 64<<10)
		if err := fill(b); err != nil {
			return err
		}
		return b.Flush()
	})
}

// Sync waits until the content and the names of the files are on disk. A file
// that does not exist is passed over.
func Sync(paths ...string) error {
	var dirs []string
	for _, path := range paths {
		if err := regular(path); err != nil {
			return err
		}
		// Windows flushes only what is open for writing.
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = f.Sync()
		err = cmp.Or(err, f.Close())
		if err != nil {
			return fmt.Errorf("sync %s: %w", path, err)
		}
		if dir := filepath.Dir(path); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range dirs {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

func asFile(f *os.File) file { return f }

// replace fills a temporary file in the same folder and renames it to path.
// Only tests wrap it in anything but itself.
func replace(path string, sync bool, wrap func(*os.File) file, fill func(io.Writer) error) error {
	mode := fs.FileMode(0o600)
	switch info, err := os.Lstat(path); {
	case err == nil && info.Mode().IsRegular():
		mode &= info.Mode().Perm()
	case err == nil && info.IsDir():
		return fmt.Errorf("write %s: it is a folder", path)
	}
	dir := filepath.Dir(path)
	if err := makeDir(dir, sync); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".tmp-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	f := wrap(tmp)
	err = fill(f)
	if err == nil && sync {
		err = f.Sync()
	}
	err = cmp.Or(err, f.Close())
	if err == nil && mode != 0o600 && runtime.GOOS != "windows" {
		err = os.Chmod(tmp.Name(), mode)
	}
	if err == nil {
		err = Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(tmp.Name()))
	}
	if sync {
		return syncDir(dir)
	}
	return nil
}

func all(w io.Writer, data []byte) error {
	n, err := w.Write(data)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	return err
}

// Rename replaces to, without seeing that it is on disk. On Windows that fails while another process has to open,
// which readers have for a moment only, so it is worth a few more tries.
func Rename(from, to string) error {
	err := os.Rename(from, to)
	for try := 0; err != nil && runtime.GOOS == "windows" && try < 20; try++ {
		time.Sleep(5 * time.Millisecond)
		err = os.Rename(from, to)
	}
	return err
}

// makeDir creates a folder and its parents with mode 0700; with sync their
// names are on disk afterwards.
func makeDir(dir string, sync bool) error {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return fmt.Errorf("create folder %s: a file stands there", dir)
		}
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeDir(parent, sync); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if sync {
		return syncDir(parent)
	}
	return nil
}

// syncDir makes the names in a folder durable, where the system has a way to.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	// Some network and user-space file systems know no fsync of a folder.
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("sync folder %s: %w", dir, err)
	}
	return nil
}
