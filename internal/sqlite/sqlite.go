// Package sqlite is the derived index: a [memory.Index] in one SQLite file.
//
// Everything in it comes from text files and can be deleted at any time; a
// file of another format, of another tokenizer or with damage in it is
// replaced by an empty one and says so in its [memory.Stamp]. It finds
// candidates and gives the raw score of each leg; it does not decide what is
// relevant (that is recall's work) and it never reads the text files itself.
//
// Start with [Open], then Index.Apply and Index.Search.
//
// Costs, with n passages, m of them holding a query term, k candidates:
//
//	Apply   O(changed text) and one transaction
//	Search  full text O(m log k); vectors O(n) codes and O(k) vectors; pending
//	        passages O(pending)
//	Open    O(1)
//
// Several processes may share the file: readers never wait (write-ahead log),
// writers take turns through a file lock beside it, because SQLite's own busy
// handler sleeps and is unfair.
package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"orihon/internal/jsonl"
	"orihon/internal/score"
	"orihon/internal/terms"
	"orihon/memory"
)

//go:embed schema.sql
var schema string

// Format is the version of the schema; a file of any other version is rebuilt.
const Format = 4

// Options of [Open]. The zero value is not usable: Embedder is required.
type Options struct {
	// Embedder makes the vectors of what is applied. It must be the one that
	// makes the vectors of the queries. When the index holds another's vectors,
	// searches leave the vectors out until [Index.Reembed] has been called.
	Embedder memory.Embedder
	// ReadOnly opens what is there and creates, repairs and writes nothing;
	// Open then fails with [memory.ErrNotFound] when there is no index and
	// with [memory.ErrStale] when it would have to be rebuilt. Even readers write
	// beside the file; where that is not possible, on a full disk or a
	// read-only one, it is read as it is, see [Index.Frozen].
	ReadOnly bool
	Logger   *slog.Logger // nil discards
}

// errOther means that another version of the program made the file, in which
// nothing is wrong. Its text is that of [memory.ErrStale], which it wraps.
var errOther = fmt.Errorf("%w", memory.ErrStale)

// Index is an open index. It is safe for use by several goroutines.
type Index struct {
	path    string
	db      *sql.DB
	opened  memory.Embedding // as it was when the file was opened
	embed   memory.Embedder
	log     *slog.Logger
	stale   string // why Open started over; empty when it did not
	frozen  bool   // it is read as if nobody wrote to it, because nobody can
	pending atomic.Pointer[score.Pending]
	vectors vectorCache

	connections connections // of searches
}

// Open opens or creates the index file at path, in a folder that is created
// when missing. Damage, another format or another tokenizer make it start over
// with an empty file; Stamp then says why. Vectors of another embedder stay.
func Open(ctx context.Context, path string, o *Options) (_ *Index, err error) {
	defer faults(&err)()
	x := &Index{path: path, embed: o.Embedder, log: o.Logger}
	if x.log == nil {
		x.log = slog.New(slog.DiscardHandler)
	}
	if o.ReadOnly {
		return x, x.openReadOnly(ctx)
	}
	if err := makeWay(filepath.Dir(path), x.log); err != nil {
		return nil, err
	}
	if err = Blocked(path); err == nil {
		err = x.openOrCreate(ctx)
	}
	if err == nil {
		return x, nil
	}
	if !Damaged(err) && !unreadable(path) {
		return nil, err
	}
	if err := x.startOver(ctx); err != nil {
		return nil, err
	}
	return x, nil
}

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

// Delete removes an index with its write-ahead log, when no process is writing
// or creating it. Nothing is lost by it: what is no index is moved aside.
func Delete(path string, log *slog.Logger) error {
	if _, err := os.Lstat(filepath.Dir(path)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err := makeWay(filepath.Dir(path), log); err != nil {
		return err
	}
	unlock, err := jsonl.Lock(context.Background(), path+lockSuffix)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	defer unlock()
	return remove(path, log)
}

// Damaged reports whether an error of this package means that the file is
// broken and must be built again.
func Damaged(err error) bool { return damaged(err) || errors.Is(err, memory.ErrStale) }

func damaged(err error) bool {
	const (
		corrupt = 11 // SQLITE_CORRUPT
		notADB  = 26 // SQLITE_NOTADB
	)
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()&0xff == corrupt || e.Code()&0xff == notADB
	}
	return errors.Is(err, errFault)
}

