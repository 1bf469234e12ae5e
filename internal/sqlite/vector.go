package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
)

// chunkSize is how many vectors stand in one row of the vec table: large
// enough that a scan is not ruled by the cost of a row, small enough that one
// change does not rewrite much.
const chunkSize = 64

// ScanLimit is the number of passages up to which the vector leg reads every
// vector. Beyond, it only scores what full text has found.
const ScanLimit = 20_000

// quantize keeps 8 bits of each dimension of a unit vector.
func quantize(v []float32) []int8 {
	q := make([]int8, len(v))
	for i, x := range v {
		q[i] = int8(math.RoundToEven(float64(max(-1, min(1, x))) * 127))
	}
	return q
}

// cosine of two quantized unit vectors; bytes are as read from the database.
func cosine[T int8 | byte](a []int8, b []T) float64 {
	var s0, s1, s2, s3 int32
	i := 0
	for ; i+4 <= len(a) && i+4 <= len(b); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += int32(x[0]) * int32(int8(y[0]))
		s1 += int32(x[1]) * int32(int8(y[1]))
		s2 += int32(x[2]) * int32(int8(y[2]))
		s3 += int32(x[3]) * int32(int8(y[3]))
	}
	for ; i < len(a) && i < len(b); i++ {
		s0 += int32(a[i]) * int32(int8(b[i]))
	}
	return float64(s0+s1+s2+s3) / (127 * 127)
}

// vectorWriter gathers changes to chunks so that each is read and written
// once in a transaction.
type vectorWriter struct {
	chunks map[int64][]byte
}

// set writes the vector of a passage; nil clears it.
func (w *vectorWriter) set(ctx context.Context, tx *sql.Tx, rowid int64, v []int8) error {
	id, slot := rowid/chunkSize, int(rowid%chunkSize)
	data, ok := w.chunks[id]
	if !ok {
		err := tx.QueryRowContext(ctx, `SELECT data FROM vec WHERE chunk = ?`, id).Scan(&data)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	if len(v) > 0 && len(data) != chunkSize*len(v) {
		data = make([]byte, chunkSize*len(v))
	}
	dim := len(data) / chunkSize
	at := data[slot*dim : (slot+1)*dim]
	clear(at)
	for i, x := range v {
		at[i] = byte(x)
	}
	w.chunks[id] = data
	return nil
}

func (w *vectorWriter) flush(ctx context.Context, tx *sql.Tx) error {
	for id, data := range w.chunks {
		if _, err := tx.ExecContext(ctx, `INSERT INTO vec VALUES (?, ?) ON CONFLICT (chunk) DO UPDATE SET data = excluded.data`, id, data); err != nil {
			return err
		}
	}
	return nil
}

// nearest scores every passage against q and returns the limit best ones; all
// holds the cosine of each passage by rowid.
func nearest(ctx context.Context, db *sql.DB, q []int8, limit int) (best *top, all []float64, err error) {
	rows, err := db.QueryContext(ctx, `SELECT chunk, data FROM vec ORDER BY chunk`)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	best = newTop(limit)
	for rows.Next() {
		var id int64
		var data sql.RawBytes
		if err := rows.Scan(&id, &data); err != nil {
			return nil, nil, err
		}
		if len(data) != chunkSize*len(q) {
			return nil, nil, fmt.Errorf("vectors: row %d has %d bytes, want %d", id, len(data), chunkSize*len(q))
		}
		for first := id * chunkSize; int64(len(all)) < first+chunkSize; {
			all = append(all, 0)
		}
		for slot := range chunkSize {
			rowid := id*chunkSize + int64(slot)
			s := cosine(q, data[slot*len(q):])
			all[rowid] = s
			if s > minCosine {
				best.add(rowid, s)
			}
		}
	}
	return best, all, rows.Err()
}

// minCosine is the least likeness worth a candidate's place: below it hashed
// vectors of unrelated texts lie.
const minCosine = 0.15

// cosines of the given passages with q.
func cosines(ctx context.Context, db *sql.DB, q []int8, rowids []int64) (map[int64]float64, error) {
	byChunk := make(map[int64][]int64)
	for _, id := range rowids {
		byChunk[id/chunkSize] = append(byChunk[id/chunkSize], id)
	}
	out := make(map[int64]float64, len(rowids))
	for chunk, ids := range byChunk {
		var data []byte
		err := db.QueryRowContext(ctx, `SELECT data FROM vec WHERE chunk = ?`, chunk).Scan(&data)
		if errors.Is(err, sql.ErrNoRows) || err == nil && len(data) != chunkSize*len(q) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			out[id] = cosine(q, data[int(id%chunkSize)*len(q):])
		}
	}
	return out, nil
}

// top keeps the best few of a stream of scores: a binary heap with the worst
// of the kept on top.
type top struct {
	limit int
	ids   []int64
	score []float64
}

func newTop(limit int) *top { return &top{limit: limit} }

func (t *top) add(id int64, s float64) {
	if len(t.ids) < t.limit {
		t.ids, t.score = append(t.ids, id), append(t.score, s)
		for i := len(t.ids) - 1; i > 0; {
			up := (i - 1) / 2
			if !t.worse(i, up) {
				break
			}
			t.swap(i, up)
			i = up
		}
		return
	}
	if s <= t.score[0] {
		return
	}
	t.ids[0], t.score[0] = id, s
	for i := 0; ; {
		worst := i
		for _, c := range []int{2*i + 1, 2*i + 2} {
			if c < len(t.ids) && t.worse(c, worst) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		t.swap(i, worst)
		i = worst
	}
}

// worse orders by score, then by age: the later of two equals goes first.
func (t *top) worse(i, j int) bool {
	if t.score[i] != t.score[j] {
		return t.score[i] < t.score[j]
	}
	return t.ids[i] > t.ids[j]
}

func (t *top) swap(i, j int) {
	t.ids[i], t.ids[j] = t.ids[j], t.ids[i]
	t.score[i], t.score[j] = t.score[j], t.score[i]
}

func (t *top) scores() map[int64]float64 {
	m := make(map[int64]float64, len(t.ids))
	for i, id := range t.ids {
		m[id] = t.score[i]
	}
	return m
}
