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
	"orihon/internal/jsonl"
	"orihon/memory"
)

// Purge erases an item, retired or not, from every text of the space: all its
// lines in ledgers and in what was cut off them, its atom or bullet and copies
// of them under work or in the archive, compressed or not, its text, as a
// whole, in notes and daily logs, its uses, and the reasons in the audit trail, which keeps only
// the ID. Pieces of the text are [Store.Scrub]'s business. Each file is replaced atomically, the item's own last, so that a purge
// that failed half-way can be repeated. Journals are not its business. What
// cannot be read of a compressed part is dropped: the ledgers have it still.
//
// A short text (below four tokens) is taken out of notes only where it is the
// whole line.
func (s *Store) Purge(ctx context.Context, id string) (memory.Purged, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return memory.Purged{}, fmt.Errorf("purge %s: %w", id, err)
	}
	defer unlock()
	p := &purge{Store: s, ctx: ctx, out: memory.Purged{ID: id}}
	if err := p.run(); err != nil {
		return p.out, fmt.Errorf("purge %s: %w", id, err)
	}
	return p.out, nil
}

// StateFiles are the names of the files in the state folder that [Store.Purge]
// and [Store.Scrub] look after.
func StateFiles() []string { return []string{usageName, auditName, pastName} }

// Texts returns every text the item ever had, as [Store.Purge] would erase them,
// and changes nothing; none when the text does not know the item.
func (s *Store) Texts(ctx context.Context, id string) ([]string, error) {
	p := &purge{Store: s, ctx: ctx, out: memory.Purged{ID: id}}
	if _, err := p.gatherAll(); err != nil {
		return nil, fmt.Errorf("texts of %s: %w", id, err)
	}
	return p.out.Versions, nil
}

// gatherAll collects the texts of the item and lists the files of the space.
func (p *purge) gatherAll() ([]entry, error) {
	files, err := p.files()
	if err != nil {
		return nil, err
	}
	for _, e := range files {
		if err := p.gather(e); err != nil {
			return nil, err
		}
	}
	return files, p.gatherPast()
}

func (p *purge) run() error {
	files, err := p.gatherAll()
	if err != nil {
		return err
	}
	if len(p.out.Versions) == 0 {
		return memory.ErrNotFound
	}
	if at, err := p.one(p.ctx, p.out.ID); err == nil {
		p.out.Content = at.item.Content
	} else {
		p.out.Content = p.out.Versions[len(p.out.Versions)-1]
	}
	p.words = copies.New(p.out.Versions...)

	var own []entry
	for _, e := range files {
		if e.kind == kindOther {
			continue
		}
		if p.owns(e) {
			own = append(own, e)
			continue
		}
		if err := p.eraseText(e); err != nil {
			return err
		}
	}
	if err := p.eraseTrails(); err != nil {
		return err
	}
	for _, e := range own {
		if err := p.eraseItem(e); err != nil {
			return err
		}
	}
	if err := p.erasePast(); err != nil {
		return err
	}
	slices.Sort(p.out.Files)
	return nil
}

// gather collects the texts the item ever had.
func (p *purge) gather(e entry) error {
	if e.root.Notes || e.kind == kindOther {
		return nil
	}
	if e.kind == kindArchive {
		// One that cannot be read whole is written anew in the end.
		_ = partLines(e.file, func(line []byte) {
			if rec, err := parseArchived(line, e.root.Scope); err == nil && p.mine(rec.ID) {
				p.version(rec.Content)
			}
		})
		return nil
	}
	raw, err := jsonl.ReadFile(e.file)
	if err != nil {
		return err
	}
	if e.kind == kindLedger {
		for line := range bytes.Lines(raw) {
			p.versionIn(line)
		}
		return nil
	}
	m, ok := p.atom(e, raw)
	if !ok {
		return nil
	}
	p.versionsOf(m)
	if m, _, err = p.parseClean(&e, raw); err != nil {
		return err
	}
	p.versionsOf(m)
	return nil
}

