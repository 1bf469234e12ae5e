package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"orihon/internal/terms"
)

// halfWriter keeps the halves of terms, as far as they stand in postings.
type halfWriter struct {
	ctx context.Context
	tx  *sql.Tx
}

// add notes a term that a block has gained.
func (w *halfWriter) add(term string) error {
	for _, h := range terms.Halves(term) {
		if _, err := w.tx.ExecContext(w.ctx, `INSERT OR IGNORE INTO half VALUES (?, ?)`, h, term); err != nil {
			return err
		}
	}
	return nil
}

// drop forgets a term that a block has lost, unless another one holds it.
func (w *halfWriter) drop(term string) error {
	for _, h := range terms.Halves(term) {
		if _, err := w.tx.ExecContext(w.ctx, `DELETE FROM half WHERE half = ?1 AND term = ?2 AND NOT EXISTS (SELECT 1 FROM posting WHERE term = ?2)`, h, term); err != nil {
			return err
		}
	}
	return nil
}

// Spelled implements [memory.Speller].
func (x *Index) Spelled(ctx context.Context, words []string) (_ map[string]string, err error) {
	defer faults(&err)()
	read, err := x.snapshot(ctx)
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", x.path, err)
	}
	defer x.end(read)
	in, args := oneOf(words)
	out := make(map[string]string)
	known, err := column[string](ctx, read, `SELECT DISTINCT term FROM posting WHERE term IN `+in, args...)
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", x.path, err)
	}
	for _, w := range known {
		out[w] = w
	}
	for _, w := range words {
		if _, ok := out[w]; ok || terms.Slips(w) == 0 {
			continue
		}
		in, args := oneOf(terms.TypedHalves(w))
		near, err := column[string](ctx, read, `SELECT DISTINCT term FROM half WHERE half IN `+in+` ORDER BY term`, args...)
		if err != nil {
			return nil, fmt.Errorf("index %s: %w", x.path, err)
		}
		if meant := nearest(w, near); meant != "" {
			out[w] = meant
		}
	}
	return out, nil
}

// nearest returns the one known word that the fewest slips lead to; empty when
// there is none or there are several.
func nearest(typed string, known []string) string {
	least, meant := terms.Slips(typed)+1, ""
	for _, k := range known {
		switch n := terms.Slipped(typed, k, terms.Slips(typed)); {
		case n < least:
			least, meant = n, k
		case n == least:
			meant = ""
		}
	}
	return meant
}
