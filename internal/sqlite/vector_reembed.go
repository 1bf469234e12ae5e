package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"orihon/internal/jsonl"
	"orihon/internal/score"
	"orihon/memory"
)

const reembedSuffix = ".reembed.lock"

// Reembed makes vectors of every passage by e and then lets them serve in the
// place of those there were; until then searches use the old ones. With the
// serving embedder it makes what is missing, such as of passages that were
// applied while the embedder was out of order. Dimensions may differ.
//
// Vectors are made in batches, each written in a transaction of its own, so
// that readers never wait and writers only shortly. When Reembed ends early, by
// an error, by ctx or by force, nothing has changed for readers, and the next
// call with the same embedder goes on where it stopped. One call works at a
// time; others return [memory.ErrBusy] at once.
//
// progress, which may be nil, is told after each batch how many of the passages
// have their vector. To search with the new vectors the index must be opened
// with e.
func (x *Index) Reembed(ctx context.Context, e memory.Embedder, progress func(done, total int)) error {
	unlock, free, err := jsonl.TryLock(x.path + reembedSuffix)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	if !free {
		return fmt.Errorf("index %s: re-embedding: %w", x.path, memory.ErrBusy)
	}
	defer unlock()
	if progress == nil {
		progress = func(int, int) {}
	}
	if err := x.reembed(ctx, e, progress); err != nil {
		return fmt.Errorf("index %s: re-embed with %s: %w", x.path, e.ID(), err)
	}
	return nil
}

func (x *Index) reembed(ctx context.Context, e memory.Embedder, progress func(done, total int)) error {
	if err := x.beginGeneration(ctx, e.ID()); err != nil {
		return err
	}
	for {
		// What is written meanwhile is found in the next round.
		missing, total, err := x.unembedded(ctx, e.ID())
		if err != nil {
			return err
		}
		if len(missing) == 0 {
			done, err := x.serve(ctx, e.ID())
			if done || err != nil {
				return err
			}
			continue
		}
		const batch = 256
		for done := 0; done < len(missing); {
			part := missing[done:min(len(missing), done+batch)]
			if err := x.embedPart(ctx, e, part); err != nil {
				return err
			}
			done += len(part)
			progress(total-len(missing)+done, total)
		}
	}
}

// openVectors reads which generations there are, for writing vectors of the
// given embedder.
func openVectors(ctx context.Context, q queryer, embedder string) (*vectorWriter, error) {
	meta, err := queryMeta(ctx, q)
	if err != nil {
		return nil, err
	}
	return newVectorWriter(meta, embedder)
}

// generation returns the one that holds the vectors of the embedder.
func (w *vectorWriter) generation() *generation {
	for _, g := range []*generation{w.serving, w.next} {
		if g != nil && g.Embedder == w.embedder {
			return g
		}
	}
	return nil
}

// beginGeneration makes sure that there is one for the embedder, and none that
// nobody works at.
func (x *Index) beginGeneration(ctx context.Context, embedder string) error {
	return x.transact(ctx, func(tx *sql.Tx) error {
		w, err := openVectors(ctx, tx, embedder)
		if err != nil {
			return err
		}
		if w.next != nil && w.next.Embedder != embedder {
			if err := w.next.drop(ctx, tx); err != nil {
				return err
			}
			w.next = nil
		}
		if w.generation() == nil {
			w.next = &generation{N: w.serving.N + 1, Embedder: embedder}
		}
		return writeGeneration(ctx, tx, nextKey, w.next)
	})
}

// unembedded lists the rows of the passages that lack a vector of the embedder,
// and counts all that should have one.
func (x *Index) unembedded(ctx context.Context, embedder string) (missing []int64, total int, err error) {
	tx, err := x.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, 0, err
	}
	defer tx.Rollback()
	w, err := openVectors(ctx, tx, embedder)
	if err != nil {
		return nil, 0, err
	}
	g := w.generation()
	if g == nil {
		return nil, 0, errReplaced
	}
	return g.unembedded(ctx, tx)
}

// errReplaced means that the generation worked at is gone: the index was built
// anew in between.
var errReplaced = errors.New("the index was rebuilt meanwhile")

func (g *generation) unembedded(ctx context.Context, tx *sql.Tx) (missing []int64, total int, err error) {
	has, err := g.states(ctx, tx)
	if err != nil {
		return nil, 0, err
	}
	err = visit(ctx, tx, selection{`rowid`, `passage WHERE retired = 0`, nil}, func(row []driver.Value) error {
		id, _ := row[0].(int64)
		if total++; id >= int64(len(has)) || has[id] == 0 {
			missing = append(missing, id)
		}
		return nil
	})
	slices.Sort(missing)
	return missing, total, err
}

