package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"orihon/internal/terms"
	"orihon/memory"
)

// Search finds candidates in four legs (own text, neighbours, triggers,
// vectors) and gives every one of them its score on every leg, whether the
// index or the pending batch holds it.
func (x *Index) Search(ctx context.Context, s memory.Search) (_ memory.Candidates, err error) {
	defer faults(&err)()
	if s.Limit <= 0 {
		s.Limit = 200
	}
	if s.MaxTerms <= 0 {
		s.MaxTerms = 12
	}
	if s.CommonShare <= 0 {
		s.CommonShare = 0.3
	}
	read, err := x.snapshot(ctx)
	if err != nil {
		return memory.Candidates{}, fmt.Errorf("index %s: %w", x.path, err)
	}
	defer x.end(read)
	// Every query is short: the context is looked at between them, which spares
	// each of them to watch it.
	stopped := ctx.Err
	ctx = context.WithoutCancel(ctx)
	meta, err := queryMeta(ctx, read)
	if err != nil {
		return memory.Candidates{}, fmt.Errorf("index %s: %w", x.path, err)
	}
	total := readTotals(meta)
	df, err := documentFrequencies(ctx, read, s.Terms)
	if err != nil {
		return memory.Candidates{}, fmt.Errorf("index %s: document frequencies: %w", x.path, err)
	}
	pending := x.pending.Load()
	pending.count(s.Terms, df, &total)
	sc := newScorer(s, df, total)
	out := memory.Candidates{N: total.passages, DF: df}

	text, err := scan(ctx, read, sc)
	if err != nil {
		return out, fmt.Errorf("index %s: text: %w", x.path, err)
	}
	ids := make(map[int64]bool)
	for _, leg := range []struct {
		name string
		find func() ([]int64, error)
	}{
		{"text", func() ([]int64, error) {
			return best(ctx, read, text, func(l legs) float64 { return l.own }, &s.Filter, s.Limit)
		}},
		{"neighbours", func() ([]int64, error) {
			if total.nearPassages == 0 {
				return nil, nil
			}
			return best(ctx, read, text, func(l legs) float64 { return l.near }, &s.Filter, s.Limit/2)
		}},
		{"triggers", func() ([]int64, error) { return byTrigger(ctx, read, s) }},
		{"times", func() ([]int64, error) { return byTime(ctx, read, s) }},
		{"vectors", func() ([]int64, error) { return x.byVector(ctx, read, meta, sc, s, ids) }},
	} {
		if stopped() != nil {
			return out, stopped()
		}
		more, err := leg.find()
		if err != nil {
			if errors.Is(err, errOtherEmbedder) {
				out.Degraded = append(out.Degraded, OtherEmbedder)
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
	if sc.vector != nil {
		out.Embedder = x.embed.ID()
	}
	if err := collect(ctx, read, sc, s, text, pending, ids, &out); err != nil {
		return out, fmt.Errorf("index %s: %w", x.path, err)
	}
	pending.search(sc, s, &out)
	slices.SortFunc(out.Hits, func(a, b memory.Candidate) int { return cmp.Compare(a.Passage.ID, b.Passage.ID) })
	return out, nil
}

// documentFrequencies counts the passages that hold each term in their own
// text.
func documentFrequencies(ctx context.Context, q queryer, words []string) ([]int, error) {
	df := make([]int, len(words))
	if len(words) == 0 {
		return df, nil
	}
	at := make(map[string]int, len(words))
	for i, w := range words {
		at[w] = i
	}
	in, args := oneOf(words)
	rows, err := q.QueryContext(ctx, `SELECT term, sum(n) FROM posting WHERE term IN `+in+` GROUP BY term`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var term string
		var n int
		if err := rows.Scan(&term, &n); err != nil {
			return nil, err
		}
		df[at[term]] = n
	}
	return df, rows.Err()
}

// where puts the filter into SQL over the passage table p.
func where(f *memory.Filter) (string, []any) {
	var cond []string
	var args []any
	add := func(c string, a ...any) { cond, args = append(cond, c), append(args, a...) }
	in := func(column string, n int, value func(int) string) {
		if n == 0 {
			return
		}
		for i := range n {
			args = append(args, value(i))
		}
		cond = append(cond, column+" IN (?"+strings.Repeat(",?", n-1)+")")
	}
	if len(f.Scopes) == 0 {
		add("0")
	}
	in("p.scope", len(f.Scopes), func(i int) string { return string(f.Scopes[i]) })
	in("p.kind", len(f.Kinds), func(i int) string { return string(f.Kinds[i]) })
	in("p.topic", len(f.Topics), func(i int) string { return string(f.Topics[i]) })
	in("p.tier", len(f.Tiers), func(i int) string { return string(f.Tiers[i]) })
	if n := len(f.Tags); n > 0 {
		for _, t := range f.Tags {
			args = append(args, t)
		}
		cond = append(cond, "EXISTS (SELECT 1 FROM tag WHERE tag.passage = p.rowid AND tag.tag IN (?"+strings.Repeat(",?", n-1)+"))")
	}
	if f.MinConfidence > 0 {
		add("p.confidence >= ?", f.MinConfidence)
	}
	if !f.Retired {
		add("p.retired = 0")
	}
	if f.NoTurns {
		add("p.turn = 0")
	}
	if f.NotSession != "" {
		add("NOT (p.turn = 1 AND p.session = ?)", f.NotSession)
	}
	if !f.Since.IsZero() {
		add("p.created >= ?", unixNano(f.Since))
	}
	if !f.Until.IsZero() {
		add("p.created <= ?", unixNano(f.Until))
	}
	switch {
	case f.AsOf.IsZero() && !f.Superseded:
		add("p.superseded = 0")
	case !f.AsOf.IsZero():
		at := unixNano(f.AsOf)
		if f.Present {
			add("(p.valid_from <= ? OR p.valid_from <= p.created)", at)
		} else {
			add("p.valid_from <= ?", at)
		}
		if f.Superseded {
			add("(p.superseded = 1 OR p.valid_to = 0 OR p.valid_to > ?)", at)
		} else {
			add("(p.valid_to > ? OR (p.valid_to = 0 AND p.superseded = 0))", at)
		}
	}
	return strings.Join(cond, " AND "), args
}

// byTime finds what was created in a period that the prompt names.
func byTime(ctx context.Context, q queryer, s memory.Search) ([]int64, error) {
	if len(s.Times) == 0 {
		return nil, nil
	}
	var spans []string
	var all []any
	for _, t := range s.Times {
		spans = append(spans, "p.created >= ? AND p.created < ?")
		all = append(all, unixNano(t.From), unixNano(t.To))
	}
	cond, args := where(&s.Filter)
	query := `SELECT p.rowid FROM passage p JOIN body b ON b.rowid = p.rowid WHERE (` + strings.Join(spans, " OR ") + `) AND ` + cond + ` ORDER BY p.created, b.id` + limit(s.Limit)
	return queryRowids(ctx, q, query, append(all, args...)...)
}

// byTrigger finds what the prompt calls by name. The distinct trigger words are
// few beside the passages, so they are looked for in the prompt and not the
// other way round: a trigger may be a phrase, or a word within a run of CJK.
func byTrigger(ctx context.Context, q queryer, s memory.Search) ([]int64, error) {
	if s.Text == "" {
		return nil, nil
	}
	const most = 5000
	// In one row, since reading a row costs more than looking for its word.
	const between = "\x1f" // stands in no word
	rows, err := q.QueryContext(ctx, `SELECT coalesce(group_concat(word, ?), '') FROM (SELECT DISTINCT word FROM word ORDER BY word`+limit(most)+`)`, between)
	if err != nil {
		return nil, err
	}
	all, err := onlyText(rows)
	if err != nil {
		return nil, err
	}
	prompt := terms.Prepare(s.Text)
	var words []string
	for w := range strings.SplitSeq(all, between) {
		if prompt.Contains(w) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return nil, nil
	}
	in, named := oneOf(words)
	cond, args := where(&s.Filter)
	query := `SELECT DISTINCT p.rowid FROM word w JOIN passage p ON p.rowid = w.passage JOIN body b ON b.rowid = p.rowid
	      WHERE w.word IN ` + in + ` AND ` + cond + ` ORDER BY b.id` + limit(s.Limit)
	return queryRowids(ctx, q, query, append(named, args...)...)
}

// limit is a literal: SQLite compiles a query anew whose limit is bound, since
// its plan may hang on it.
func limit(n int) string { return " LIMIT " + strconv.Itoa(n) }

// onlyText reads the one column of the one row.
func onlyText(rows *sql.Rows) (s string, err error) {
	defer rows.Close()
	if rows.Next() {
		err = rows.Scan(&s)
	}
	return s, errors.Join(err, rows.Err())
}

func queryRowids(ctx context.Context, q queryer, query string, args ...any) ([]int64, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, rows.Err()
}

func list(ids []int64) string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(id, 10))
	}
	return b.String()
}

