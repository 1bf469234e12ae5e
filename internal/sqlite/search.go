package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"orihon/internal/score"
	"orihon/internal/terms"
	"orihon/memory"
)

// Search finds candidates in legs (own text, neighbours, triggers, times, all statements
// where they are few, and vectors) and gives every one of them its score on every leg,
// whether the index or the pending batch holds it.
func (x *Index) Search(ctx context.Context, asked memory.Search) (_ memory.Candidates, err error) {
	defer faults(&err)()
	read, err := x.snapshot(ctx)
	if err != nil {
		return memory.Candidates{}, fmt.Errorf("index %s: %w", x.path, err)
	}
	defer x.end(read)
	// Every query is short: the context is looked at between them, which spares
	// each of them to watch it.
	stopped := ctx.Err
	ctx = context.WithoutCancel(ctx)
	s := &search{x: x, read: read, asked: score.Defaults(asked), prompt: terms.Prepare(asked.Text), pending: x.pending.Load(), passes: make(map[int64]passage), few: new(few)}
	if asked.Instead != nil {
		over, err := x.prepareBatch(ctx, asked.Instead)
		if err != nil {
			return memory.Candidates{}, fmt.Errorf("index %s: %w", x.path, err)
		}
		s.pending = s.pending.Under(over)
	}
	if s.meta, err = queryMeta(ctx, read); err != nil {
		return memory.Candidates{}, fmt.Errorf("index %s: %w", x.path, err)
	}
	total := readTotals(s.meta)
	df, err := s.documentFrequencies(ctx)
	if err != nil {
		return memory.Candidates{}, fmt.Errorf("index %s: document frequencies: %w", x.path, err)
	}
	if err := s.withoutOwn(ctx, df, &total); err != nil {
		return memory.Candidates{}, fmt.Errorf("index %s: the session's own turns: %w", x.path, err)
	}
	s.pending.Count(&asked, df, &total)
	s.query = score.NewQuery(s.asked, df, total)
	out := memory.Candidates{N: total.Passages, Stated: total.Stated, DF: df}

	if err := s.match(ctx); err != nil {
		return out, fmt.Errorf("index %s: text: %w", x.path, err)
	}
	ids := make(map[int64]bool)
	for _, leg := range []struct {
		name string
		find func() ([]int64, error)
	}{
		{"text", func() ([]int64, error) {
			return s.best(ctx, func(l score.Legs) float64 { return l.Own }, s.asked.Limit)
		}},
		{"neighbours", func() ([]int64, error) {
			if total.NearPassages == 0 {
				return nil, nil
			}
			return s.best(ctx, func(l score.Legs) float64 { return l.Near }, max(1, s.asked.Limit/2))
		}},
		{"triggers", func() ([]int64, error) { return s.byTrigger(ctx) }},
		{"times", func() ([]int64, error) { return s.byTime(ctx) }},
		{"statements", func() ([]int64, error) { return s.allStatements(ctx) }},
		{"vectors", func() ([]int64, error) { return s.byVector(ctx, ids) }}, // last: notes the cosines of what the others found
	} {
		if stopped() != nil {
			return out, stopped()
		}
		more, err := leg.find()
		if err != nil {
			if errors.Is(err, errOtherEmbedder) {
				out.Degraded = append(out.Degraded, memory.OtherEmbedder)
				continue
			}
			x.log.Warn("index: leg left out", "leg", leg.name, "err", err)
			out.Degraded = append(out.Degraded, leg.name)
			continue
		}
		for _, id := range more {
			ids[id] = true
		}
	}
	if s.query.Vector != nil {
		out.Embedder, out.Usual = x.embed.ID(), s.usual
	}
	if err := s.collect(ctx, ids, &out); err != nil {
		return out, fmt.Errorf("index %s: %w", x.path, err)
	}
	s.pending.Search(s.query, &s.asked, s.prompt, &out)
	slices.SortFunc(out.Hits, func(a, b memory.Candidate) int { return cmp.Compare(a.Passage.ID, b.Passage.ID) })
	return out, nil
}