// states returns the state of every slot, by row.
func (g *generation) states(ctx context.Context, tx *sql.Tx) ([]byte, error) {
	if g.Dim == 0 {
		return nil, nil
	}
	l := newLayout(g.Dim)
	first := g.N << generationBits
	var out []byte
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var chunk int64
		var data sql.RawBytes
		if err := rows.Scan(&chunk, &data); err != nil {
			return err
		}
		at := int(chunk-first) * l.codeSlots
		if n := at + l.codeSlots; n > len(out) {
			out = append(out, make([]byte, n-len(out))...)
		}
		copy(out[at:], data)
		return nil
	}, `SELECT chunk, substr(data, 1, ?) FROM code WHERE chunk >= ? AND chunk < ?`, l.codeSlots, first, first+1<<generationBits)
	return out, err
}

// embedPart makes the vectors of some rows. The embedder is asked between
// transactions; a passage that changed meanwhile is left for the next round.
func (x *Index) embedPart(ctx context.Context, e memory.Embedder, rowids []int64) error {
	read, err := readBodies(ctx, x.db, rowids)
	if err != nil || len(read) == 0 {
		return err
	}
	texts := make([]string, len(read))
	for i := range read {
		texts[i] = score.Meaning(&read[i].passage)
	}
	vectors, err := score.Embed(ctx, e, texts)
	if err != nil {
		return err
	}
	return x.transact(ctx, func(tx *sql.Tx) error {
		w, err := openVectors(ctx, tx, e.ID())
		if err != nil {
			return err
		}
		g := w.generation()
		if g == nil {
			return errReplaced
		}
		now, err := readBodies(ctx, tx, rowids)
		if err != nil {
			return err
		}
		sums := make(map[int64]string, len(now))
		for i := range now {
			sums[now[i].rowid] = now[i].sum
		}
		for i := range read {
			b := &read[i]
			if sums[b.rowid] != b.sum {
				continue
			}
			if err := w.setIn(ctx, tx, g, passageVector{b.rowid, vectors[i], b.passage.Conversation()}); err != nil {
				return err
			}
		}
		if w.misfit != nil {
			return w.misfit
		}
		return w.flush(ctx, tx)
	})
}

// body is a passage that has to have a vector.
type body struct {
	rowid   int64
	sum     string
	passage memory.Passage
}

// readBodies reads those of the rows that are still to have a vector. A row
// without a body is damage: it would be asked for again and again.
func readBodies(ctx context.Context, q queryer, rowids []int64) ([]body, error) {
	out := make([]body, 0, len(rowids))
	err := each(ctx, q, func(rows *sql.Rows) error {
		var b body
		var doc sql.RawBytes
		if err := rows.Scan(&b.rowid, &b.sum, &doc); err != nil {
			return err
		}
		if doc == nil {
			return fmt.Errorf("%w: passage %d has no text", memory.ErrStale, b.rowid)
		}
		if _, err := decodePassage(doc, &b.passage); err != nil {
			return fmt.Errorf("row %d: %w", b.rowid, err)
		}
		out = append(out, b)
		return nil
	}, `SELECT p.rowid, coalesce(b.sum, ''), b.doc FROM passage p LEFT JOIN body b ON b.rowid = p.rowid WHERE p.retired = 0 AND p.rowid IN (`+list(rowids)+`)`)
	return out, err
}

// serve lets the generation of the embedder serve, unless passages without a
// vector have come since it was looked.
func (x *Index) serve(ctx context.Context, embedder string) (done bool, err error) {
	err = x.transact(ctx, func(tx *sql.Tx) error {
		w, err := openVectors(ctx, tx, embedder)
		if err != nil {
			return err
		}
		if w.serving.Embedder == embedder {
			done = true
			return nil
		}
		if w.next == nil || w.next.Embedder != embedder {
			return errReplaced
		}
		missing, _, err := w.next.unembedded(ctx, tx)
		if err != nil || len(missing) > 0 {
			return err
		}
		if err := w.serving.drop(ctx, tx); err != nil {
			return err
		}
		w.next.Version = w.serving.Version + 1
		done = true
		if err := writeGeneration(ctx, tx, servingKey, w.next); err != nil {
			return err
		}
		return writeGeneration(ctx, tx, nextKey, nil)
	})
	return done, err
}
