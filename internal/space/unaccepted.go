package space

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// waitingFile is the derived note of what waits, which a session's start reads.
const waitingFile = "repository.json"

// Unaccepted is what a sync found unaccepted.
type Unaccepted struct {
	Contents   map[string]int    `json:"contents"`             // how many, by path, as [memory.File.Path]
	Committers map[string]string `json:"committers,omitempty"` // by path, of what was accepted too
	// Torn are files that hold a merge conflict, each with the line in which it begins.
	Torn map[string]int `json:"torn,omitempty"`
	// Files are the hashes of all that others may have written, by path.
	Files map[string]string `json:"files,omitempty"`
}

// Sum is how many contents wait.
func (u Unaccepted) Sum() (n int) {
	for _, c := range u.Contents {
		n += c
	}
	return n
}

func (sp *Space) unacceptedPath() string { return filepath.Join(sp.Dir.Index(), waitingFile) }

// noteUnaccepted keeps how much waits, and who committed what others may have written,
// where a hook can read it without a look at the text. Git is asked only when something
// has changed, and never by who only reads.
func (sp *Space) noteUnaccepted(ctx context.Context, files []memory.File) error {
	now := Unaccepted{Contents: sp.Text.Unaccepted(files), Files: sp.Text.Foreign(files), Torn: sp.Text.Torn(files)}
	if before := sp.noted(); maps.Equal(now.Contents, before.Contents) && maps.Equal(now.Files, before.Files) && maps.Equal(now.Torn, before.Torn) {
		return nil
	}
	if len(now.Files)+len(now.Torn) == 0 {
		if err := os.Remove(sp.unacceptedPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if sp.committers != nil && !sp.readOnly {
		now.Committers = sp.committers(ctx, slices.Sorted(maps.Keys(now.Files)))
	}
	data, err := json.Marshal(now)
	if err != nil {
		return err
	}
	return jsonl.Place(sp.unacceptedPath(), data)
}

// Unaccepted is what the last sync noted, and what the last [Space.Reader] found
// changed since; who committed that nobody has looked up yet.
func (sp *Space) Unaccepted() Unaccepted {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	out := sp.noted()
	if sp.pulled == nil {
		return out
	}
	now, torn := sp.Text.Unaccepted(sp.pulled.Files), sp.Text.Torn(sp.pulled.Files)
	changed := slices.Clone(sp.pulled.Gone)
	for i := range sp.pulled.Files {
		changed = append(changed, sp.pulled.Files[i].Path)
	}
	for _, path := range changed {
		if n := now[path]; n > 0 {
			if out.Contents == nil {
				out.Contents = make(map[string]int)
			}
			out.Contents[path] = n
		} else {
			delete(out.Contents, path)
		}
		delete(out.Committers, path)
		if delete(out.Torn, path); torn[path] > 0 {
			if out.Torn == nil {
				out.Torn = make(map[string]int)
			}
			out.Torn[path] = torn[path]
		}
	}
	return out
}

// noted is what the last sync noted.
func (sp *Space) noted() (out Unaccepted) {
	data, err := os.ReadFile(sp.unacceptedPath())
	if err != nil || json.Unmarshal(data, &out) != nil {
		return Unaccepted{}
	}
	return out
}
