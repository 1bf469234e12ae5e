package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"orihon/internal/copies"
	"orihon/memory"
)

// Mention is a place where an item, or a former version of one, holds a copy of
// what is looked for.
type Mention struct {
	Item  memory.Item // as it stands there; of a bullet, its text alone is the content
	File  string
	Line  int  // from 1; of a compressed part, its record
	Whole bool // not only a piece
}

// Mentions finds the items that hold a copy: in ledgers, in what was cut off them
// or kept beside them, in the archive, in atoms and in what is kept of their past.
// Notes, and lines that are no item, are [Store.Scrub]'s business.
func (s *Store) Mentions(ctx context.Context, words *copies.Words) (out []Mention, err error) {
	p := &purge{Store: s, ctx: ctx, words: words}
	files, err := p.files()
	if err != nil {
		return nil, fmt.Errorf("mentions: %w", err)
	}
	for i := range s.roots {
		if r := &s.roots[i]; !r.Notes && !r.Scope.Private() {
			files = append(files, s.past(r)) // one file, of all shared roots
			break
		}
	}
	for _, e := range files {
		if e.root.Notes {
			continue
		}
		found, err := p.mentions(e)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("mentions in %s: %w", filepath.Base(e.file), err)
		}
		out = append(out, found...)
	}
	return out, nil
}

func (p *purge) mentions(e entry) (out []Mention, err error) {
	n := 0
	line := func(line []byte) {
		n++
		var rec record
		if !p.words.May(line) || json.Unmarshal(line, &rec) != nil || rec.ID == "" {
			return
		}
		rec.Scope = e.root.Scope
		if found := p.words.All([]byte(rec.Title + "\n\n" + rec.Content)); len(found) > 0 {
			out = append(out, Mention{rec.Item, e.file, n, slices.ContainsFunc(found, func(s copies.Span) bool { return s.Whole })})
		}
	}
	if e.kind == kindArchive {
		_ = partLines(e.file, line) // as far as it can be read
		return out, nil
	}
	raw, err := os.ReadFile(e.file)
	if err != nil {
		return nil, err
	}
	if e.kind == kindLedger {
		for l := range bytes.Lines(raw) {
			line(l)
		}
		return out, nil
	}
	found := p.words.All(raw)
	if len(found) == 0 {
		return nil, nil
	}
	m, _, err := parseMarkdown(&e, raw)
	if err != nil || !m.atom {
		return nil, nil // a note
	}
	for _, s := range found {
		it := m.item
		at := lineNumber(raw, s.From)
		it.Scope, it.Content = e.root.Scope, string(lineOf(raw, s.From))
		for i := range m.facts {
			if f := &m.facts[i]; f.line <= at && at <= f.end {
				it.ID, it.Content = m.item.ID+"#"+f.hash, f.text
			}
		}
		out = append(out, Mention{it, e.file, at, s.Whole})
	}
	return out, nil
}
