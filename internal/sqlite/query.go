package sqlite

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"time"

	"orihon/internal/jsonl"
)

type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (x *Index) meta(ctx context.Context) (map[string]string, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return queryMeta(context.WithoutCancel(ctx), x.db) // watching it costs more than the query
}

func queryMeta(ctx context.Context, q queryer) (map[string]string, error) {
	m := make(map[string]string)
	return m, each(ctx, q, func(rows *sql.Rows) error {
		var k, v string
		err := rows.Scan(&k, &v)
		m[k] = v
		return err
	}, `SELECT key, value FROM meta`)
}

// each calls fn for every row of a query.
func each(ctx context.Context, q queryer, fn func(rows *sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// column reads a query of one column.
func column[T any](ctx context.Context, q queryer, query string, args ...any) (out []T, err error) {
	err = each(ctx, q, func(rows *sql.Rows) error {
		var v T
		err := rows.Scan(&v)
		out = append(out, v)
		return err
	}, query, args...)
	return out, err
}

// oneOf is what follows IN in a query for any of some values, at least one.
// They are rounded up to a power of two by repeating the last, so that few
// different queries come up.
func oneOf[T any](values []T) (list string, args []any) {
	const most = 1 << 14 // SQLite takes 32,766 arguments
	places := 8
	for places < len(values) {
		places *= 2
	}
	if places > most {
		places = len(values)
	}
	args = make([]any, places)
	for i := range args {
		args[i] = values[min(i, len(values)-1)]
	}
	return "(?" + strings.Repeat(",?", places-1) + ")", args
}

func list(ids []int64) string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(id, 10))
	}
	return b.String()
}

// limit is a literal: SQLite compiles a query anew whose limit is bound, since
// its plan may hang on it.
func limit(n int) string { return " LIMIT " + strconv.Itoa(n) }

func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// transact runs fn in a transaction, after waiting for its turn.
func (x *Index) transact(ctx context.Context, fn func(tx *sql.Tx) error) error {
	unlock, err := jsonl.Lock(ctx, x.lockPath())
	if err != nil {
		return err
	}
	defer unlock()
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

const lockSuffix = ".lock"

func (x *Index) lockPath() string { return x.path + lockSuffix }