// search is one search of one state of the file.
type search struct {
	x       *Index
	read    *snapshot
	meta    map[string]string
	asked   memory.Search
	prompt  terms.Prepared // its text
	query   *score.Query
	pending *score.Pending
	matches *score.Matches
	cosines map[int64]float64 // by row
	usual   memory.Spread     // of cosines
	passes  map[int64]passage // by row: what is known of the filter
	stated  bool              // turns of conversations are left out
	few     *few
}

// few are the statements that pass the filter, where they are few beside the turns.
type few struct{ asked, known bool }

// mostFew is how many rows are asked about one by one before it is asked which the
// statements are.
const mostFew = 512

// passage is what a row is to a filter.
type passage uint8

const (
	hidden passage = iota
	statement
	turn
)

var _ score.Rows = (*search)(nil)

// documentFrequencies counts the passages that hold each term in their own
// text.
func (s *search) documentFrequencies(ctx context.Context) ([]int, error) {
	words := s.asked.Terms
	df := make([]int, len(words))
	if len(words) == 0 {
		return df, nil
	}
	at := make(map[string]int, len(words))
	for i, w := range words {
		at[w] = i
	}
	in, args := oneOf(words)
	return df, each(ctx, s.read, func(rows *sql.Rows) error {
		var term string
		var n int
		err := rows.Scan(&term, &n)
		if err == nil {
			df[at[term]] = n
		}
		return err
	}, `SELECT term, sum(n) FROM posting WHERE term IN `+in+` GROUP BY term`, args...)
}

// withoutOwn takes out of the statistics what the session that asks has said last: by
// its own prompt all of the prompt's words would be known.
func (s *search) withoutOwn(ctx context.Context, df []int, total *score.Totals) error {
	const latest = 4 // passages of the index
	session := s.asked.Filter.NotSession
	if session == "" {
		return nil
	}
	own, err := column[int64](ctx, s.read, `SELECT rowid FROM (SELECT rowid, turn, session FROM passage ORDER BY created DESC`+limit(latest)+`) WHERE turn = 1 AND session = ?`, session)
	if err != nil || len(own) == 0 {
		return err
	}
	in, args := oneOf(own)
	return visit(ctx, s.read, selection{`rowid, doc`, `body WHERE rowid IN ` + in, args}, func(row []driver.Value) error {
		_, doc, err := numbered(row)
		if err != nil {
			return err
		}
		var p memory.Passage
		if _, err := decodePassage(doc, &p); err != nil {
			return err
		}
		e := score.Prepare(&p)
		total.Add(e.Own, e.Near, false, -1)
		for i, w := range s.asked.Terms {
			if df[i] > 0 && slices.Contains(e.Own, w) {
				df[i]--
			}
		}
		return nil
	})
}

// match reads the postings of the query's words and scores what is in them.
func (s *search) match(ctx context.Context) error {
	s.matches = score.NewMatches(s.query)
	words := s.query.Words()
	if len(words) == 0 {
		return nil
	}
	in, args := oneOf(words)
	err := visit(ctx, s.read, selection{`block, data, term`, `posting WHERE term IN ` + in, args}, func(row []driver.Value) error {
		block, data, err := numbered(row)
		if err != nil {
			return err
		}
		term, _ := row[2].(string)
		s.matches.Add(term, block, slices.Clone(data))
		return nil
	})
	if err != nil {
		return err
	}
	blocks := s.matches.Blocks()
	if len(blocks) == 0 {
		return nil
	}
	lengths := make(map[int64]score.Lengths, len(blocks))
	in, args = oneOf(blocks)
	err = visit(ctx, s.read, selection{`block, data`, `length WHERE block IN ` + in, args}, func(row []driver.Value) error {
		block, data, err := numbered(row)
		lengths[block] = slices.Clone(data)
		return err
	})
	if err != nil {
		return err
	}
	return s.matches.Score(lengths)
}

