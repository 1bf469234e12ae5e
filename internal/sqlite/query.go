package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"time"
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

func queryRowids(ctx context.Context, q queryer, query string, args ...any) ([]int64, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, rows.Err()
}

// onlyText reads the one column of the one row.
func onlyText(rows *sql.Rows) (s string, err error) {
	defer rows.Close()
	if rows.Next() {
		err = rows.Scan(&s)
	}
	return s, errors.Join(err, rows.Err())
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
