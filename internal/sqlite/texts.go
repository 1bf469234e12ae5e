package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"iter"

	"orihon/internal/score"
	"orihon/memory"
)

// Passages yields the texts of all live passages, by ID. One at a time is held.
func (x *Index) Passages(ctx context.Context) iter.Seq2[memory.PassageText, error] {
	return func(yield func(memory.PassageText, error) bool) {
		fail := func(err error) { yield(memory.PassageText{}, fmt.Errorf("index %s: %w", x.path, err)) }
		rows, err := x.db.QueryContext(ctx, `SELECT b.doc FROM body b JOIN passage p ON p.rowid = b.rowid WHERE p.retired = 0 ORDER BY b.id`)
		if err != nil {
			fail(err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			var doc sql.RawBytes
			var p memory.Passage
			if err := rows.Scan(&doc); err != nil {
				fail(err)
				return
			}
			if err := decodePassage(doc, &p); err != nil {
				fail(err)
				return
			}
			if !yield(memory.PassageText{ID: p.ID, Text: score.Text(&p), Turn: p.Conversation(), Session: p.Item.Metadata.Session, Line: p.Line}, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			fail(err)
		}
	}
}
