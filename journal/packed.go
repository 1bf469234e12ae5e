package journal

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"orihon/internal/jsonl"
)

// Packed reports whether the journal is compressed.
func (j *Journal) Packed() bool {
	_, packed, err := stat(j.Path(), os.Stat)
	return packed && err == nil
}

// Pack compresses the journal and its bodies, for a session that has ended: they
// are read as before, and the next Append unpacks the journal. Each file is on
// disk and was read back before the one that it stands for goes. It keeps the
// times of the journal and its folder, by which indexes and people tell what is
// new. A journal that is compressed or that is not there is left alone.
func (j *Journal) Pack(ctx context.Context) error {
	unlock, err := j.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	folder, err := os.Stat(j.dir)
	if err != nil {
		return err
	}
	// Without lines, this moves a torn tail aside.
	if _, err := jsonl.Append(ctx, j.Path(), j.lineOptions()); err != nil {
		return err
	}
	if _, packed, err := stat(j.Path(), os.Stat); packed || err != nil {
		return ignoreAbsent(err)
	}
	if err := j.packBodies(ctx); err != nil {
		return err
	}
	if err := j.pack(j.Path()); err != nil {
		return err
	}
	return os.Chtimes(j.dir, time.Time{}, folder.ModTime())
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// packBodies compresses what stands in io/. The caller holds the lock.
func (j *Journal) packBodies(ctx context.Context) error {
	dir := filepath.Join(j.dir, "io")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ignoreAbsent(err)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.Type().IsRegular() && isHash(e.Name()) {
			if err := j.pack(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return ignoreAbsent(os.Remove(filepath.Join(dir, unsyncedName)))
}

// pack puts a compressed file in the place of one.
func (j *Journal) pack(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() > maxPackedBody && filepath.Base(path) != fileName {
		return nil // it would not be read back
	}
	plain := sha256.New()
	if err := j.rewritePacked(path, func(w io.Writer) error {
		in, err := jsonl.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(io.MultiWriter(w, plain), in)
		return err
	}); err != nil {
		return err
	}
	if err := checkPacked(path, plain.Sum(nil)); err != nil {
		return errors.Join(err, os.Remove(path+packedEnd))
	}
	if err := os.Chtimes(path+packedEnd, time.Time{}, info.ModTime()); err != nil {
		return err
	}
	return j.o.remove(path)
}

// rewritePacked is [jsonl.Rewrite] for the compressed file in the place of one.
func (j *Journal) rewritePacked(path string, fill func(io.Writer) error) error {
	return j.o.rewrite(path+packedEnd, func(w io.Writer) error {
		zip := gzip.NewWriter(w)
		if err := fill(zip); err != nil {
			return err
		}
		return zip.Close()
	})
}

// checkPacked reads a compressed file back.
func checkPacked(path string, sum []byte) error {
	f, err := jsonl.Open(path + packedEnd)
	if err != nil {
		return err
	}
	defer f.Close()
	back := sha256.New()
	zip, err := gzip.NewReader(f)
	if err == nil {
		_, err = io.Copy(back, zip)
	}
	if err != nil || !bytes.Equal(back.Sum(nil), sum) {
		return fmt.Errorf("compress %s: it does not read back as it was written (%v); the file is kept as it is", path, err)
	}
	return nil
}

// unpack makes the journal one that can be appended to. Bodies stay compressed.
// The caller holds the lock.
func (j *Journal) unpack() error {
	info, packed, err := stat(j.Path(), os.Stat)
	if !packed || err != nil {
		return ignoreAbsent(err)
	}
	if err := j.o.rewrite(j.Path(), func(w io.Writer) error {
		r, err := open(j.Path())
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(w, r)
		return err
	}); err != nil {
		return err
	}
	if err := os.Chtimes(j.Path(), time.Time{}, info.ModTime()); err != nil {
		return err
	}
	return j.o.remove(j.Path() + packedEnd)
}
