package jsonl

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"orihon/memory"
)

// tail is what stands at the end of a file.
type tail struct {
	exists bool
	size   int64
	start  int64 // behind the last newline
	whole  bool  // what follows start is a JSON object that lacks its newline
}

func (t tail) torn() bool { return t.start < t.size && !t.whole }

// Repair cuts a torn tail off and returns the file it was moved to, or "" when
// the file is whole or does not exist. It takes the folder's lock.
func Repair(path string) (aside string, err error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	unlock, err := Lock(context.Background(), filepath.Join(filepath.Dir(path), LockName))
	if err != nil {
		return "", err
	}
	defer unlock()
	t, err := inspect(path)
	switch {
	case err != nil:
		return "", err
	case t.torn():
		return cut(path, t)
	case t.whole:
		return "", write(path, &Options{}, []byte{'\n'})
	}
	return "", nil
}

// inspect looks at the last byte, and further back only when that is not a
// newline.
func inspect(path string) (tail, error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return tail{}, nil
	}
	if err != nil {
		return tail{}, err
	}
	if !info.Mode().IsRegular() {
		return tail{}, fmt.Errorf("%w %s: not a regular file (%s)", memory.ErrInvalid, path, info.Mode().Type())
	}
	t := tail{exists: true, size: info.Size(), start: info.Size()}
	if t.size == 0 {
		return t, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return tail{}, err
	}
	defer f.Close()
	var last [1]byte
	if _, err := f.ReadAt(last[:], t.size-1); err != nil {
		return tail{}, fmt.Errorf("read the end of %s: %w", path, err)
	}
	if last[0] == '\n' {
		return t, nil
	}
	if t.start, err = lineStart(f, t.size); err != nil {
		return tail{}, fmt.Errorf("read the end of %s: %w", path, err)
	}
	rest := make([]byte, t.size-t.start)
	if _, err := io.ReadFull(io.NewSectionReader(f, t.start, t.size-t.start), rest); err != nil {
		return tail{}, fmt.Errorf("read the end of %s: %w", path, err)
	}
	if t.start == 0 {
		rest = bytes.TrimPrefix(rest, bom())
	}
	// Only an object shows that it is complete: a number may have lost digits.
	t.whole = bytes.HasPrefix(rest, []byte{'{'}) && json.Valid(rest)
	return t, nil
}

// lineStart finds the offset behind the last newline before end.
func lineStart(f io.ReaderAt, end int64) (int64, error) {
	buf := make([]byte, min(end, 64<<10))
	for end > 0 {
		n := min(end, int64(len(buf)))
		if _, err := f.ReadAt(buf[:n], end-n); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return end - n + int64(i) + 1, nil
		}
		end -= n
	}
	return 0, nil
}

// write hands buf to the operating system in one call.
func write(path string, o *Options, buf []byte) error {
	if len(buf) == 0 {
		return nil
	}
	open := o.open
	if open == nil {
		open = openAppend
	}
	f, err := open(path)
	if err != nil {
		return err
	}
	err = all(f, buf)
	if err == nil && o.Sync {
		err = f.Sync()
	}
	err = cmp.Or(err, f.Close())
	if err != nil {
		return fmt.Errorf("append to %s: %w", path, err)
	}
	return nil
}

func openAppend(path string) (file, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

// cut moves the torn tail into a file of its own. The copy is on disk before
// the original shrinks, so that a crash between leaves it twice, never nowhere.
func cut(path string, t tail) (aside string, err error) {
	src, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer src.Close()
	dst, err := createAside(path)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(dst, io.NewSectionReader(src, t.start, t.size-t.start))
	if err == nil {
		err = dst.Sync()
	}
	err = cmp.Or(err, dst.Close())
	if err == nil {
		// Windows refuses to shrink a file only where it is mapped, not where
		// it is merely open, so src may stay open.
		err = os.Truncate(path, t.start)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("move the torn end of %s aside: %w", path, err), os.Remove(dst.Name()))
	}
	return dst.Name(), nil
}

func createAside(path string) (*os.File, error) {
	for n := 1; ; n++ {
		f, err := os.OpenFile(fmt.Sprintf("%s.torn-%d", path, n), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, os.ErrExist) {
			return f, err
		}
	}
}