// gatherPast collects the texts that the past of the item has.
func (p *purge) gatherPast() error {
	_, err := jsonl.Read(filepath.Join(p.state, pastName), 0, func(line []byte, _ int64, _ int) error {
		p.versionIn(line)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// versionIn collects the text of a line of a ledger that is the item's.
func (p *purge) versionIn(line []byte) {
	var rec record
	if bytes.Contains(line, []byte(p.out.ID)) && json.Unmarshal(line, &rec) == nil && p.mine(rec.ID) {
		p.version(rec.Content)
	}
}

func (p *purge) versionsOf(m *markdown) {
	if m.item.ID == p.out.ID {
		p.version(m.item.Content)
	}
	for i := range m.facts {
		if f := &m.facts[i]; p.mine(m.item.ID + "#" + f.hash) {
			p.version(f.text)
		}
	}
}

// atom parses a file that holds the item, as a whole or as a bullet.
func (p *purge) atom(e entry, raw []byte) (*markdown, bool) {
	m, _, err := parseMarkdown(&e, raw)
	if err != nil || !m.atom {
		return nil, false
	}
	if m.item.ID == p.out.ID {
		return m, true
	}
	hash, ok := strings.CutPrefix(p.out.ID, m.item.ID+"#")
	return m, ok && m.fact(hash) != nil
}

// owns reports whether a file holds the item itself rather than its text.
func (p *purge) owns(e entry) bool {
	if e.root.Notes {
		return false
	}
	if e.kind == kindLedger || e.kind == kindArchive {
		return true
	}
	raw, err := jsonl.ReadFile(e.file)
	if err != nil {
		return false
	}
	_, ok := p.atom(e, raw)
	return ok
}

// eraseItem takes the item out of its own file.
func (p *purge) eraseItem(e entry) error {
	if e.kind == kindArchive {
		return p.rewritePart(e, func(line []byte) []byte {
			if id, whole := lineID(line); !whole || p.mine(id) {
				return nil
			}
			return line
		})
	}
	if e.kind == kindLedger {
		return p.rewrite(e.path, e.file, func(line []byte) []byte {
			id, whole := lineID(line)
			// What is left of a torn line must not tell either.
			if whole && p.mine(id) || !whole && (bytes.Contains(line, []byte(p.out.ID)) || p.words.Whole(string(line))) {
				return nil
			}
			return line
		})
	}
	raw, err := jsonl.ReadFile(e.file)
	if err != nil {
		return err
	}
	m, ok := p.atom(e, raw)
	if !ok {
		return nil
	}
	if m.item.ID == p.out.ID {
		p.out.Files = append(p.out.Files, e.path)
		return os.Remove(e.file)
	}
	hash := strings.TrimPrefix(p.out.ID, m.item.ID+"#")
	lines := strings.SplitAfter(string(raw), "\n")
	f := m.fact(hash)
	m.doc.raw = []byte(strings.Join(lines[:f.line-1], "") + strings.Join(lines[f.end:], ""))
	data := m.doc.raw
	if _, retired := m.gone[hash]; retired {
		if err := m.unretireFact(hash); err != nil {
			return err
		}
		if data, err = m.doc.withFront(m.front, nil); err != nil {
			return err
		}
	}
	return p.save(e, data)
}

// lineID is the ID that a line gives; a torn line is not whole.
func lineID(line []byte) (id string, whole bool) {
	var rec struct {
		ID string `json:"id"`
	}
	err := json.Unmarshal(line, &rec)
	return rec.ID, err == nil
}

// erasePast takes the item out of the past, and what its atom said when the
// item was a part of it.
func (p *purge) erasePast() error {
	return p.rewrite(pastName, filepath.Join(p.state, pastName), func(line []byte) []byte {
		id, whole := lineID(line)
		if !whole || p.mine(id) || id != "" && strings.HasPrefix(p.out.ID, id+"#") {
			return nil
		}
		return line
	})
}
