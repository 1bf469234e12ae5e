package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"orihon/internal/jsonl"
)

// Path is the file of the journal, which a compressed one may stand for, see
// [Journal.Pack].
func (j *Journal) Path() string { return filepath.Join(j.dir, fileName) }

func (j *Journal) lock(ctx context.Context) (unlock func(), err error) {
	return jsonl.Lock(ctx, filepath.Join(j.dir, jsonl.LockName))
}

// lineOptions are for writing under the journal's lock.
func (j *Journal) lineOptions() *jsonl.Options {
	return &jsonl.Options{Locked: true, Logger: j.o.Logger}
}

// origin tells one file under the journal's path from the next.
type origin struct {
	info   fs.FileInfo // nil before anything was read
	packed bool        // it is of the compressed file
	// purges is compared as well, since systems use a file's identity again.
	purges string
}

func (j *Journal) origin() (origin, error) {
	info, packed, err := stat(j.Path(), os.Stat)
	if err != nil {
		return origin{}, err
	}
	text, err := purges(j.dir)
	return origin{info, packed, text}, err
}

// same reports whether what was read of o still stands in p.
func (o origin) same(p origin) bool {
	return o.info != nil && p.info != nil && os.SameFile(o.info, p.info) && o.purges == p.purges
}

// purges reads how often the journal in dir was purged; "" for never.
func purges(dir string) (string, error) {
	text, err := jsonl.ReadFile(filepath.Join(dir, purgesName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}
