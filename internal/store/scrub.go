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
	"strings"

	"orihon/internal/copies"
	"orihon/internal/tokens"
	"orihon/memory"
)

// Scrub takes the words of an item of any space, in whole or in part, out of what
// is no item: notes and daily logs, what a machine wrote of whole sessions, torn
// lines, the reasons in the audit trail; and its uses out of the log. It returns
// how many files it changed, and the lines in folders of notes, which are never
// written, that still hold them. Items are left to the caller, see
// [Store.Mentions].
func (s *Store) Scrub(ctx context.Context, id string, words *copies.Words) (left []string, changed int, err error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("scrub: %w", err)
	}
	defer unlock()
	p := &purge{Store: s, ctx: ctx, words: words, parts: true, out: memory.Purged{ID: id}}
	if err := p.scrub(); err != nil {
		return p.out.Left, len(p.out.Files), fmt.Errorf("scrub: %w", err)
	}
	return p.out.Left, len(p.out.Files), nil
}

func (p *purge) scrub() error {
	files, err := p.files()
	if err != nil {
		return err
	}
	for _, e := range files {
		switch e.kind {
		case kindMarkdown, kindOther:
			err = p.eraseText(e)
		case kindLedger:
			if !e.root.Notes {
				err = p.rewrite(e.path, e.file, p.withoutCopies)
			}
		case kindArchive:
			err = p.rewritePart(e, p.withoutCopies)
		}
		if err != nil {
			return err
		}
	}
	return p.eraseTrails()
}

// withoutCopies takes the words out of a line of a ledger that is no item of its
// own: a torn one goes, and what a machine wrote of a whole session loses them.
func (p *purge) withoutCopies(line []byte) []byte {
	if !p.words.In(string(line)) {
		return line
	}
	var rec record
	switch err := json.Unmarshal(line, &rec); {
	case err != nil:
		return nil
	case rec.Op == "" && !Digest(&rec.Item): // with an op, it only gives a reason
		return line
	}
	return p.words.Clean(line, purgeMark)
}

// Digest reports whether an item is what a machine wrote of a whole session.
func Digest(it *memory.Item) bool {
	return it.Kind == memory.Episodic && (it.Metadata.Source == memory.FromAgent || it.Metadata.Source == memory.FromSystem)
}

// eraseText takes the words out of free text and its file's name. Other atoms are
// other items and keep theirs.
func (p *purge) eraseText(e entry) error {
	raw, err := os.ReadFile(e.file)
	if err != nil {
		return err
	}
	if !p.words.May(raw) && !(p.parts && p.words.In(filepath.Base(e.file))) {
		return nil
	}
	found := p.words.Find(raw)
	now := p.words.Clean(raw, purgeMark)
	if e.kind == kindMarkdown {
		if m, _, err := parseMarkdown(&e, raw); err != nil || m.atom {
			return nil
		}
		now = p.without(raw, found)
	}
	switch {
	case p.parts && !e.root.Notes && p.words.In(filepath.Base(e.file)):
		if !bytes.Equal(now, raw) {
			if err := p.save(e, now); err != nil {
				return err
			}
		}
		return Rename(e.file, p.words)
	case bytes.Equal(now, raw):
		return nil
	case e.root.Notes:
		for _, s := range found {
			if !s.Whole && !p.parts {
				continue
			}
			p.out.Left = append(p.out.Left, fmt.Sprintf("%s:%d", e.file, lineNumber(raw, s.From)))
		}
		p.out.Left = slices.Compact(p.out.Left)
		return nil
	}
	return p.save(e, now)
}

// without deletes the lines that are a copy and nothing else, and puts purgeMark
// where one is a part of a line.
func (p *purge) without(in []byte, found []copies.Span) []byte {
	var out []byte
	done := 0
	for _, s := range found {
		if s.From < done || !s.Whole && !p.parts {
			continue
		}
		start := bytes.LastIndexByte(in[:s.From], '\n') + 1
		stop := len(in)
		if n := bytes.IndexByte(in[s.To:], '\n'); n >= 0 {
			stop = s.To + n + 1
		}
		before := in[max(start, done):s.From]
		if n := markerOf(string(before) + "x"); n > 0 {
			before = before[min(n, len(before)):]
		}
		switch {
		case start >= done && len(bytes.TrimSpace(before)) == 0 && len(bytes.TrimSpace(in[s.To:stop])) == 0:
			out = append(out, in[done:start]...)
			done = stop
		case tokens.Estimate(string(in[s.From:s.To])) < 4:
		default:
			out = append(append(out, in[done:s.From]...), purgeMark...)
			done = s.To
		}
	}
	return append(out, in[done:]...)
}

// Rename gives a file or a folder a name that has no copy in it.
func Rename(path string, words *copies.Words) error {
	name := string(words.Clean([]byte(filepath.Base(path)), "purged"))
	ext := filepath.Ext(name)
	to := filepath.Join(filepath.Dir(path), name)
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return os.Rename(path, to)
		} else if err != nil {
			return err
		}
		to = filepath.Join(filepath.Dir(path), fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext))
	}
}
