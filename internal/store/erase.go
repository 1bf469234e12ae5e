package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/copies"
	"orihon/internal/jsonl"
	"orihon/memory"
)

// purgeMark stands where a purged text was part of a line.
const purgeMark = "[purged]"

type purge struct {
	*Store
	ctx   context.Context // of the one call this lives for
	words *copies.Words
	parts bool // pieces of the words count as well
	out   memory.Purged
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

// larger reports whether a file has more bytes.
func larger(d fs.DirEntry, than int64) bool {
	info, err := d.Info()
	return err == nil && info.Size() > than
}

// mine reports whether an ID is the item's, or that of a bullet or a chunk of
// it.
func (p *purge) mine(id string) bool {
	return id == p.out.ID || strings.HasPrefix(id, p.out.ID+"#")
}

func (p *purge) version(text string) {
	if text = strings.TrimSpace(text); text != "" && !slices.Contains(p.out.Versions, text) {
		p.out.Versions = append(p.out.Versions, text)
	}
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
		line, _ = jsonl.Encode(u)
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
			line, _ = jsonl.Encode(r)
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
