package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// The inverted index: for every term, which passages hold it and how often.
//
// SQLite's own full-text module was measured first and costs a look-up of the
// document's size for every match: 7 ms for a prompt of a dozen words over
// 10,000 passages, where this takes a tenth of it. Passages are grouped by
// blocks of blockSize row IDs; a term has one row for each block it occurs in,
// so that a change rewrites a few small rows and a query reads a few large
// ones.
const blockSize = 4096

// occurrence is how often a term stands in one passage: in its own text and in
// that of the neighbours at distance 1 and 2. All zero takes the term out.
type occurrence struct {
	slot           uint16 // rowid % blockSize
	own, near, far uint16
}

func (o occurrence) none() bool { return o.own == 0 && o.near == 0 && o.far == 0 }

// encode writes occurrences in the order of their slots: the distance to the
// slot before, doubled, plus one when neighbours follow; then the counts.
func encode(list []occurrence) []byte {
	out := make([]byte, 0, 3*len(list))
	before := 0
	for _, o := range list {
		gap := uint64(int(o.slot)-before) << 1
		before = int(o.slot)
		if o.near == 0 && o.far == 0 {
			out = binary.AppendUvarint(binary.AppendUvarint(out, gap), uint64(o.own))
			continue
		}
		out = binary.AppendUvarint(binary.AppendUvarint(out, gap|1), uint64(o.own))
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(o.near)), uint64(o.far))
	}
	return out
}

// occurrences reads what encode wrote, one at a time.
type occurrences struct {
	data []byte
	now  occurrence
	bad  bool
}

func (r *occurrences) next() bool {
	if len(r.data) == 0 {
		return false
	}
	gap := r.uvarint()
	r.now = occurrence{slot: r.now.slot + uint16(gap>>1), own: uint16(r.uvarint())}
	if gap&1 == 1 {
		r.now.near, r.now.far = uint16(r.uvarint()), uint16(r.uvarint())
	}
	if r.now.slot >= blockSize {
		r.bad = true
	}
	return !r.bad
}

func (r *occurrences) uvarint() uint64 {
	if len(r.data) > 0 && r.data[0] < 0x80 { // nearly always
		v := uint64(r.data[0])
		r.data = r.data[1:]
		return v
	}
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

// place names one row of the posting table.
type place struct {
	term  string
	block int64
}

// postingWriter gathers the changes of a transaction by row, so that each row
// is read and written once.
type postingWriter struct {
	changes map[place][]occurrence // in the order they were made
	n       int
	lengths map[int64][]byte
}

func newPostingWriter() postingWriter {
	return postingWriter{changes: make(map[place][]occurrence), lengths: make(map[int64][]byte)}
}

// maxChanges bounds the memory of a large transaction: about 100 bytes each.
const maxChanges = 1 << 18

// set makes a passage hold exactly these terms; with nil terms it takes out
// those it held.
func (w *postingWriter) set(rowid int64, own []string, near [2][]string, held bool) {
	counts := make(map[string]occurrence, len(own))
	count := func(list []string, add func(*occurrence)) {
		for _, t := range list {
			o := counts[t]
			if held {
				add(&o)
			}
			counts[t] = o
		}
	}
	count(own, func(o *occurrence) { o.own = min(o.own+1, math.MaxUint16-1) })
	count(near[0], func(o *occurrence) { o.near = min(o.near+1, math.MaxUint16-1) })
	count(near[1], func(o *occurrence) { o.far = min(o.far+1, math.MaxUint16-1) })
	block, slot := rowid/blockSize, uint16(rowid%blockSize)
	for t, o := range counts {
		o.slot = slot
		p := place{t, block}
		w.changes[p] = append(w.changes[p], o)
		w.n++
	}
}

// setLength notes the length of a passage, and of it with its neighbours
// counted by their weight; both 0 for none.
func (w *postingWriter) setLength(ctx context.Context, tx *sql.Tx, rowid int64, own, context int) error {
	block, slot := rowid/blockSize, rowid%blockSize
	data, ok := w.lengths[block]
	if !ok {
		err := tx.QueryRowContext(ctx, `SELECT data FROM length WHERE block = ?`, block).Scan(&data)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if len(data) != 4*blockSize {
			data = make([]byte, 4*blockSize)
		}
		w.lengths[block] = data
	}
	binary.LittleEndian.PutUint16(data[4*slot:], uint16(min(own, math.MaxUint16)))
	binary.LittleEndian.PutUint16(data[4*slot+2:], uint16(min(context, math.MaxUint16)))
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
		list, df := merge(data, w.changes[p])
		if len(list) == 0 {
			if _, err := drop.ExecContext(ctx, p.term, p.block); err != nil {
				return err
			}
			continue
		}
		if _, err := write.ExecContext(ctx, p.term, p.block, df, encode(list)); err != nil {
			return err
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

// merge applies changes to a row; the last change of a slot wins. df counts
// the passages that hold the term in their own text.
func merge(data []byte, changes []occurrence) (list []occurrence, df int) {
	last := make(map[uint16]occurrence, len(changes))
	for _, c := range changes {
		last[c.slot] = c
	}
	for r := (occurrences{data: data}); r.next(); {
		if _, changed := last[r.now.slot]; !changed {
			list = append(list, r.now)
		}
	}
	for _, c := range last {
		if !c.none() {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b occurrence) int { return cmp.Compare(a.slot, b.slot) })
	for _, o := range list {
		if o.own > 0 {
			df++
		}
	}
	return list, df
}
