package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"iter"

	"orihon/internal/score"
	"orihon/memory"
)

// Text is what a passage is embedded by, and where it was said.
type Text struct {
	ID, Text string
	Turn     bool // of a conversation, at Line of the journal of Session
	Session  string
	Line     int
}

// Passages yields the texts of all live passages, by ID. One at a time is held.
func (x *Index) Passages(ctx context.Context) iter.Seq2[Text, error] {
	return func(yield func(Text, error) bool) {
		fail := func(err error) { yield(Text{}, fmt.Errorf("index %s: %w", x.path, err)) }
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
			if !yield(Text{p.ID, score.Text(&p), p.Conversation(), p.Item.Metadata.Session, p.Line}, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			fail(err)
		}
	}
}