// Unwritable reports whether an error of this package means that nothing can be
// written where the file lies: a full disk, a read-only one, no permission.
func Unwritable(err error) bool {
	const (
		readOnly = 8  // SQLITE_READONLY
		ioErr    = 10 // SQLITE_IOERR
		full     = 13 // SQLITE_FULL
		cantOpen = 14 // SQLITE_CANTOPEN
	)
	var e *sqlite.Error
	return errors.As(err, &e) && slices.Contains([]int{readOnly, ioErr, full, cantOpen}, e.Code()&0xff)
}

// alone reports whether the file holds all there is: no log waits beside it.
func (x *Index) alone() bool {
	info, err := os.Lstat(x.path + "-wal")
	return errors.Is(err, os.ErrNotExist) || err == nil && (info.Size() == 0 || !info.Mode().IsRegular())
}

// Frozen reports whether the file is read without regard for other processes,
// because nothing could be written beside it when it was opened. It should be
// opened anew before long.
func (x *Index) Frozen() bool { return x.frozen }

const lockSuffix = ".lock"

func (x *Index) lockPath() string { return x.path + lockSuffix }

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

// Close lets go of the file. What is pending is forgotten.
func (x *Index) Close() (err error) {
	defer faults(&err)()
	return errors.Join(x.connections.close(), x.db.Close())
}

// Pend makes Search see a batch without writing it. It replaces what was
// pending before; [Index.Apply] does not touch it. Costs grow with the batch,
// at every search.
func (x *Index) Pend(ctx context.Context, b memory.Batch) error {
	if b.Empty() {
		x.pending.Store(nil)
		return nil
	}
	p := score.NewPending(&b)
	entries := make([]*score.Entry, len(p.Entries))
	for i := range p.Entries {
		entries[i] = &p.Entries[i]
	}
	if err := x.embedEntries(ctx, entries); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	x.pending.Store(p)
	return nil
}

// Stamp says what the index was built from.
func (x *Index) Stamp(ctx context.Context) (_ memory.Stamp, err error) {
	defer faults(&err)()
	meta, err := x.meta(ctx)
	if err != nil {
		return memory.Stamp{}, fmt.Errorf("index %s: %w", x.path, err)
	}
	s := memory.Stamp{Format: Format, Stale: x.stale}
	g, err := readGeneration(meta, servingKey)
	if err != nil {
		return memory.Stamp{}, fmt.Errorf("index %s: %w", x.path, err)
	}
	if g != nil {
		s.Embedder = g.Embedder
	}
	s.Passages, _ = strconv.Atoi(meta["passages"])
	if ns, _ := strconv.ParseInt(meta["synced"], 10, 64); ns != 0 {
		s.Synced = time.Unix(0, ns).UTC()
	}
	if s.Stale == "" && s.Synced.IsZero() {
		s.Stale = "never synced"
	}
	s.Files, err = x.files(ctx, "1")
	return s, err
}

// FilesAt returns what the index remembers of the files with these paths.
func (x *Index) FilesAt(ctx context.Context, paths ...string) ([]memory.File, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	in, args := oneOf(paths)
	return x.files(ctx, "path IN "+in, args...)
}

// Files returns what the index remembers of the files of some kinds.
func (x *Index) Files(ctx context.Context, kinds ...string) ([]memory.File, error) {
	cond, args := "0", make([]any, 0, len(kinds))
	for _, k := range kinds {
		cond += " OR kind = ?"
		args = append(args, k)
	}
	return x.files(ctx, cond, args...)
}

