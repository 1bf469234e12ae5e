package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/memory"
)

// readNote reads a Markdown file whole: an atom, a daily log or a note.
func (y *catchUp) readNote(ctx context.Context, e *entry, known *memory.File, before *mark, force bool) (*reading, error) {
	r := &reading{entry: *e, whole: true, again: known != nil}
	raw, err := readText(e.file)
	if err != nil {
		return nil, err
	}
	bare := before != nil && before.Bare
	if !force && !bare && before != nil && hashOf(raw) == known.Hash && !y.uncovered(before) {
		// Touched, or looked at again for being young: the text is the same.
		r.same, r.whole, r.again, r.mark = true, false, false, *before
		r.mark.Young = y.young(e)
		r.file = y.noteFile(e, raw)
		if unchanged(e, known) && r.mark.Young == before.Young {
			return nil, nil
		}
		return r, nil
	}
	m, problems, err := y.parseClean(e, raw)
	if err != nil {
		return nil, err
	}
	switch {
	case y.depth != memory.FullLook: // which is to write nothing
	case m.derived && e.foreign() != nil:
		// Every clone would write another one into a file that git tracks.
	case m.derived && y.given == maxNewIDs:
		r.mark.Bare = true
		y.bare++
	case m.derived:
		y.given++
		given, err := y.giveID(ctx, e)
		switch {
		case errors.Is(err, memory.ErrRefused):
			problems = append(problems, memory.Problem{Path: e.path, Line: m.frontLine(), Text: "cannot be given an id without changing what else stands there; until somebody writes a line \"id: \" and a name of its own into its front matter, renaming the file loses its history"})
		case err != nil:
			problems = append(problems, memory.Problem{Path: e.path, Text: "cannot be given an id, so renaming it would lose its history: " + reason(err)})
		default:
			raw = given
			if m, problems, err = y.parseClean(e, raw); err != nil {
				return nil, err
			}
		}
	}
	y.problems = append(y.problems, problems...)
	defer func() { y.problems = append(y.problems, bound(r.passages, len(r.passages))...) }()
	switch day, isLog := logDay(e.path); {
	case m.atom:
		r.mark.Atom = m.atomID()
		r.passages = m.atomPassages(e)
		if p, ok := pairOf(&m.item); ok {
			// A search knows passages: the first that counts stands for the atom.
			if i := slices.IndexFunc(r.passages, func(p memory.Passage) bool { return !p.Retired && !Unaccepted(p.ID) }); i >= 0 {
				p.By = r.passages[i].ID
				r.mark.Pairs = []pair{p}
			}
		}
		if len(r.passages) == 0 {
			y.problems = append(y.problems, memory.Problem{Path: e.path, Line: m.doc.bodyLine, Text: "says nothing below its front matter: write a list item or a paragraph"})
		}
	case isLog && !e.root.Notes && !m.unaccepted:
		r.passages = y.logPassages(m, r, day)
	default:
		r.passages = notePassages(m, e)
	}
	r.mark.Young, r.mark.Off = y.young(e), y.off()
	r.mark.Torn = m.conflict
	r.mark.Waits, r.mark.Epoch = m.asked(e), y.epochs[e.root.Name]
	r.file = y.noteFile(e, raw)
	return r, nil
}

func (y *catchUp) noteFile(e *entry, raw []byte) memory.File {
	return memory.File{Path: e.path, Kind: e.kind, Size: e.info.Size(), MTime: e.info.ModTime(), Hash: hashOf(raw), Offset: int64(len(raw))}
}

// uncovered reports whether the journals of a daily log came or went.
func (y *catchUp) uncovered(m *mark) bool {
	for session, before := range m.Covered {
		if y.covered(session) != before {
			return true
		}
	}
	return false
}

func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// giveID writes an ID into the front matter of an atom that has none, and
// returns the file as it is then.
func (s *Store) giveID(ctx context.Context, e *entry) ([]byte, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	m, err := s.reread(e)
	if err != nil {
		return nil, err
	}
	raw := m.doc.raw
	if m.derived {
		if raw, err = m.doc.withID(s.newID()); err != nil {
			return nil, err
		}
		if err := s.replace(e.file, raw); err != nil {
			return nil, err
		}
	}
	e.info, err = os.Stat(e.file)
	return raw, err
}

// Memory is the text of every MEMORY.md, for the index a session begins with.
// Missing files are left out, and those that the caller names.
func (s *Store) Memory(ctx context.Context, but ...string) (string, error) {
	var parts []string
	for i := range s.roots {
		r := &s.roots[i]
		if err := ctx.Err(); err != nil {
			return "", err
		}
		e := entry{root: r, path: r.Name + "/" + coreName, file: filepath.Join(r.Dir, coreName), kind: kindMarkdown}
		info, err := os.Lstat(e.file)
		if r.Notes || slices.Contains(but, e.file) || err != nil || !info.Mode().IsRegular() || s.within[i]() != nil {
			continue
		}
		m, _, err := s.readClean(&e)
		if err != nil && !errors.Is(err, errGone) {
			return "", fmt.Errorf("read %s: %w", e.path, err)
		}
		if err == nil && !m.unaccepted && strings.TrimSpace(m.item.Content) != "" {
			parts = append(parts, strings.TrimSpace(m.item.Content))
		}
	}
	return strings.Join(parts, "\n\n"), nil
}
