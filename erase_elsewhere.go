package orihon

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
	"strconv"
	"strings"
	"time"

	"orihon/internal/jsonl"
	"orihon/internal/project"
	"orihon/memory"
)

// nameElsewhere names what holds the words of a purged item and is not written:
// the project's own files, what git tracks, what was written outside of the home,
// and a client's records of the sessions that held them.
func (t *Items) nameElsewhere(ctx context.Context, p *purge, sessions []string) error {
	for _, path := range p.Carried {
		p.stays(path, 0, whyGit)
	}
	if p.source == memory.FromSystem || p.words.Empty() {
		return nil // nobody said it
	}
	lines, err := t.m.Corpus().saying(ctx, p.words)
	for _, l := range lines {
		p.stays(l.Path, l.Line, whyYours)
	}
	if err != nil {
		return err
	}
	home := t.m.project.Home
	for _, dir := range append(asides(home), home) {
		if err := p.nameOutside(ctx, filepath.Join(dir, outsideName)); err != nil {
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
func (t *Items) tracked(ctx context.Context, files []string) []string {
	files = slices.DeleteFunc(files, func(file string) bool { return !within(t.m.project.Root, file) || within(t.m.project.Home, file) })
	if _, err := os.Stat(filepath.Join(t.m.project.CommonDir, "objects")); err != nil || t.m.project.CommonDir == "" || len(files) == 0 {
		return nil // nothing is carried
	}
	const most = 1 << 20
	names, err := project.Tracked(ctx, t.m.project.Root, most)
	if err != nil {
		t.m.log.Debug("purge: git was not asked", "err", err)
		return files
	}
	return slices.DeleteFunc(files, func(file string) bool {
		rel, err := filepath.Rel(t.m.project.Root, file)
		return err == nil && !slices.Contains(names, filepath.ToSlash(rel))
	})
}

// name names the lines of a file that hold the words; one that is packed has none.
func (p *purge) name(ctx context.Context, path, why string) {
	e := eraser{id: p.ID, mark: purgedMark(p.ID), words: p.words}
	if packed, err := isGzip(path); err != nil || packed {
		f, err := os.Open(path)
		if err != nil {
			return
		}
		defer f.Close()
		if held, err := e.repack(ctx, path, f, io.Discard); held || err != nil {
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
	if len(found) == 0 && !bytes.Equal(e.text(path, text), text) {
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

// survivorAt is a path:line of the store.
func survivorAt(where, why string) Survivor {
	path, line := where, 0
	if i := strings.LastIndexByte(where, ':'); i >= 0 {
		if n, err := strconv.Atoi(where[i+1:]); err == nil {
			path, line = where[:i], n
		}
	}
	return Survivor{Path: path, Line: line, Why: why}
}

// outside is a line of outside.jsonl.
type outside struct {
	V    int       `json:"v"`
	TS   time.Time `json:"ts"`
	What string    `json:"what"` // export, backup, page, restored
	Path string    `json:"path"`
}

// outsideName is the file in the home that lists what was written elsewhere.
const outsideName = "outside.jsonl"

// WroteOutside notes that a file or folder with memory in it was written, so that
// a purge can name it. One that lies in the home or in the project's folder needs
// no note.
func (m *Memory) WroteOutside(ctx context.Context, what, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	for _, dir := range []string{m.project.Home, m.project.Folder()} {
		if dir == "" {
			continue
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		if within(dir, path) {
			return nil
		}
	}
	line, err := json.Marshal(outside{1, m.now().UTC(), what, path})
	if err != nil {
		return err
	}
	_, err = jsonl.Append(ctx, filepath.Join(m.project.Home, outsideName), nil, line)
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
