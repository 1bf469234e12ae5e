package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"orihon/internal/score"
	"orihon/memory"
)

// Passages yields the texts of all live passages, by ID. One at a time is held.
func (x *Index) Passages(ctx context.Context) iter.Seq2[memory.PassageText, error] {
	return func(yield func(memory.PassageText, error) bool) {
		stop := errors.New("stop")
		err := each(ctx, x.db, func(rows *sql.Rows) error {
			p, err := scanPassage(rows)
			if err == nil && !yield(memory.PassageText{ID: p.ID, Text: score.Text(&p), Turn: p.Conversation(), Session: p.Item.Metadata.Session, Line: p.Line}, nil) {
				err = stop
			}
			return err
		}, `SELECT b.doc FROM body b JOIN passage p ON p.rowid = b.rowid WHERE p.retired = 0 ORDER BY b.id`)
		if err != nil && !errors.Is(err, stop) {
			yield(memory.PassageText{}, fmt.Errorf("index %s: %w", x.path, err))
		}
	}
}
