package sqlite

import (
	"strings"

	"orihon/memory"
)

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
			add("CASE p.valid_from WHEN 0 THEN p.created ELSE p.valid_from END <= ?", at)
		}
		if f.Superseded {
			add("(p.superseded = 1 OR p.valid_to = 0 OR p.valid_to > ?)", at)
		} else {
			add("(p.valid_to > ? OR (p.valid_to = 0 AND p.superseded = 0))", at)
		}
	}
	return strings.Join(cond, " AND "), args
}