// collect reads the found passages and fills in every leg's figure.
func collect(ctx context.Context, q queryer, sc *scorer, s memory.Search, text *found, pending *pending, ids map[int64]bool, out *memory.Candidates) error {
	if len(ids) == 0 {
		return nil
	}
	rowids := make([]int64, 0, len(ids))
	for id := range ids {
		rowids = append(rowids, id)
	}
	matched, lengths := text.matches(ids)
	in, args := oneOf(rowids)
	prompt := terms.Prepare(s.Text)
	out.Hits = make([]memory.Candidate, 0, len(ids))
	err := visit(ctx, q, `rowid, doc`, `FROM body WHERE rowid IN `+in, func(row []driver.Value) error {
		id, doc, err := numbered(row)
		if err != nil {
			return err
		}
		c := memory.Candidate{Vector: sc.cosine[id], Matched: matched[id], Length: lengths[id]}
		if id < int64(len(text.legs)) {
			c.Own, c.Near = text.legs[id].own, text.legs[id].near
		}
		if err := decodePassage(doc, &c.Passage); err != nil {
			return fmt.Errorf("row %d: %w", id, err)
		}
		if pending.hides(&c.Passage) {
			return nil
		}
		c.Trigger = called(&c.Passage, prompt)
		out.Hits = append(out.Hits, c)
		return nil
	}, args...)
	if err != nil {
		return err
	}
	return accesses(ctx, q, out.Hits)
}

