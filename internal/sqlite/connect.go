package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"orihon/internal/jsonl"
	"orihon/internal/terms"
	"orihon/memory"
)

// errOther means that another version of the program made the file, in which
// nothing is wrong. Its text is that of [memory.ErrStale], which it wraps.
var errOther = fmt.Errorf("%w", memory.ErrStale)

// openReadOnly opens what is there. Where nothing can be written beside the
// file, or something else stands there, it is read as it is.
func (x *Index) openReadOnly(ctx context.Context) error {
	err := Blocked(x.path)
	info, serr := os.Lstat(x.path)
	switch {
	case errors.Is(serr, fs.ErrNotExist) && err == nil:
		return fmt.Errorf("index %s: %w", x.path, memory.ErrNotFound)
	case err != nil && (serr != nil || !info.Mode().IsRegular()):
		return err
	case err == nil:
		if err = x.connect(ctx, true); !Unwritable(err) {
			return err
		}
		if unreadable(x.path) {
			return fmt.Errorf("%w: %w", memory.ErrStale, err)
		}
	}
	if !x.alone() {
		return err
	}
	x.frozen = true
	return x.connect(ctx, true)
}

func (x *Index) openOrCreate(ctx context.Context) error {
	if info, err := os.Stat(x.path); err == nil && info.Size() > 0 {
		return x.connect(ctx, false)
	}
	unlock, err := jsonl.Lock(ctx, x.lockPath())
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	defer unlock()
	if info, err := os.Stat(x.path); err == nil && info.Size() > 0 {
		return x.connect(ctx, false)
	}
	return x.create(ctx)
}

// startOver moves to a new empty file, unless another process has done so
// while this one waited for the lock.
func (x *Index) startOver(ctx context.Context) error {
	unlock, err := jsonl.Lock(ctx, x.lockPath())
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	defer unlock()
	if err = Blocked(x.path); err == nil {
		err = x.connect(ctx, false)
	}
	if err == nil {
		return nil
	}
	if !Damaged(err) && !unreadable(x.path) {
		return err
	}
	x.stale = strings.TrimPrefix(err.Error(), memory.ErrStale.Error()+": ")
	level := slog.LevelWarn
	if errors.Is(err, errOther) {
		level = slog.LevelInfo // as after every change of how text is read
	}
	x.log.Log(ctx, level, "index is rebuilt", "path", x.path, "why", x.stale)
	if err := remove(x.path, x.log); err != nil {
		return err
	}
	return x.create(ctx)
}

// create makes the file under another name, so that whoever opens it, also
// after a crash in between, finds all of its tables or no file. The caller
// holds the lock.
func (x *Index) create(ctx context.Context) error {
	begun := x.path + ".new"
	if err := remove(begun, x.log); err != nil { // of one who was killed
		return err
	}
	if err := x.fill(ctx, begun); err != nil {
		return errors.Join(err, remove(begun, x.log))
	}
	// A log that outlived its file would be taken for the new one's.
	if err := remove(x.path, x.log); err != nil {
		return err
	}
	if err := os.Rename(begun, x.path); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	return x.connect(ctx, false)
}

// fill writes an empty index to path.
func (x *Index) fill(ctx context.Context, path string) (err error) {
	// SQLite creates files by umask; the index holds what the text holds.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	f.Close()
	x.open(path, false)
	defer func() {
		// The last to close copies the log into the file.
		if cerr := x.db.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("index %s: %w", x.path, cerr)
		}
		x.db = nil
	}()
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("index %s: %w", x.path, err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, schema); err != nil {
		return fmt.Errorf("index %s: create: %w", x.path, err)
	}
	for _, m := range x.identity() {
		if _, err := tx.ExecContext(ctx, `INSERT INTO meta VALUES (?, ?)`, m[0], m[1]); err != nil {
			return fmt.Errorf("index %s: create: %w", x.path, err)
		}
	}
	if err := writeGeneration(ctx, tx, servingKey, &generation{Embedder: x.embed.ID()}); err != nil {
		return fmt.Errorf("index %s: create: %w", x.path, err)
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("index %s: create: %w", x.path, err)
	}
	return nil
}

func (x *Index) connect(ctx context.Context, readOnly bool) (err error) {
	x.open(x.path, readOnly)
	defer func() {
		if err != nil {
			x.db.Close()
			x.db = nil
		}
	}()
	meta, err := x.meta(ctx)
	if err != nil {
		if strings.Contains(err.Error(), "no such table") {
			return fmt.Errorf("%w: it has no tables", memory.ErrStale)
		}
		return fmt.Errorf("index %s: %w", x.path, err)
	}
	for _, want := range x.identity() {
		if got := meta[want[0]]; got != want[1] {
			return fmt.Errorf("%w: %s is %q, want %q", errOther, want[0], got, want[1])
		}
	}
	x.opened, err = readEmbedding(meta)
	return err
}

// identity lists what a file must have been made with to be used.
func (x *Index) identity() [][2]string {
	return [][2]string{
		{"format", strconv.Itoa(Format)},
		{"tokenizer", terms.Version},
	}
}

// open dials the file. The pragmas are constants: their values are executed
// as SQL by the driver. Those that only writing needs are left to who writes.
func (x *Index) open(path string, readOnly bool) {
	pragmas := []string{
		"busy_timeout(5000)",
		"mmap_size(268435456)",
		"cache_size(-16384)",
		"temp_store(MEMORY)",
	}
	if !readOnly {
		pragmas = append(pragmas,
			"journal_mode(WAL)",
			"synchronous(NORMAL)", // the index can be rebuilt; WAL keeps it whole
			"secure_delete(ON)",   // purged text must not stay in free pages
		)
	}
	q := url.Values{"_pragma": pragmas, "_txlock": {"immediate"}}
	if x.frozen {
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	}
	dsn := (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), RawQuery: q.Encode()}).String()
	x.db = sql.OpenDB(connector{dsn})
	x.db.SetMaxOpenConns(4 + maxFree)
	x.db.SetMaxIdleConns(4)
}

// alone reports whether the file holds all there is: no log waits beside it.
func (x *Index) alone() bool {
	info, err := os.Lstat(x.path + "-wal")
	return errors.Is(err, os.ErrNotExist) || err == nil && (info.Size() == 0 || !info.Mode().IsRegular())
}
