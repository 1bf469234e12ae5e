package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"orihon/internal/score"
	"orihon/memory"
)

// Apply carries the batch out in one transaction, after waiting for the turn
// of other writing processes. Passages that stand in the index unchanged are
// left alone, so that applying a whole file again costs little.
func (x *Index) Apply(ctx context.Context, b memory.Batch) error {
	if b.Empty() {
		return nil
	}
	if err := x.transact(ctx, func(tx *sql.Tx) error { return x.apply(ctx, tx, b) }); err != nil {
		return fmt.Errorf("index %s: %w", x.path, err)
	}
	return nil
}

func (x *Index) apply(ctx context.Context, tx *sql.Tx, b memory.Batch) error {
	w, err := newWriter(ctx, tx, x.embed.ID())
	if err != nil {
		return err
	}
	defer w.close()

	put := b.Last()
	kept := make(map[string]bool, len(put))
	for i := range put {
		kept[put[i].ID] = true
	}
	for _, path := range slices.Concat(b.Replace, b.Gone) {
		if err := w.removeFile(ctx, path, kept); err != nil {
			return err
		}
	}
	for _, path := range b.Gone {
		if _, err := tx.ExecContext(ctx, `DELETE FROM file WHERE path = ?`, path); err != nil {
			return err
		}
	}
	for _, id := range b.Remove {
		if !kept[id] {
			if err := w.remove(ctx, id); err != nil {
				return err
			}
		}
	}
	// A part at a time: a first index may hold more than fits in memory twice.
	const part = 2048
	for start := 0; start < len(put); start += part {
		changed, before, err := w.changed(ctx, put[start:min(len(put), start+part)])
		if err != nil {
			return err
		}
		entries := make([]*score.Entry, len(changed))
		for i := range changed {
			entries[i] = &changed[i].Entry
		}
		if err := x.embedEntries(ctx, entries); err != nil {
			return err
		}
		for i := range changed {
			if err := w.put(ctx, &changed[i], before[i]); err != nil {
				return fmt.Errorf("passage %s: %w", changed[i].Passage.ID, err)
			}
		}
	}
	for _, u := range b.Uses {
		if _, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO use VALUES (?, ?)`, u.ID, u.At.UnixNano()); err != nil {
			return err
		}
	}
	for _, f := range b.Files {
		if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?)`,
			f.Path, f.Kind, f.Size, unixNano(f.MTime), f.Hash, f.Offset, f.Mark); err != nil {
			return err
		}
	}
	if w.vectors.misfit != nil {
		x.log.Warn("index: passages have no vectors until they are embedded again", "path", x.path, "err", w.vectors.misfit)
	}
	return w.flush(ctx)
}

// writer carries the state of one transaction: prepared statements, and the
// counts that are written once at the end.
type writer struct {
	tx      *sql.Tx
	stmts   map[string]*sql.Stmt
	totals  score.Totals
	terms   postingWriter
	vectors *vectorWriter
}

func newWriter(ctx context.Context, tx *sql.Tx, embedder string) (*writer, error) {
	meta, err := queryMeta(ctx, tx)
	if err != nil {
		return nil, err
	}
	vectors, err := newVectorWriter(meta, embedder)
	if err != nil {
		return nil, err
	}
	t := readTotals(meta)
	if t.Passages == 0 {
		if err := vectors.adopt(ctx, tx); err != nil {
			return nil, err
		}
	}
	return &writer{tx: tx, stmts: make(map[string]*sql.Stmt), totals: t, terms: newPostingWriter(), vectors: vectors}, nil
}

func (w *writer) close() {
	for _, s := range w.stmts {
		s.Close()
	}
}

func (w *writer) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := w.stmts[query]; ok {
		return s, nil
	}
	s, err := w.tx.PrepareContext(ctx, query)
	if err == nil {
		w.stmts[query] = s
	}
	return s, err
}

func (w *writer) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := w.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