// best returns the best of a leg. Where turns stand among them, there are as many
// statements besides: turns would take their places.
func (s *search) best(ctx context.Context, leg func(score.Legs) float64, limit int) ([]int64, error) {
	ids, err := s.matches.Best(ctx, s, leg, limit)
	if err != nil || s.asked.Filter.NoTurns || len(ids) < limit {
		return ids, err
	}
	stated := *s
	stated.stated = true
	if said, err := stated.Visible(ctx, ids); err != nil || len(said) == len(ids) {
		return ids, err
	}
	more, err := s.matches.Best(ctx, &stated, leg, limit)
	return append(ids, more...), err
}

// Visible implements [score.Rows]. The legs find much the same, and each row is asked
// about once.
func (s *search) Visible(ctx context.Context, ids []int64) ([]int64, error) {
	asked := make([]int64, 0, len(ids))
	for _, id := range ids {
		if _, known := s.passes[id]; !known {
			asked = append(asked, id)
		}
	}
	if err := s.lookFor(ctx, asked); err != nil {
		return nil, err
	}
	visible := make([]int64, 0, len(ids))
	for _, id := range ids {
		if p := s.passes[id]; p == statement || p == turn && !s.stated {
			visible = append(visible, id)
		}
	}
	slices.Sort(visible)
	return visible, nil
}

// lookFor finds out which rows pass the filter: of many that are to be statements by
// looking at all of these, where they are few. Else thousands of turns were asked about
// for each of them.
func (s *search) lookFor(ctx context.Context, ids []int64) error {
	if !s.stated || len(ids) <= mostFew {
		return s.look(ctx, ids)
	}
	if !s.few.asked {
		cond, args := where(&s.asked.Filter)
		all, err := column[int64](ctx, s.read, `SELECT p.rowid FROM passage p WHERE p.turn = 0 AND `+cond+limit(mostFew+1), args...)
		if err != nil {
			return err
		}
		s.few.asked, s.few.known = true, len(all) <= mostFew
		for _, id := range all {
			s.passes[id] = statement
		}
	}
	if s.few.known {
		return nil // the others are none
	}
	return s.look(ctx, ids)
}

// look finds out which rows pass the filter.
func (s *search) look(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	const most = 1024 // beyond, literals are read faster than arguments
	cond, args := where(&s.asked.Filter)
	in := "(" + list(ids) + ")"
	if len(ids) <= most {
		var named []any
		in, named = oneOf(ids)
		args = append(named, args...)
	}
	for _, id := range ids {
		s.passes[id] = hidden
	}
	return visit(ctx, s.read, selection{`p.rowid, p.turn`, `passage p WHERE p.rowid IN ` + in + ` AND ` + cond, args}, func(row []driver.Value) error {
		id, isRow := row[0].(int64)
		isTurn, isFlag := row[1].(int64)
		if !isRow || !isFlag {
			return fmt.Errorf("%w: a row of %T and %T, want numbers", memory.ErrStale, row[0], row[1])
		}
		s.passes[id] = statement
		if isTurn != 0 {
			s.passes[id] = turn
		}
		return nil
	})
}

// ByID implements [score.Rows].
func (s *search) ByID(ctx context.Context, ids []int64, n int) ([]int64, error) {
	return column[int64](ctx, s.read, `SELECT rowid FROM body WHERE rowid IN (`+list(ids)+`) ORDER BY id`+limit(n))
}

// All implements [score.VectorRows].
func (s *search) All(ctx context.Context) ([]int64, error) {
	cond, args := where(&s.asked.Filter)
	return column[int64](ctx, s.read, `SELECT p.rowid FROM passage p WHERE `+cond, args...)
}

// allStatements finds every statement that passes the filter, where they are few.
func (s *search) allStatements(ctx context.Context) ([]int64, error) {
	most := s.asked.Few
	if most == 0 {
		return nil, nil
	}
	cond, args := where(&s.asked.Filter)
	all, err := column[int64](ctx, s.read, `SELECT p.rowid FROM passage p WHERE p.turn = 0 AND `+cond+limit(most+1), args...)
	if len(all) > most {
		return nil, err
	}
	return all, err
}

