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

var _ memory.Purger = (*Store)(nil)

// purgeMark stands where a purged text was part of a line.
const purgeMark = "[purged]"

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

type purge struct {
	*Store
	ctx   context.Context // of the one call this lives for
	words *copies.Words
	parts bool // pieces of the words count as well
	out   memory.Purged
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

// mine reports whether an ID is the item's, or that of a bullet or a chunk of
// it.
func (p *purge) mine(id string) bool {
	return id == p.out.ID || strings.HasPrefix(id, p.out.ID+"#")
}

// files lists every text of the space, also those that recall does not read.
func (p *purge) files() ([]entry, error) {
	var out []entry
	for i := range p.roots {
		r := &p.roots[i]
		if err := p.within[i](); err != nil {
			return nil, err
		}
		err := filepath.WalkDir(r.Dir, func(file string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			if d.IsDir() && r.Flat && file != r.Dir {
				return fs.SkipDir
			}
			rel, _ := filepath.Rel(r.Dir, file)
			e := entry{root: r, path: r.Name + "/" + filepath.ToSlash(rel), file: file}
			switch {
			case !d.Type().IsRegular():
			case r.Foreign != nil && larger(d, maxMarkdown):
				// No index reads it, and no memory should have to hold it.
				p.out.Left = append(p.out.Left, e.path)
			case strings.HasSuffix(d.Name(), partSuffix):
				e.kind = kindArchive
				if !r.Notes && r.Scope.Private() {
					out = append(out, e)
				}
			case isMarkdown(d.Name()):
				e.kind = kindMarkdown
				out = append(out, e)
			case strings.Contains(d.Name(), ".jsonl") && !strings.HasSuffix(d.Name(), ".gz"):
				e.kind = kindLedger
				out = append(out, e)
			case !r.Notes && r.Scope.Private() && d.Name() != jsonl.LockName:
				e.kind = kindOther
				out = append(out, e)
			}
			return p.ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (p *purge) version(text string) {
	if text = strings.TrimSpace(text); text != "" && !slices.Contains(p.out.Versions, text) {
		p.out.Versions = append(p.out.Versions, text)
	}
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
			var rec record
			if bytes.Contains(line, []byte(p.out.ID)) && json.Unmarshal(line, &rec) == nil && p.mine(rec.ID) {
				p.version(rec.Content)
			}
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
	if err != nil || !m.isAtom() {
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
		return p.erasePart(e)
	}
	if e.kind == kindLedger {
		return p.rewrite(e.path, e.file, func(line []byte) []byte {
			var rec struct {
				ID string `json:"id"`
			}
			if json.Unmarshal(line, &rec) == nil {
				if p.mine(rec.ID) {
					return nil
				}
				return line
			}
			// A torn line: what is left of it must not tell either.
			if bytes.Contains(line, []byte(p.out.ID)) || p.words.Whole(string(line)) {
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

// erasePart writes a compressed part without the item.
func (p *purge) erasePart(e entry) error {
	return p.rewritePart(e, func(line []byte) []byte {
		var rec struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(line, &rec) != nil || p.mine(rec.ID) {
			return nil
		}
		return line
	})
}

// rewritePart is rewrite for a compressed part; one that cannot be read to its end
// ends there.
func (p *purge) rewritePart(e entry, edit func(line []byte) []byte) error {
	var kept [][]byte
	changed := false
	err := partLines(e.file, func(line []byte) {
		edited := edit(line)
		changed = changed || !bytes.Equal(edited, line)
		if edited != nil {
			kept = append(kept, bytes.Clone(edited))
		}
	})
	if err == nil && !changed {
		return nil
	}
	p.out.Files = append(p.out.Files, e.path)
	if len(kept) == 0 {
		return os.Remove(e.file)
	}
	data, err := compress(kept)
	if err != nil {
		return err
	}
	return p.replace(e.file, data)
}

func (p *purge) save(e entry, data []byte) error {
	p.out.Files = append(p.out.Files, e.path)
	return p.replace(e.file, data)
}

// eraseTrails takes the item out of the usage log, and what was said of it out
// of the audit trail.
func (p *purge) eraseTrails() error {
	err := p.rewrite(usageName, filepath.Join(p.state, usageName), func(line []byte) []byte {
		var u memory.Usage
		if json.Unmarshal(line, &u) != nil || !slices.ContainsFunc(u.IDs, p.mine) {
			return line
		}
		u.IDs = slices.DeleteFunc(u.IDs, p.mine)
		if len(u.IDs) == 0 {
			return nil
		}
		line, _ = encode(u)
		return line
	})
	if err != nil {
		return err
	}
	return p.rewrite(auditName, filepath.Join(p.state, auditName), func(line []byte) []byte {
		var r memory.AuditRecord
		switch err := json.Unmarshal(line, &r); {
		case err == nil && r.Why != "" && (p.mine(r.ID) || p.mine(r.Other)):
			r.Why = ""
			line, _ = encode(r)
		case p.parts:
			return p.words.Clean(line, purgeMark)
		}
		return line
	})
}

// rewrite replaces a file of lines under the lock of its folder; edit returns
// a line as it shall be, or nil to drop it. A file without a change stays.
func (p *purge) rewrite(name, file string, edit func(line []byte) []byte) error {
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := jsonl.Lock(p.ctx, filepath.Join(filepath.Dir(file), jsonl.LockName))
	if err != nil {
		return err
	}
	defer unlock()
	raw, err := jsonl.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	now := make([]byte, 0, len(raw))
	for whole := range bytes.Lines(raw) {
		line := bytes.TrimRight(whole, "\r\n")
		edited := edit(line)
		switch {
		case edited == nil && len(line) > 0:
		case bytes.Equal(edited, line):
			now = append(now, whole...)
		default:
			now = append(append(now, edited...), '\n')
		}
	}
	if bytes.Equal(now, raw) {
		return nil
	}
	p.out.Files = append(p.out.Files, name)
	return p.replace(file, now)
}

// larger reports whether a file has more bytes.
func larger(d fs.DirEntry, than int64) bool {
	info, err := d.Info()
	return err == nil && info.Size() > than
}
