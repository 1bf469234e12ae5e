package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// suffixes name the files of an index: the database, and what SQLite keeps
// beside it.
func suffixes() []string { return []string{"", "-wal", "-shm", "-journal"} }

// Blocked reports what stands in the place of the index or of a file beside it
// and is none of SQLite's making: a folder, a named pipe, which to open could
// wait for ever, a symlink, which could lead anywhere. The error wraps [memory.ErrStale].
func Blocked(path string) error {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%w: %s is %s where a folder belongs", memory.ErrStale, dir, jsonl.Describe(info))
	}
	if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %s is a symlink that leads nowhere", memory.ErrStale, dir)
		}
	}
	for _, suffix := range suffixes() {
		info, err := os.Lstat(path + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return fmt.Errorf("%w: %w", memory.ErrStale, err)
		case !info.Mode().IsRegular():
			return fmt.Errorf("%w: %s is %s where a file belongs", memory.ErrStale, path+suffix, jsonl.Describe(info))
		}
	}
	return nil
}

// unreadable reports whether a file is there that this user may not read.
func unreadable(path string) bool {
	f, err := os.Open(path)
	if err == nil {
		f.Close()
	}
	return errors.Is(err, fs.ErrPermission)
}

// makeWay makes the folder of an index. What stands in its place is moved
// aside: it may be somebody's.
func makeWay(dir string, log *slog.Logger) error {
	info, err := os.Stat(dir)
	inWay := err == nil && !info.IsDir()
	if errors.Is(err, fs.ErrNotExist) {
		_, lerr := os.Lstat(dir)
		inWay = lerr == nil // a symlink to nowhere
	}
	if err == nil && !inWay {
		_, err := os.Lstat(filepath.Join(dir, "index.db"))
		// Ours, but closed: moved aside it would keep what a purge must erase.
		inWay = errors.Is(err, fs.ErrPermission) && os.Chmod(dir, 0o700) != nil //nolint:gosec // a folder, which its owner must enter
	}
	if inWay {
		if err := moveAside(dir, log); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	return nil
}

func moveAside(path string, log *slog.Logger) error {
	aside, err := jsonl.Aside(path)
	if err != nil {
		return fmt.Errorf("index: move %s aside: %w", path, err)
	}
	if aside != "" && log != nil {
		log.Warn("moved aside what stood where the index belongs", "path", path, "aside", aside)
	}
	return nil
}

// remove takes the files of an index away. What cannot be one, because it is no
// file, is moved aside.
func remove(path string, log *slog.Logger) error {
	for _, suffix := range suffixes() {
		file := path + suffix
		info, err := os.Lstat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && info.Mode().IsRegular() {
			err = os.Remove(file)
		} else {
			err = moveAside(file, log)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("index: %w", err)
		}
	}
	return nil
}