// byTime finds what was created in a period that the prompt names.
func (s *search) byTime(ctx context.Context) ([]int64, error) {
	if len(s.asked.Times) == 0 {
		return nil, nil
	}
	var spans []string
	var all []any
	for _, t := range s.asked.Times {
		spans = append(spans, "p.created >= ? AND p.created < ?")
		all = append(all, unixNano(t.From), unixNano(t.To))
	}
	cond, args := where(&s.asked.Filter)
	query := `SELECT p.rowid FROM passage p JOIN body b ON b.rowid = p.rowid WHERE (` + strings.Join(spans, " OR ") + `) AND ` + cond + ` ORDER BY p.created, b.id` + limit(s.asked.Limit)
	return column[int64](ctx, s.read, query, append(all, args...)...)
}

// byTrigger finds what the prompt calls by name. The distinct trigger words are
// few beside the passages, so they are looked for in the prompt and not the
// other way round: a trigger may be a phrase, or a word within a run of CJK.
func (s *search) byTrigger(ctx context.Context) ([]int64, error) {
	if s.asked.Text == "" {
		return nil, nil
	}
	const most = 5000
	// In one row, since reading a row costs more than looking for its word.
	const between = "\x1f" // stands in no word
	all, err := column[string](ctx, s.read, `SELECT coalesce(group_concat(word, ?), '') FROM (SELECT DISTINCT word FROM word ORDER BY word`+limit(most)+`)`, between)
	if err != nil {
		return nil, err
	}
	var words []string
	for w := range strings.SplitSeq(strings.Join(all, between), between) {
		if s.prompt.Contains(w) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return nil, nil
	}
	in, named := oneOf(words)
	cond, args := where(&s.asked.Filter)
	query := `SELECT DISTINCT p.rowid FROM word w JOIN passage p ON p.rowid = w.passage JOIN body b ON b.rowid = p.rowid
	      WHERE w.word IN ` + in + ` AND ` + cond + ` ORDER BY b.id` + limit(s.asked.Limit)
	return column[int64](ctx, s.read, query, append(named, args...)...)
}

// collect reads the found passages and fills in every leg's figure.
func (s *search) collect(ctx context.Context, ids map[int64]bool, out *memory.Candidates) error {
	if len(ids) == 0 {
		return nil
	}
	rowids := make([]int64, 0, len(ids))
	for id := range ids {
		rowids = append(rowids, id)
	}
	matched, lengths := s.matches.Counts(ids)
	in, args := oneOf(rowids)
	out.Hits = make([]memory.Candidate, 0, len(ids))
	err := visit(ctx, s.read, selection{`rowid, doc`, `body WHERE rowid IN ` + in, args}, func(row []driver.Value) error {
		id, doc, err := numbered(row)
		if err != nil {
			return err
		}
		l := s.matches.Legs(id)
		c := memory.Candidate{Own: l.Own, Near: l.Near, Vector: s.cosines[id], Matched: matched[id], Length: lengths[id]}
		if c.Words, err = decodePassage(doc, &c.Passage); err != nil {
			return fmt.Errorf("row %d: %w", id, err)
		}
		if s.pending.Hides(&c.Passage) {
			return nil
		}
		c.Trigger = score.Called(&c.Passage, s.prompt)
		out.Hits = append(out.Hits, c)
		return nil
	})
	if err != nil {
		return err
	}
	return accesses(ctx, s.read, out.Hits)
}

func accesses(ctx context.Context, q queryer, hits []memory.Candidate) error {
	const most = 16
	if len(hits) == 0 {
		return nil
	}
	at := make(map[string]int, len(hits))
	ids := make([]string, len(hits))
	for i := range hits {
		ids[i] = hits[i].Passage.ID
		at[ids[i]] = i
	}
	in, args := oneOf(ids)
	err := each(ctx, q, func(rows *sql.Rows) error {
		var id string
		var ns int64
		if err := rows.Scan(&id, &ns); err != nil {
			return err
		}
		c := &hits[at[id]]
		if len(c.Accesses) < most {
			c.Accesses = append(c.Accesses, time.Unix(0, ns).UTC())
		}
		return nil
	}, `SELECT id, at FROM use WHERE id IN `+in+` ORDER BY id, at DESC`, args...)
	for i := range hits {
		slices.Reverse(hits[i].Accesses)
	}
	return err
}
