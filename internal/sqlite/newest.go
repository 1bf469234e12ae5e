package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"orihon/memory"
)

// Newest returns the n passages created last of those that pass the filter,
// newest first, as the index or the pending batch has them. It reads no others
// where the filter asks for episodes alone, and else those that are newer.
func (x *Index) Newest(ctx context.Context, f memory.Filter, n int) (_ []memory.Passage, err error) {
	defer faults(&err)()
	if n <= 0 {
		return nil, nil
	}
	pending := x.pending.Load()
	cond, args := where(&f)
	if slices.Equal(f.Kinds, []memory.Kind{memory.Episodic}) {
		cond = "p.kind = 'episodic' AND " + cond // as index passage_episode has it
	}
	var found []memory.Passage
	for most := n; ; most *= 4 {
		read, err := x.newest(ctx, cond, args, most)
		if err != nil {
			return nil, fmt.Errorf("index %s: %w", x.path, err)
		}
		found = slices.DeleteFunc(read[:len(read):len(read)], func(p memory.Passage) bool { return pending.hides(&p) })
		if len(found) >= n || len(read) < most {
			break
		}
	}
	if pending != nil {
		for i := range pending.rows {
			if p := &pending.rows[i].passage; f.Match(p) {
				found = append(found, *p)
			}
		}
	}
	slices.SortFunc(found, func(a, b memory.Passage) int {
		if c := b.Item.Metadata.CreatedAt.Compare(a.Item.Metadata.CreatedAt); c != 0 {
			return c
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return found[:min(len(found), n)], nil
}

func (x *Index) newest(ctx context.Context, cond string, args []any, n int) ([]memory.Passage, error) {
	rows, err := x.db.QueryContext(ctx, `SELECT b.doc FROM passage p JOIN body b ON b.rowid = p.rowid WHERE `+cond+` ORDER BY p.created DESC`+limit(n), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []memory.Passage
	for rows.Next() {
		var doc sql.RawBytes
		var p memory.Passage
		if err := rows.Scan(&doc); err != nil {
			return nil, err
		}
		if err := decodePassage(doc, &p); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, rows.Err()
}
