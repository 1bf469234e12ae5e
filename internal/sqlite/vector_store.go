package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"

	"orihon/internal/score"
	"orihon/memory"
)

// How vectors stand in the file. A generation is the vectors of one embedder.
// Each has two tables' worth of rows, both by passage: the codes, which a
// search reads from end to end, in large rows, and the vectors, of which it
// reads some hundred, in rows that fit a page. Every row ends in its checksum.
//
//	code  slots × state, slots × code
//	vec   slots × (scale, float32; a byte a dimension)

// generation describes the vectors of one embedder, in the meta table.
type generation struct {
	N        int64  `json:"n"` // distinguishes the rows of generations
	Embedder string `json:"embedder"`
	Dim      int    `json:"dim"`     // 0 until there is a vector
	Held     int    `json:"held"`    // passages that have a vector, be it of nothing
	Version  int64  `json:"version"` // counts the transactions that changed it

	changed bool // by this transaction
}

const (
	servingKey = "vectors"      // meta: the generation that is searched
	nextKey    = "vectors_next" // meta: the one that is to replace it
)

// State of a slot in a row of codes.
const (
	slotHeld  = 1 << iota // it has a vector
	slotBlank             // its text has the vector of nothing
	slotTurn              // the passage is a turn of a conversation
)

// generationBits is the room for row numbers within a generation.
const generationBits = 40

// layout says how many passages share a row.
type layout struct{ padded, codeSlots, vecSlots int }

func newLayout(dim int) layout {
	const (
		codeBytes = 20 << 10 // rewritten when one passage changes
		vecBytes  = 4000     // what SQLite keeps on one page of 4096
	)
	n := score.PaddedDim(dim)
	return layout{padded: n, codeSlots: powerOfTwo(codeBytes / (1 + score.CodeSize(n))), vecSlots: powerOfTwo(vecBytes / (4 + n))}
}

func powerOfTwo(most int) int {
	n := 1
	for 2*n <= most {
		n *= 2
	}
	return n
}

const sumSize = 4 // CRC-32, IEEE

func (l layout) codeRow() int { return l.codeSlots*(1+score.CodeSize(l.padded)) + sumSize }
func (l layout) vecRow() int  { return l.vecSlots*(4+l.padded) + sumSize }

// checked returns the content of a row, or an error that asks for a rebuild.
func checked(data []byte, size int) ([]byte, error) {
	if len(data) != size {
		return nil, fmt.Errorf("%w: vectors: a row of %d bytes, want %d", memory.ErrStale, len(data), size)
	}
	body := data[:size-sumSize]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(data[size-sumSize:]) {
		return nil, fmt.Errorf("%w: vectors: a row is broken", memory.ErrStale)
	}
	return body, nil
}

func readGeneration(meta map[string]string, key string) (*generation, error) {
	text, ok := meta[key]
	if !ok {
		return nil, nil
	}
	var g generation
	if err := json.Unmarshal([]byte(text), &g); err != nil || g.Dim < 0 || g.Dim > 1<<16 || g.N < 0 {
		return nil, fmt.Errorf("%w: %s is %q", memory.ErrStale, key, text)
	}
	return &g, nil
}

