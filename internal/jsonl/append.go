package jsonl

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"orihon/memory"
)

// LockName is the file in a folder whose lock [Append] and [Repair] hold.
const LockName = ".lock"

// Options tune [Append]. Nil means the zero value.
type Options struct {
	// Sync waits until the lines are on disk.
	Sync bool
	// Locked says that the caller holds the lock on [LockName] in the file's
	// folder, as one must who reads before deciding what to append.
	Locked bool
	// Logger hears about torn tails that were cut off; nil discards.
	Logger *slog.Logger

	// open replaces the opening of the file in tests of failing disks.
	open func(path string) (file, error)
}

// file is all that writing needs of a file: the seam for injected faults.
type file interface {
	io.Writer
	Sync() error
	Close() error
}

// Encode is a value as a line without its newline: JSON with < > & as they are.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

// Append writes the lines, each without its newline, behind the last whole line
// of the file and returns the offset at which the first begins. The folder is
// created with mode 0700, the file with 0600.
//
// It is all or nothing: when writing, syncing or closing fails, the file is cut
// back to what it was and the lines do not count as written. A reader may have
// seen them in between. A line that is empty or holds a newline is refused with
// [memory.ErrInvalid]. Without lines Append only repairs, and returns where the
// next line would begin.
func Append(ctx context.Context, path string, o *Options, lines ...[]byte) (offset int64, err error) {
	if o == nil {
		o = &Options{}
	}
	buf, err := join(path, lines)
	if err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if err := makeDir(filepath.Dir(path), o.Sync); err != nil {
		return 0, err
	}
	if !o.Locked {
		unlock, err := Lock(ctx, filepath.Join(filepath.Dir(path), LockName))
		if err != nil {
			return 0, err
		}
		defer unlock()
	}

	t, err := inspect(path)
	if err != nil {
		return 0, err
	}
	if t.torn() {
		aside, err := cut(path, t)
		if err != nil {
			return 0, err
		}
		if o.Logger != nil {
			o.Logger.Warn("cut off a torn last line", "file", path, "bytes", t.size-t.start, "aside", aside)
		}
		t.size = t.start
	}
	offset = t.size
	if t.whole {
		buf = append([]byte{'\n'}, buf...)
		offset++
	}
	if err := write(path, o, buf); err != nil {
		return 0, undo(err, path, t.size)
	}
	if o.Sync && !t.exists {
		if err := syncDir(filepath.Dir(path)); err != nil {
			return 0, undo(err, path, t.size)
		}
	}
	return offset, nil
}

func join(path string, lines [][]byte) ([]byte, error) {
	n := 0
	for i, l := range lines {
		if len(bytes.TrimSpace(l)) == 0 || bytes.IndexByte(l, '\n') >= 0 {
			return nil, fmt.Errorf("append to %s: %w line %d of %d: it is empty or holds a newline", path, memory.ErrInvalid, i+1, len(lines))
		}
		n += len(l) + 1
	}
	buf := make([]byte, 0, n)
	for _, l := range lines {
		buf = append(append(buf, l...), '\n')
	}
	return buf, nil
}

// undo cuts off what an append that failed with err may have left. Opening can
// have been what failed, so there may be no file, or one that is as it was.
func undo(err error, path string, size int64) error {
	if info, serr := os.Stat(path); serr == nil && info.Size() == size || errors.Is(serr, os.ErrNotExist) {
		return err
	}
	if terr := os.Truncate(path, size); terr != nil {
		return fmt.Errorf("%w; what it wrote may stay: %w", err, terr)
	}
	return err
}
