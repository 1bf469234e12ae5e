package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"

	"orihon/internal/score"
	"orihon/memory"
)

// Fetch returns passages by ID, or all that pass the filter, as the index or
// the pending batch has them.
func (x *Index) Fetch(ctx context.Context, f memory.Filter, ids ...string) (_ []memory.Passage, err error) {
	defer faults(&err)()
	pending := x.pending.Load()
	cond, args := where(&f)
	if len(ids) > 0 {
		in, named := oneOf(ids)
		cond, args = `b.id IN `+in+` AND `+cond, append(named, args...)
	}
	read, err := x.passages(ctx, "", cond, args)
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", x.path, err)
	}
	found := slices.DeleteFunc(read, func(p memory.Passage) bool { return pending.Hides(&p) })
	for _, p := range pending.Matching(&f) {
		if len(ids) == 0 || slices.Contains(ids, p.ID) {
			found = append(found, p)
		}
	}
	if len(ids) == 0 {
		slices.SortFunc(found, newestFirst)
		return found, nil
	}
	slices.SortFunc(found, func(a, b memory.Passage) int {
		return cmp.Compare(slices.Index(ids, a.ID), slices.Index(ids, b.ID))
	})
	return found, nil
}

// Newest returns the n passages created last of those that pass the filter,
// newest first, as the index or the pending batch has them. It reads no others
// where the filter asks for episodes, for what is settled or for directives alone,
// and else those that are newer.
func (x *Index) Newest(ctx context.Context, f memory.Filter, n int) (_ []memory.Passage, err error) {
	defer faults(&err)()
	if n <= 0 {
		return nil, nil
	}
	pending := x.pending.Load()
	cond, args := where(&f)
	index := ""
	switch { // as the indexes have it; SQLite would go through all statements
	case slices.Equal(f.Kinds, []memory.Kind{memory.Episodic}):
		index, cond = "passage_episode", "p.kind = 'episodic' AND "+cond
	case slices.Equal(f.Tiers, []memory.Tier{memory.Settled}):
		index, cond = "passage_settled", "p.tier = 'settled' AND "+cond
	case slices.Equal(f.Topics, []memory.Topic{memory.Preference, memory.Pitfall, memory.Decision, memory.Procedure}):
		index, cond = "passage_directive", "p.topic IN ('preference','pitfall','decision','procedure') AND "+cond
	}
	var found []memory.Passage
	for most := n; ; most *= 4 {
		read, err := x.passages(ctx, index, cond+" ORDER BY p.created DESC"+limit(most), args)
		if err != nil {
			return nil, fmt.Errorf("index %s: %w", x.path, err)
		}
		found = slices.DeleteFunc(read[:len(read):len(read)], func(p memory.Passage) bool { return pending.Hides(&p) })
		if len(found) >= n || len(read) < most {
			break
		}
	}
	found = append(found, pending.Matching(&f)...)
	slices.SortFunc(found, newestFirst)
	return found[:min(len(found), n)], nil
}

// newestFirst orders passages as lists of them are.
func newestFirst(a, b memory.Passage) int {
	if c := b.Item.Metadata.CreatedAt.Compare(a.Item.Metadata.CreatedAt); c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

// passages reads those that meet a condition, by an index or, when it is empty, by the
// one that SQLite chooses.
func (x *Index) passages(ctx context.Context, index, cond string, args []any) ([]memory.Passage, error) {
	if index != "" {
		index = "INDEXED BY " + index
	}
	var out []memory.Passage
	err := each(ctx, x.db, func(rows *sql.Rows) error {
		p, err := scanPassage(rows)
		out = append(out, p)
		return err
	}, `SELECT b.doc FROM passage p `+index+` JOIN body b ON b.rowid = p.rowid WHERE `+cond, args...)
	return out, err
}

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