func writeGeneration(ctx context.Context, tx *sql.Tx, key string, g *generation) error {
	if g == nil {
		_, err := tx.ExecContext(ctx, `DELETE FROM meta WHERE key = ?`, key)
		return err
	}
	text, err := json.Marshal(g)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO meta VALUES (?, ?)`, key, string(text))
	return err
}

// drop erases the vectors of a generation.
func (g *generation) drop(ctx context.Context, tx *sql.Tx) error {
	for _, q := range []string{`DELETE FROM code WHERE chunk >= ? AND chunk < ?`, `DELETE FROM vec WHERE chunk >= ? AND chunk < ?`} {
		if _, err := tx.ExecContext(ctx, q, g.N<<generationBits, (g.N+1)<<generationBits); err != nil {
			return err
		}
	}
	return nil
}

// vectorWriter gathers the changes of a transaction to the vectors, so that
// each row is read and written once.
type vectorWriter struct {
	embedder      string // whose vectors are written
	serving, next *generation
	rows          map[vectorRow][]byte
	size          int   // bytes in rows
	misfit        error // a vector was left out for its dimension
}

// vectorRow names a row of one of the two tables.
type vectorRow struct {
	table string
	chunk int64
}

func newVectorWriter(meta map[string]string, embedder string) (*vectorWriter, error) {
	serving, err := readGeneration(meta, servingKey)
	if err != nil {
		return nil, err
	}
	if serving == nil {
		return nil, fmt.Errorf("%w: it names no embedder", memory.ErrStale)
	}
	next, err := readGeneration(meta, nextKey)
	return &vectorWriter{embedder: embedder, serving: serving, next: next, rows: make(map[vectorRow][]byte)}, err
}

// adopt lets the writer's embedder serve an index that holds no passages.
func (w *vectorWriter) adopt(ctx context.Context, tx *sql.Tx) error {
	if w.serving.Embedder == w.embedder || w.next != nil {
		return nil
	}
	if err := w.serving.drop(ctx, tx); err != nil {
		return err
	}
	w.serving = &generation{N: w.serving.N, Embedder: w.embedder, Version: w.serving.Version, changed: true}
	return nil
}

// row returns a row for changing; nil when it is missing and need not be made.
func (w *vectorWriter) row(ctx context.Context, tx *sql.Tx, name vectorRow, size int, create bool) ([]byte, error) {
	if data, ok := w.rows[name]; ok {
		return data, nil
	}
	var data []byte
	err := tx.QueryRowContext(ctx, `SELECT data FROM `+name.table+` WHERE chunk = ?`, name.chunk).Scan(&data)
	switch {
	case errors.Is(err, sql.ErrNoRows) && !create:
		return nil, nil
	case errors.Is(err, sql.ErrNoRows):
		data = make([]byte, size)
	case err != nil:
		return nil, err
	default:
		if _, err := checked(data, size); err != nil {
			return nil, err
		}
	}
	w.rows[name] = data
	w.size += size
	return data, nil
}

// passageVector is what the index holds of one passage; nil clears it.
type passageVector struct {
	rowid  int64
	vector *score.Vector
	turn   bool
}

// set writes the vector of a passage into the generation of its embedder and
// clears it in the other, which Reembed then fills; nil clears both.
func (w *vectorWriter) set(ctx context.Context, tx *sql.Tx, p passageVector) error {
	for _, g := range []*generation{w.serving, w.next} {
		if g == nil {
			continue
		}
		mine := p
		if g.Embedder != w.embedder {
			mine.vector = nil
		}
		if err := w.setIn(ctx, tx, g, mine); err != nil {
			return err
		}
	}
	return nil
}

func (w *vectorWriter) setIn(ctx context.Context, tx *sql.Tx, g *generation, p passageVector) error {
	v, rowid := p.vector, p.rowid
	if g.Dim == 0 {
		if v == nil {
			return nil
		}
		g.Dim = v.Dim
	}
	if v != nil && v.Dim != g.Dim {
		w.misfit = fmt.Errorf("embedder %s gives %d dimensions, gave %d before", g.Embedder, v.Dim, g.Dim)
		v = nil
	}
	l := newLayout(g.Dim)
	first := g.N << generationBits
	codes, err := w.row(ctx, tx, vectorRow{"code", first + rowid/int64(l.codeSlots)}, l.codeRow(), v != nil)
	if err != nil || codes == nil {
		return err
	}
	slot := int(rowid % int64(l.codeSlots))
	before, after := codes[slot], slotState(v, p.turn)
	if before == 0 && after == 0 {
		return nil
	}
	g.changed = true
	g.Held += holds(after) - holds(before)
	codes[slot] = after
	code := codes[l.codeSlots+slot*score.CodeSize(l.padded):][:score.CodeSize(l.padded)]
	clear(code)
	data, err := w.row(ctx, tx, vectorRow{"vec", first + rowid/int64(l.vecSlots)}, l.vecRow(), true)
	if err != nil {
		return err
	}
	at := data[int(rowid%int64(l.vecSlots))*(4+l.padded):][:4+l.padded]
	clear(at)
	if after&slotHeld != 0 {
		v.Code(code[:0])
		binary.LittleEndian.PutUint32(at, math.Float32bits(v.Scale))
		for i, x := range v.Q {
			at[4+i] = byte(x)
		}
	}
	const most = 32 << 20 // bytes gathered by a large transaction
	if w.size > most {
		return w.flushRows(ctx, tx)
	}
	return nil
}

func slotState(v *score.Vector, turn bool) byte {
	switch {
	case v == nil:
		return 0
	case v.Scale == 0:
		return slotBlank
	case turn:
		return slotHeld | slotTurn
	}
	return slotHeld
}

func holds(state byte) int {
	if state == 0 {
		return 0
	}
	return 1
}

func (w *vectorWriter) flushRows(ctx context.Context, tx *sql.Tx) error {
	// In the order of the tables, so that their pages are visited once.
	names := slices.SortedFunc(maps.Keys(w.rows), func(a, b vectorRow) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(a.chunk, b.chunk))
	})
	for _, name := range names {
		data := w.rows[name]
		end := len(data) - sumSize
		binary.LittleEndian.PutUint32(data[end:], crc32.ChecksumIEEE(data[:end]))
		if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO `+name.table+` VALUES (?, ?)`, name.chunk, data); err != nil {
			return err
		}
	}
	clear(w.rows)
	w.size = 0
	return nil
}

// flush writes what was gathered, and the generations.
func (w *vectorWriter) flush(ctx context.Context, tx *sql.Tx) error {
	if err := w.flushRows(ctx, tx); err != nil {
		return err
	}
	for key, g := range map[string]*generation{servingKey: w.serving, nextKey: w.next} {
		if g == nil || !g.changed {
			continue
		}
		g.Version++
		if err := writeGeneration(ctx, tx, key, g); err != nil {
			return err
		}
	}
	return nil
}
