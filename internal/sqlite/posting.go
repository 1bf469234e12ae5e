package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"orihon/internal/score"
)

// The inverted index: for every term, which passages hold it and how often, in
// one row for each block of passages it occurs in.
//
// SQLite's own full-text module was measured first and costs a look-up of the
// document's size for every match: 7 ms for a prompt of a dozen words over
// 10,000 passages, where this takes a tenth of it.

// place names one row of the posting table.
type place struct {
	term  string
	block int64
}

// postingWriter gathers the changes of a transaction by row, so that each row
// is read and written once.
type postingWriter struct {
	changes map[place][]score.Occurrence // in the order they were made
	n       int
	lengths map[int64]score.Lengths
}

func newPostingWriter() postingWriter {
	return postingWriter{changes: make(map[place][]score.Occurrence), lengths: make(map[int64]score.Lengths)}
}

// maxChanges bounds the memory of a large transaction: about 100 bytes each.
const maxChanges = 1 << 18

// set makes a passage hold exactly these terms; with nil terms it takes out
// those it held.
func (w *postingWriter) set(rowid int64, own []string, near [2][]string, held bool) {
	counts := score.Count(own, near)
	block, slot := rowid/score.BlockSize, uint16(rowid%score.BlockSize)
	for t, o := range counts {
		if !held {
			o = score.Occurrence{}
		}
		o.Slot = slot
		p := place{t, block}
		w.changes[p] = append(w.changes[p], o)
		w.n++
	}
}

// setLength notes the length of a passage, and of it with its neighbours
// counted by their weight; both 0 for none.
func (w *postingWriter) setLength(ctx context.Context, tx *sql.Tx, rowid int64, own, context int) error {
	block, slot := rowid/score.BlockSize, rowid%score.BlockSize
	data, ok := w.lengths[block]
	if !ok {
		err := tx.QueryRowContext(ctx, `SELECT data FROM length WHERE block = ?`, block).Scan((*[]byte)(&data))
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if len(data) != score.LengthsSize {
			data = make(score.Lengths, score.LengthsSize)
		}
		w.lengths[block] = data
	}
	data.Set(int(slot), own, context)
	return nil
}

// flush writes what was gathered.
func (w *postingWriter) flush(ctx context.Context, tx *sql.Tx) error {
	read, err := tx.PrepareContext(ctx, `SELECT data FROM posting WHERE term = ? AND block = ?`)
	if err != nil {
		return err
	}
	defer read.Close()
	write, err := tx.PrepareContext(ctx, `INSERT OR REPLACE INTO posting VALUES (?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer write.Close()
	drop, err := tx.PrepareContext(ctx, `DELETE FROM posting WHERE term = ? AND block = ?`)
	if err != nil {
		return err
	}
	defer drop.Close()

	halves := halfWriter{ctx: ctx, tx: tx}
	// In the order of the table, so that its pages are visited once.
	places := make([]place, 0, len(w.changes))
	for p := range w.changes {
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.term, b.term), cmp.Compare(a.block, b.block))
	})
	for _, p := range places {
		var data []byte
		if err := read.QueryRowContext(ctx, p.term, p.block).Scan(&data); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		list, df := score.Merge(data, w.changes[p])
		if len(list) == 0 {
			if _, err := drop.ExecContext(ctx, p.term, p.block); err != nil {
				return err
			}
			if err := halves.drop(p.term); err != nil {
				return err
			}
			continue
		}
		if _, err := write.ExecContext(ctx, p.term, p.block, df, score.Encode(list)); err != nil {
			return err
		}
		if data == nil {
			if err := halves.add(p.term); err != nil {
				return err
			}
		}
	}
	for block, data := range w.lengths {
		if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO length VALUES (?, ?)`, block, data); err != nil {
			return err
		}
	}
	*w = newPostingWriter()
	return nil
}
