package store

import (
	"context"
	"fmt"

	"orihon/memory"
)

// Waiting is a content of a repository that nobody here has accepted.
type Waiting struct {
	Hash string
	Path string // as [memory.File.Path]
	File string // for the operating system
	Line int
	// Claims is the item as the text would have it.
	Claims memory.Item
	Core   bool // it is a core file, which every session begins with
	// ID is what it is found by until it is accepted.
	ID string
	// Rejected says that the person turned it down.
	Rejected bool
}

// Waiting lists what waits for acceptance and what was rejected, file by file, and
// what could not be read.
func (s *Store) Waiting(ctx context.Context) ([]Waiting, []memory.Problem, error) {
	return s.judgedTexts(ctx, false)
}

// Accepted is [Store.Waiting] for what the person accepted, or what counts because they
// trust the repository.
func (s *Store) Accepted(ctx context.Context) ([]Waiting, []memory.Problem, error) {
	return s.judgedTexts(ctx, true)
}

func (s *Store) judgedTexts(ctx context.Context, accepted bool) (out []Waiting, problems []memory.Problem, err error) {
	entries, problems := s.walk()
	for i := range entries {
		e := &entries[i]
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if e.foreign() == nil {
			continue
		}
		if e.kind == kindLedger {
			l, err := readLedger(e, 0, 0, nil)
			if err != nil {
				problems = append(problems, unread(e.path, err))
				continue
			}
			for _, id := range l.order {
				if w, ok := l.versions[id].judgedText(e, accepted); ok {
					out = append(out, w)
				}
			}
			continue
		}
		m, _, err := s.readClean(e)
		if err != nil {
			problems = append(problems, unread(e.path, err))
			continue
		}
		if out = append(out, m.judgedTexts(e, accepted)...); !accepted {
			out = append(out, m.rejected...)
		}
	}
	return out, problems, nil
}

// judgedText is a version of a ledger's item as one that waits, was rejected or was
// accepted.
func (v *version) judgedText(e *entry, accepted bool) (w Waiting, ok bool) {
	w = Waiting{Hash: v.waits, Path: e.path, File: e.file, Line: v.line, ID: v.item.ID, Rejected: v.rejected}
	if accepted {
		w.Claims, w.Hash = v.item, contentHash(&v.item, false)
		return w, v.waits == "" && !v.retired
	}
	if v.waits != "" {
		w.Claims = *v.claims
	}
	return w, v.waits != "" && (!v.retired || v.rejected)
}

// vouch accepts what is about to be written to an atom on the person's behalf, and
// what was accepted in it before: a change of its front matter is a change of
// all its bullets.
func (s *Store) vouch(ctx context.Context, before *markdown, at place, data []byte) error {
	f := at.entry.foreign()
	if f == nil {
		return nil
	}
	now, _, err := s.parseClean(&at.entry, data)
	if err != nil {
		return err
	}
	known := make(map[string]bool)
	prose := before == nil
	if before != nil {
		prose = !before.unaccepted || len(before.facts) == 0
		for i := range before.facts {
			known[before.facts[i].hash] = !before.facts[i].unaccepted
		}
	}
	var hashes []string
	for i := range now.facts {
		g := &now.facts[i]
		if before == nil || known[g.hash] || g.hash == at.fact {
			it := now.factClaims(g)
			hashes = append(hashes, contentHash(&it, false))
		}
	}
	if prose && now.prose() != "" {
		hashes = append(hashes, now.proseHash())
	}
	return f.Accept(ctx, hashes...)
}

// mayWrite refuses to change what nobody has accepted: a change would put its
// claims down as the person's own.
func mayWrite(p *place) error {
	if !Unaccepted(p.item.ID) {
		return nil
	}
	return fmt.Errorf("%w: it came with the repository (%s) and you have not accepted it: orihon review --repository shows it, with --reject it is told no more", memory.ErrRefused, p.entry.path)
}

// Foreign are the files, among those that an index knows, that others may have written,
// each with its hash.
func (s *Store) Foreign(known []memory.File) map[string]string {
	out := make(map[string]string)
	for i := range known {
		f := &known[i]
		if e, ok := s.entryOf(f.Path); ok && e.foreign() != nil {
			out[f.Path] = f.Hash
		}
	}
	return out
}

// Torn are the files, among those that an index knows, that held a merge conflict when it
// read them, each with the line in which it begins.
func (s *Store) Torn(known []memory.File) map[string]int {
	out := make(map[string]int)
	for i := range known {
		if m := decodeMark(known[i].Mark); m != nil && m.Torn > 0 {
			out[known[i].Path] = m.Torn
		}
	}
	return out
}

// Unaccepted counts, by path, the contents that nobody had accepted when an
// index read the files that it knows.
func (s *Store) Unaccepted(known []memory.File) map[string]int {
	out := make(map[string]int)
	for i := range known {
		f := &known[i]
		if e, ok := s.entryOf(f.Path); !ok || e.foreign() == nil {
			continue
		}
		if m := decodeMark(f.Mark); m != nil && len(m.Waits) > 0 {
			out[f.Path] = len(m.Waits)
		}
	}
	return out
}
