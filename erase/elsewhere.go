package erase

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/jsonl"
	"orihon/internal/project"
	"orihon/memory"
)

// nameElsewhere names what holds the words of a purged item and is not written:
// the project's own files, what git tracks, what was written outside of the home,
// and a client's records of the sessions that held them.
func (e *Eraser) nameElsewhere(ctx context.Context, p *purge, sessions []string) error {
	for _, path := range p.Carried {
		p.stays(path, 0, whyGit)
	}
	if p.words.Empty() {
		return nil
	}
	if p.source != memory.FromSystem { // else nobody wrote it into a file
		lines, err := e.documents.Saying(ctx, p.words)
		for _, l := range lines {
			p.stays(l.Path, l.Line, whyYours)
		}
		if err != nil {
			return err
		}
	}
	home := e.h.Project.Home
	for _, dir := range append(asides(home), home) {
		if err := p.nameOutside(ctx, filepath.Join(dir, OutsideName)); err != nil {
			return err
		}
	}
	for _, dir := range sessions {
		if err := p.nameSessions(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}

// tracked are those of the project's files that git tracks. Where it cannot be
// asked, that is all of them: better one too many is named.
func (e *Eraser) tracked(ctx context.Context, files []string) []string {
	files = slices.DeleteFunc(files, func(file string) bool {
		return !project.Within(e.h.Project.Root, file) || project.Within(e.h.Project.Home, file)
	})
	if _, err := os.Stat(filepath.Join(e.h.Project.CommonDir, "objects")); err != nil || e.h.Project.CommonDir == "" || len(files) == 0 {
		return nil // nothing is carried
	}
	const most = 1 << 20
	names, err := project.Tracked(ctx, e.h.Project.Root, most)
	if err != nil {
		e.h.Log.Debug("purge: git was not asked", "err", err)
		return files
	}
	return slices.DeleteFunc(files, func(file string) bool {
		rel, err := filepath.Rel(e.h.Project.Root, file)
		return err == nil && !slices.Contains(names, filepath.ToSlash(rel))
	})
}

// name names the lines of a file that hold the words; one that is packed has none.
func (p *purge) name(ctx context.Context, path, why string) {
	s := scrub{id: p.ID, mark: purgedMark(p.ID), words: p.words}
	if packed, err := isGzip(path); err != nil || packed {
		f, err := os.Open(path)
		if err != nil {
			return
		}
		defer f.Close()
		if held, err := s.repack(ctx, path, f, io.Discard); held || err != nil {
			p.stays(path, 0, why)
		}
		return
	}
	text, err := jsonl.ReadFile(path)
	if err != nil {
		return
	}
	found := p.words.Find(text)
	for _, s := range found {
		p.stays(path, 1+bytes.Count(text[:s.From], []byte("\n")), why)
	}
	if len(found) == 0 && !bytes.Equal(s.text(path, text), text) {
		p.stays(path, 0, why)
	}
}

// nameBelow is name for all files of a folder for which which is true.
func (p *purge) nameBelow(ctx context.Context, dir, why string, which func(path string) bool) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case err != nil || !d.Type().IsRegular() || !which(path):
		case tooLarge(d):
			p.stays(path, 0, whyLarge)
		default:
			p.name(ctx, path, why)
		}
		return nil // what cannot be read is somebody else's
	})
}

// nameSessions looks through a client's records of the sessions that held the
// words.
func (p *purge) nameSessions(ctx context.Context, dir string) error {
	if len(p.sessions) == 0 {
		return nil
	}
	return p.nameBelow(ctx, dir, whyClient, func(path string) bool {
		for part := range strings.SplitSeq(strings.TrimPrefix(path, dir), string(filepath.Separator)) {
			name, _, _ := strings.Cut(part, ".")
			if p.sessions[name] {
				return true
			}
		}
		return false
	})
}

// outside is a line of outside.jsonl.
type outside struct {
	V    int       `json:"v"`
	TS   time.Time `json:"ts"`
	What string    `json:"what"` // export, backup, page, restored
	Path string    `json:"path"`
}

// OutsideName is the file in the home that lists what was written elsewhere.
const OutsideName = "outside.jsonl"

// WroteOutside notes that a file or folder with memory in it was written, so that
// a purge can name it. One that lies in the home or in the project's folder needs
// no note.
func (e *Eraser) WroteOutside(ctx context.Context, what, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	for _, dir := range []string{e.h.Project.Home, e.h.Project.Folder()} {
		if dir == "" {
			continue
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		if project.Within(dir, path) {
			return nil
		}
	}
	line, err := json.Marshal(outside{1, e.h.Now().UTC(), what, path})
	if err != nil {
		return err
	}
	_, err = jsonl.Append(ctx, filepath.Join(e.h.Project.Home, OutsideName), nil, line)
	return err
}

// nameOutside looks through what was written outside of the home, as far as it is
// still there.
func (p *purge) nameOutside(ctx context.Context, list string) error {
	seen := make(map[string]bool)
	_, err := jsonl.Read(list, 0, func(line []byte, _ int64, _ int) error {
		var o outside
		if json.Unmarshal(line, &o) != nil || o.Path == "" || seen[o.Path] {
			return nil
		}
		seen[o.Path] = true
		return p.nameBelow(ctx, o.Path, whyOutside, func(string) bool { return true })
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