// called reports whether a trigger or alias of the passage is in the prompt.
func called(p *memory.Passage, prompt terms.Prepared) bool {
	for _, list := range [][]string{p.Item.Triggers, p.Item.Aliases} {
		for _, t := range list {
			if prompt.Contains(t) {
				return true
			}
		}
	}
	return false
}

// Fetch returns passages by ID, or all that pass the filter, as the index or
// the pending batch has them.
func (x *Index) Fetch(ctx context.Context, f memory.Filter, ids ...string) (_ []memory.Passage, err error) {
	defer faults(&err)()
	pending := x.pending.Load()
	cond, args := where(&f)
	if len(ids) > 0 {
		cond = `b.id IN (?` + strings.Repeat(",?", len(ids)-1) + `) AND ` + cond
		named := make([]any, 0, len(ids)+len(args))
		for _, id := range ids {
			named = append(named, id)
		}
		args = append(named, args...)
	}
	rows, err := x.db.QueryContext(ctx, `SELECT b.doc FROM passage p JOIN body b ON b.rowid = p.rowid WHERE `+cond, args...)
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", x.path, err)
	}
	defer rows.Close()
	var found []memory.Passage
	for rows.Next() {
		var doc sql.RawBytes
		var p memory.Passage
		if err := rows.Scan(&doc); err != nil {
			return nil, fmt.Errorf("index %s: %w", x.path, err)
		}
		if err := decodePassage(doc, &p); err != nil {
			return nil, fmt.Errorf("index %s: %w", x.path, err)
		}
		if !pending.hides(&p) {
			found = append(found, p)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("index %s: %w", x.path, err)
	}
	if pending != nil {
		for i := range pending.rows {
			if p := &pending.rows[i].passage; (len(ids) == 0 || slices.Contains(ids, p.ID)) && f.Match(p) {
				found = append(found, *p)
			}
		}
	}
	slices.SortFunc(found, func(a, b memory.Passage) int {
		if len(ids) > 0 {
			return cmp.Compare(slices.Index(ids, a.ID), slices.Index(ids, b.ID))
		}
		if c := b.Item.Metadata.CreatedAt.Compare(a.Item.Metadata.CreatedAt); c != 0 {
			return c
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return found, nil
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
	rows, err := q.QueryContext(ctx, `SELECT id, at FROM use WHERE id IN `+in+` ORDER BY id, at DESC`, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var ns int64
		if err := rows.Scan(&id, &ns); err != nil {
			return err
		}
		c := &hits[at[id]]
		if len(c.Accesses) < most {
			c.Accesses = append(c.Accesses, time.Unix(0, ns).UTC())
		}
	}
	for i := range hits {
		slices.Reverse(hits[i].Accesses)
	}
	return rows.Err()
}

// FilesAt returns what the index remembers of the files with these paths.
func (x *Index) FilesAt(ctx context.Context, paths ...string) ([]memory.File, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	in, args := oneOf(paths)
	return x.files(ctx, "path IN "+in, args...)
}

// Files returns what the index remembers of the files of some kinds.
func (x *Index) Files(ctx context.Context, kinds ...string) ([]memory.File, error) {
	cond, args := "0", make([]any, 0, len(kinds))
	for _, k := range kinds {
		cond += " OR kind = ?"
		args = append(args, k)
	}
	return x.files(ctx, cond, args...)
}
