package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"time"

	"orihon/internal/jsonl"
	"orihon/internal/score"
	"orihon/memory"
)

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
	return x.filesBy(ctx, "path", paths)
}

// Files returns what the index remembers of the files of some kinds.
func (x *Index) Files(ctx context.Context, kinds ...string) ([]memory.File, error) {
	return x.filesBy(ctx, "kind", kinds)
}

func (x *Index) filesBy(ctx context.Context, column string, values []string) ([]memory.File, error) {
	if len(values) == 0 {
		return nil, nil
	}
	in, args := oneOf(values)
	return x.files(ctx, column+" IN "+in, args...)
}

func (x *Index) files(ctx context.Context, cond string, args ...any) (_ []memory.File, err error) {
	defer faults(&err)()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	ctx = context.WithoutCancel(ctx) // watching it costs more than the query
	var out []memory.File
	err = each(ctx, x.db, func(rows *sql.Rows) error {
		var f memory.File
		var mtime int64
		err := rows.Scan(&f.Path, &f.Kind, &f.Size, &mtime, &f.Hash, &f.Offset, &f.Mark)
		if mtime != 0 {
			f.MTime = time.Unix(0, mtime).UTC()
		}
		out = append(out, f)
		return err
	}, `SELECT path, kind, size, mtime, hash, read_to, mark FROM file WHERE `+cond+` ORDER BY path`, args...)
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", x.path, err)
	}
	return out, nil
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
	for _, q := range []string{`VACUUM`, `PRAGMA wal_checkpoint(TRUNCATE)`} {
		if _, err := x.db.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("index %s: %w", x.path, err)
		}
	}
	return nil
}

// Opened is the state of the vectors when the index was opened.
func (x *Index) Opened() memory.Embedding { return x.opened }

// Embedding returns the state of the vectors.
func (x *Index) Embedding(ctx context.Context) (_ memory.Embedding, err error) {
	defer faults(&err)()
	meta, err := x.meta(ctx)
	if err != nil {
		return memory.Embedding{}, fmt.Errorf("index %s: %w", x.path, err)
	}
	out, err := readEmbedding(meta)
	if err != nil {
		return memory.Embedding{}, fmt.Errorf("index %s: %w", x.path, err)
	}
	return out, nil
}

func readEmbedding(meta map[string]string) (memory.Embedding, error) {
	w, err := newVectorWriter(meta, "")
	if err != nil {
		return memory.Embedding{}, err
	}
	out := memory.Embedding{Passages: readTotals(meta).Passages, Serving: w.serving.Embedder, Embedded: w.serving.Held}
	if w.next != nil {
		out.Next, out.NextEmbedded = w.next.Embedder, w.next.Held
	}
	return out, nil
}

func readTotals(meta map[string]string) score.Totals {
	n := func(key string) int { v, _ := strconv.Atoi(meta[key]); return v }
	return score.Totals{Passages: n("passages"), OwnTerms: n("own_terms"), NearTerms: n("near_terms"), NearPassages: n("near_passages"), Stated: n("stated")}
}