func (x *Index) files(ctx context.Context, cond string, args ...any) (_ []memory.File, err error) {
	defer faults(&err)()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	ctx = context.WithoutCancel(ctx) // watching it costs more than the query
	rows, err := x.db.QueryContext(ctx, `SELECT path, kind, size, mtime, hash, read_to, mark FROM file WHERE `+cond+` ORDER BY path`, args...)
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", x.path, err)
	}
	defer rows.Close()
	var out []memory.File
	for rows.Next() {
		var f memory.File
		var mtime int64
		if err := rows.Scan(&f.Path, &f.Kind, &f.Size, &mtime, &f.Hash, &f.Offset, &f.Mark); err != nil {
			return nil, fmt.Errorf("index %s: %w", x.path, err)
		}
		if mtime != 0 {
			f.MTime = time.Unix(0, mtime).UTC()
		}
		out = append(out, f)
	}
	return out, rows.Err()
}

// Synced records the end of a complete sync.
func (x *Index) Synced(ctx context.Context, at time.Time) error {
	unlock, err := jsonl.Lock(ctx, x.lockPath())
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	defer unlock()
	_, err = x.db.ExecContext(ctx, `INSERT INTO meta VALUES ('synced', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
		strconv.FormatInt(at.UnixNano(), 10))
	if err != nil {
		return fmt.Errorf("index %s: %w", x.path, err)
	}
	x.stale = ""
	return nil
}

// Statements counts the passages that recall may find, turns left out.
func (x *Index) Statements(ctx context.Context) (n int, err error) {
	defer faults(&err)()
	if err := x.db.QueryRowContext(ctx, `SELECT count(*) FROM passage WHERE retired = 0 AND turn = 0`).Scan(&n); err != nil {
		return 0, fmt.Errorf("index %s: %w", x.path, err)
	}
	return n, nil
}

// Check runs SQLite's own integrity check, looks whether every passage has its
// text, and reports the first finding.
func (x *Index) Check(ctx context.Context) (err error) {
	defer faults(&err)()
	var result string
	if err := x.db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&result); err != nil {
		return fmt.Errorf("index %s: %w", x.path, err)
	}
	if result != "ok" {
		return fmt.Errorf("index %s: %s", x.path, result)
	}
	var bare int
	if err := x.db.QueryRowContext(ctx, `SELECT count(*) FROM passage WHERE rowid NOT IN (SELECT rowid FROM body)`).Scan(&bare); err != nil {
		return fmt.Errorf("index %s: %w", x.path, err)
	}
	if bare > 0 {
		return fmt.Errorf("index %s: %w: passages without a text: %d", x.path, memory.ErrStale, bare)
	}
	return nil
}

// Wipe copies the write-ahead log into the file and drops free pages, so that
// removed text is nowhere in either.
func (x *Index) Wipe(ctx context.Context) error {
	unlock, err := jsonl.Lock(ctx, x.lockPath())
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	defer unlock()
	for _, q := range []string{
		`VACUUM`,
		`PRAGMA wal_checkpoint(TRUNCATE)`,
	} {
		if _, err := x.db.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("index %s: %w", x.path, err)
		}
	}
	return nil
}

func (x *Index) meta(ctx context.Context) (map[string]string, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return queryMeta(context.WithoutCancel(ctx), x.db) // watching it costs more than the query
}

type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func queryMeta(ctx context.Context, q queryer) (map[string]string, error) {
	rows, err := q.QueryContext(ctx, `SELECT key, value FROM meta`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	m := make(map[string]string)
	for rows.Next() {
		var k, v string
		if err := rows.Scan(&k, &v); err != nil {
			return nil, err
		}
		m[k] = v
	}
	return m, rows.Err()
}

var (
	_ memory.Index      = (*Index)(nil)
	_ memory.Recent     = (*Index)(nil)
	_ memory.Pending    = (*Index)(nil)
	_ memory.Syncable   = (*Index)(nil)
	_ memory.Checker    = (*Index)(nil)
	_ memory.Wiper      = (*Index)(nil)
	_ memory.Freezer    = (*Index)(nil)
	_ memory.Trainable  = (*Index)(nil)
	_ memory.Reembedder = (*Index)(nil)
)