func (w *writer) removeFile(ctx context.Context, path string, keep map[string]bool) error {
	ids, err := column[string](ctx, w.tx, `SELECT id FROM body WHERE file = ?`, path)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if keep[id] {
			continue
		}
		if err := w.remove(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// old is what stands in the tables for a passage now.
type old struct {
	rowid     int64
	sum       []byte
	own, near string
	retired   bool
	stated    bool
}

// stated is true of a passage of which [memory.Passage.Stated] is.
const stated = `(NOT p.turn AND p.kind IN ('semantic', 'procedural'))`

func (w *writer) old(ctx context.Context, id string) (*old, error) {
	s, err := w.stmt(ctx, `SELECT b.rowid, b.sum, b.own, b.near, p.retired, `+stated+` FROM body b JOIN passage p ON p.rowid = b.rowid WHERE b.id = ?`)
	if err != nil {
		return nil, err
	}
	var o old
	err = s.QueryRowContext(ctx, id).Scan(&o.rowid, &o.sum, &o.own, &o.near, &o.retired, &o.stated)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &o, err
}

func (w *writer) remove(ctx context.Context, id string) error {
	o, err := w.old(ctx, id)
	if err != nil || o == nil {
		return err
	}
	if err := w.unsearch(ctx, o); err != nil {
		return err
	}
	for _, q := range []string{`DELETE FROM body WHERE rowid = ?`, `DELETE FROM passage WHERE rowid = ?`} {
		if _, err := w.exec(ctx, q, o.rowid); err != nil {
			return err
		}
	}
	return nil
}

// unsearch takes a passage out of all legs.
func (w *writer) unsearch(ctx context.Context, o *old) error {
	for _, q := range []string{`DELETE FROM word WHERE passage = ?`, `DELETE FROM tag WHERE passage = ?`} {
		if _, err := w.exec(ctx, q, o.rowid); err != nil {
			return err
		}
	}
	if o.retired {
		return nil
	}
	own, near := strings.Fields(o.own), splitNear(o.near)
	w.terms.set(o.rowid, own, near, false)
	if err := w.terms.setLength(ctx, w.tx, o.rowid, 0, 0); err != nil {
		return err
	}
	w.totals.Add(own, near, o.stated, -1)
	return w.vectors.set(ctx, w.tx, passageVector{rowid: o.rowid})
}

// changed returns rows of the passages that do not stand in the tables as they
// are, each with what stands there.
func (w *writer) changed(ctx context.Context, all []memory.Passage) (changed []row, before []*old, err error) {
	for i := range all {
		r, err := prepare(&all[i])
		if err != nil {
			return nil, nil, err
		}
		o, err := w.old(ctx, all[i].ID)
		if err != nil {
			return nil, nil, err
		}
		if o == nil || string(o.sum) != string(r.sum[:]) {
			changed, before = append(changed, r), append(before, o)
		}
	}
	return changed, before, nil
}

// put writes a row in the place of what stands in the tables for its passage;
// o is nil when it is new.
func (w *writer) put(ctx context.Context, r *row, o *old) error {
	var rowid any
	if o != nil {
		if err := w.unsearch(ctx, o); err != nil {
			return err
		}
		rowid = o.rowid
	}
	p := &r.Passage
	res, err := w.exec(ctx, `INSERT OR REPLACE INTO passage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		rowid, string(p.Item.Scope), string(p.Item.Kind), string(p.Item.Topic), string(p.Item.Tier), p.Item.Metadata.Confidence,
		unixNano(p.Item.Metadata.CreatedAt), unixNano(p.Item.ValidFrom), unixNano(p.Item.ValidTo),
		p.SupersededBy != "", p.Retired, p.Conversation(), p.Item.Metadata.Session)
	if err != nil {
		return err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return err
	}
	if _, err := w.exec(ctx, `INSERT OR REPLACE INTO body VALUES (?, ?, ?, ?, ?, ?, ?)`, id, p.ID, p.Source, r.sum[:], r.doc, strings.Join(r.Own, " "), r.nearText()); err != nil {
		return err
	}
	for _, t := range p.Item.Metadata.Tags {
		if _, err := w.exec(ctx, `INSERT OR IGNORE INTO tag VALUES (?, ?)`, t, id); err != nil {
			return err
		}
	}
	if p.Retired {
		return nil
	}
	w.terms.set(id, r.Own, r.Near, true)
	if err := w.terms.setLength(ctx, w.tx, id, len(r.Own), score.ContextLength(len(r.Own), r.Near)); err != nil {
		return err
	}
	w.totals.Add(r.Own, r.Near, p.Stated(), 1)
	if w.terms.n > maxChanges {
		if err := w.terms.flush(ctx, w.tx); err != nil {
			return err
		}
	}
	for _, t := range r.triggers() {
		if _, err := w.exec(ctx, `INSERT OR IGNORE INTO word VALUES (?, ?)`, t, id); err != nil {
			return err
		}
	}
	return w.vectors.set(ctx, w.tx, passageVector{id, r.Vector, p.Conversation()})
}

func (w *writer) flush(ctx context.Context) error {
	if err := w.vectors.flush(ctx, w.tx); err != nil {
		return err
	}
	if err := w.terms.flush(ctx, w.tx); err != nil {
		return err
	}
	for key, n := range map[string]int{
		"passages": w.totals.Passages, "own_terms": w.totals.OwnTerms,
		"near_terms": w.totals.NearTerms, "near_passages": w.totals.NearPassages,
		"stated": w.totals.Stated,
	} {
		if _, err := w.tx.ExecContext(ctx, `INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, strconv.Itoa(n)); err != nil {
			return err
		}
	}
	return nil
}
