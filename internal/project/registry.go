package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/jsonl"
)

// Record is what project.json says of one project. These files are the truth;
// the registry is derived from them.
type Record struct {
	V       int       `json:"v,omitempty"`
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Keys    []string  `json:"keys"`
	Paths   []string  `json:"paths"` // folders that are linked with it
	Created time.Time `json:"created_at"`
	// ApartFrom are projects that a person does not want it linked with.
	ApartFrom []string `json:"apart_from,omitempty"`
}

// recordVersion is the first in which paths are all the links there are. Before,
// whoever had the same place was the same project, too.
const recordVersion = 2

// maxPaths bounds the folders that are linked with one project; beyond it the
// oldest are asked about again.
const maxPaths = 1000

// Apart reports whether the project is a folder's own because that folder says
// to be another, known one, and names that folder and what it says.
func (rec *Record) Apart() (path, says string, ok bool) {
	for _, key := range rec.Keys {
		if rest, is := strings.CutPrefix(key, apartKey); is {
			// A path of Windows may begin with two slashes; none has them later.
			if i := strings.Index(rest[min(2, len(rest)):], "//"); i >= 0 {
				return rest[:i+2], rest[i+4:], true
			}
		}
	}
	return "", "", false
}

// linked are the folders that a record links, those of its old form included.
func (rec *Record) linked() []string {
	out := slices.Clone(rec.Paths)
	if rec.V >= recordVersion {
		return out
	}
	for _, key := range rec.Keys {
		if path, ok := strings.CutPrefix(key, dirKey); ok {
			if path = filepath.Clean(filepath.FromSlash(path)); !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	return out
}

// registry finds a project by what it is known by.
type registry struct {
	Keys  map[string]string   `json:"keys"`
	Links map[string][]string `json:"links"` // IDs by real path

	home   Space
	broken bool // the file is damaged and has to be kept aside
	old    bool // the file has no links yet
}

// readRegistry reads projects.json. A missing or broken one is put together
// again from the projects' own files.
func readRegistry(home string) (*registry, error) {
	r := &registry{home: User(home)}
	data, err := os.ReadFile(r.home.Registry())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the registry of projects: %w", err)
	}
	whole := err == nil && json.Unmarshal(data, r) == nil && r.Keys != nil
	r.broken, r.old = err == nil && !whole, whole && r.Links == nil
	if !whole {
		r.Keys = map[string]string{}
	}
	if !whole || r.old {
		r.Links = map[string][]string{}
		records, err := List(home)
		if err != nil {
			return nil, err
		}
		for i := range records {
			r.know(&records[i])
		}
	}
	for key, id := range r.Keys {
		if !validID(id) {
			delete(r.Keys, key)
		}
	}
	for path, ids := range r.Links {
		r.Links[path] = slices.DeleteFunc(ids, func(id string) bool { return !validID(id) })
	}
	return r, nil
}

// know takes in what a record says. A key that another has already stays there.
func (r *registry) know(rec *Record) {
	for _, raw := range rec.Keys {
		key := stored(raw)
		if key != raw { // as older versions wrote it
			delete(r.Keys, raw)
		}
		if _, taken := r.Keys[key]; !taken {
			r.Keys[key] = rec.ID
		}
	}
	for _, path := range rec.linked() {
		path = stored(path)
		if !slices.Contains(r.Links[path], rec.ID) {
			r.Links[path] = append(r.Links[path], rec.ID)
		}
	}
}

// List reads the records of every project known to this user, oldest first.
// Unreadable ones are left out.
func List(home string) ([]Record, error) {
	dir := User(home).Projects()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list projects: %w", err)
	}
	var out []Record
	for _, e := range entries {
		if !e.IsDir() || !validID(e.Name()) {
			continue
		}
		if rec, ok := readRecord(filepath.Join(dir, e.Name())); ok {
			out = append(out, rec)
		}
	}
	slices.SortStableFunc(out, func(a, b Record) int { return a.Created.Compare(b.Created) })
	return out, nil
}

// readRecord reads the record in a project's folder, whose name is the ID.
func readRecord(dir string) (Record, bool) {
	var rec Record
	data, err := jsonl.ReadFile(filepath.Join(dir, "project.json"))
	if err != nil || json.Unmarshal(data, &rec) != nil {
		return Record{}, false
	}
	rec.ID = filepath.Base(dir)
	return rec, true
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return jsonl.WriteFile(path, append(data, '\n'))
}

// Known is the record of one project.
func Known(home, id string) (Record, bool) {
	if !validID(id) {
		return Record{}, false
	}
	return readRecord(filepath.Join(User(home).Projects(), id))
}
