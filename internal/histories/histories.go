// Package histories finds what agents' programs keep of their sessions on this
// machine, folder by folder, and remembers what of it was read and whether the
// person wants it read.
//
// It reads no session: that is the importer's work, and which project a folder is
// its caller's. Start with [Find]; [Open] is the record of what was read.
package histories

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/importer"
	"orihon/internal/jsonl"
)

// Places are where programs keep their files; an empty one is not looked at.
type Places struct {
	Claude string // ~/.claude
	Gemini string // ~/.gemini
	// Folders may be projects: some programs name a folder by its hash alone.
	Folders []string
}

// History is what one program keeps of the sessions in one folder.
type History struct {
	Client importer.Format
	Folder string // where its sessions worked; empty when nothing tells
	Files  []File // the one written last first
}

// File holds one session, or what a sub-agent of one did.
type File struct {
	Path     string
	Size     int64
	Modified time.Time
	Agent    bool // of a sub-agent
}

// Find lists the histories on this machine, the one written last first. What
// cannot be read is left out; symlinks are not followed.
func Find(p *Places) []History {
	var out []History
	if p.Claude != "" {
		out = append(out, claude(claudeSessions(p))...)
	}
	if p.Gemini != "" {
		out = append(out, gemini(p)...)
	}
	slices.SortStableFunc(out, func(a, b History) int { return b.Files[0].Modified.Compare(a.Files[0].Modified) })
	return out
}

func claudeSessions(p *Places) string { return filepath.Join(p.Claude, "projects") }

func geminiSessions(p *Places) string { return filepath.Join(p.Gemini, "tmp") }

// claude lists the histories of Claude Code: a folder for each one that was worked
// in, with a transcript for each session, and below it those of sub-agents.
func claude(dir string) []History {
	var out []History
	for _, name := range folders(dir) {
		h := History{Client: importer.ClaudeCode, Files: files(filepath.Join(dir, name), ".jsonl")}
		if len(h.Files) == 0 {
			continue
		}
		for i := range h.Files {
			f := &h.Files[i]
			f.Agent = strings.HasPrefix(filepath.Base(f.Path), "agent-")
			if h.Folder == "" && !f.Agent {
				h.Folder = importer.FolderOf(f.Path)
			}
		}
		out = append(out, h)
	}
	return out
}

// gemini lists the histories of Gemini CLI: tmp/<name>/chats, where the name is
// that of a folder in projects.json or, of older versions, the hash of its path.
func gemini(p *Places) []History {
	tmp := geminiSessions(p)
	var registry struct {
		Projects map[string]string `json:"projects"` // name by path
	}
	if data, err := jsonl.ReadFile(filepath.Join(p.Gemini, "projects.json")); err == nil {
		_ = json.Unmarshal(data, &registry) // what it does not tell, other ways may
	}
	by := make(map[string]string)
	for _, folder := range p.Folders {
		sum := sha256.Sum256([]byte(folder))
		by[hex.EncodeToString(sum[:])] = folder
	}
	for folder, name := range registry.Projects {
		by[name] = folder
	}
	var out []History
	for _, name := range folders(tmp) {
		h := History{Client: importer.GeminiCLI, Folder: by[name], Files: files(filepath.Join(tmp, name, "chats"), ".json", ".jsonl")}
		if len(h.Files) == 0 {
			continue
		}
		for i := range h.Files {
			h.Files[i].Agent = !strings.HasPrefix(filepath.Base(h.Files[i].Path), "session-")
		}
		if root, err := jsonl.ReadFile(filepath.Join(tmp, name, ".project_root")); err == nil && h.Folder == "" {
			h.Folder = strings.TrimSpace(string(root))
		}
		out = append(out, h)
	}
	return out
}

// folders are the names of the real folders in one.
func folders(dir string) []string {
	var out []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out
}

// files are the regular files below a folder with one of these ends.
func files(dir string, ends ...string) []File {
	var out []File
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := d.Info(); err == nil && d.Type().IsRegular() && slices.Contains(ends, filepath.Ext(path)) {
			out = append(out, File{Path: path, Size: info.Size(), Modified: info.ModTime()})
		}
		return nil
	})
	slices.SortStableFunc(out, func(a, b File) int { return b.Modified.Compare(a.Modified) })
	return out
}

// recordVersion is the version of the record's format.
const recordVersion = 1

// Record remembers what the person answered and which files were read.
type Record struct {
	Version int `json:"version"`
	// Answer is what the person said to reading the histories, Yes or No; empty
	// before they were asked.
	Answer string          `json:"answer,omitempty"`
	Files  map[string]Mark `json:"files"` // by path

	path string
}

// The answers.
const (
	Yes = "yes"
	No  = "no"
)

// Mark is how a file was when it was read.
type Mark struct {
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
}

// Path is the record's file in the user's home of Orihon.
func Path(home string) string { return filepath.Join(home, "histories.json") }

// Open reads the record in the user's home. A missing one is empty; so is one that
// is damaged: reading a session again changes nothing.
func Open(home string) (*Record, error) {
	r := &Record{path: Path(home)}
	data, err := jsonl.ReadFile(r.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if json.Unmarshal(data, r) != nil || r.Version != recordVersion {
		r.Answer, r.Files = "", nil
	}
	r.Version = recordVersion
	if r.Files == nil {
		r.Files = make(map[string]Mark)
	}
	return r, nil
}

// Update changes the record in the user's home while no other process does, and
// writes it.
func Update(ctx context.Context, home string, change func(*Record)) error {
	unlock, err := jsonl.Lock(ctx, filepath.Join(home, ".histories.record.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	r, err := Open(home)
	if err != nil {
		return err
	}
	change(r)
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return jsonl.WriteFile(r.path, append(data, '\n'))
}

// Wanted reports whether the person wants the histories read: they may have taken
// that back, or removed the home, since it was last asked.
func Wanted(home string) bool {
	r, err := Open(home)
	return err == nil && r.Answer == Yes
}

// TryLock takes the turn to read histories; it is not free while another process
// has it.
func TryLock(home string) (unlock func(), free bool, err error) {
	return jsonl.TryLock(lockPath(home))
}

// Lock is [TryLock] that waits for its turn.
func Lock(ctx context.Context, home string) (unlock func(), err error) {
	return jsonl.Lock(ctx, lockPath(home))
}

// lockPath is the lock of whoever reads histories.
func lockPath(home string) string { return filepath.Join(home, ".histories.lock") }

// DropGone forgets the files that are not there any more, of the places that are.
func (r *Record) DropGone(p *Places) {
	var there []string
	for _, dir := range []string{claudeSessions(p), geminiSessions(p)} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			there = append(there, dir+string(filepath.Separator))
		}
	}
	maps.DeleteFunc(r.Files, func(path string, _ Mark) bool {
		_, err := os.Lstat(path)
		return errors.Is(err, fs.ErrNotExist) && slices.ContainsFunc(there, func(dir string) bool { return strings.HasPrefix(path, dir) })
	})
}

// Note notes that a file was read as it was found.
func (r *Record) Note(f *File) { r.Files[f.Path] = Mark{f.Size, f.Modified.UTC()} }

// Known reports whether a file was read before, and whether it is still as it was.
func (r *Record) Known(f *File) (before, same bool) {
	m, before := r.Files[f.Path]
	return before, before && m.Size == f.Size && m.Modified.Equal(f.Modified)
}
