package project

import (
	"context"
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
	"orihon/memory"
)

// Record is what project.json says of one project. These files are the truth;
// the registry is derived from them.
type Record struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Keys    []string  `json:"keys"`
	Paths   []string  `json:"paths"` // folders it was seen in
	Created time.Time `json:"created_at"`
}

// Entry is what the registry says of a set of keys.
type Entry struct {
	ID       string
	Known    bool // the ID comes from the registry
	Complete bool // every key is registered
	Conflict *Conflict
}

// maxPaths bounds the folders that are remembered of one project.
const maxPaths = 64

type registry struct {
	Keys map[string]string `json:"keys"`
}

// Lookup finds the project of a set of keys, strongest first. It only reads.
// Keys that nobody has registered yield the ID they will get.
func Lookup(home string, keys []string) (Entry, error) {
	r, _, err := readRegistry(home)
	if err != nil {
		return Entry{}, err
	}
	return r.lookup(keys), nil
}

// lookup takes the first known key. A place alone does not make a repository
// with a remote part of a project that has other remotes: folders are used
// again, and memory must not pass from one project to another that way.
func (r registry) lookup(keys []string) Entry {
	e := Entry{Complete: true}
	for _, key := range keys {
		id, ok := r.Keys[key]
		switch {
		case !ok:
			e.Complete = false
		case e.Known && id != e.ID:
			if e.Conflict == nil {
				e.Conflict = &Conflict{Key: key, ID: id}
			}
		case e.Known:
		case strings.HasPrefix(keys[0], remoteKey) && strings.HasPrefix(key, dirKey) && r.hasRemote(id):
			e.Conflict = &Conflict{Key: key, ID: id}
		default:
			e.ID, e.Known = id, true
		}
	}
	if !e.Known {
		e.ID = deriveID(keys[0])
	}
	return e
}

func (r registry) hasRemote(id string) bool {
	for key, owner := range r.Keys {
		if owner == id && strings.HasPrefix(key, remoteKey) {
			return true
		}
	}
	return false
}

// readRegistry reads projects.json. A missing or broken one is put together
// again from the projects' own files; broken says that it has to be replaced.
func readRegistry(home string) (r registry, broken bool, err error) {
	path := User(home).Registry()
	data, err := os.ReadFile(path)
	if err == nil && json.Unmarshal(data, &r) == nil && r.Keys != nil {
		for key, id := range r.Keys {
			if !validID(id) {
				delete(r.Keys, key)
			}
		}
		return r, false, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return registry{}, false, fmt.Errorf("read the registry of projects: %w", err)
	}
	r = registry{Keys: map[string]string{}}
	records, lerr := List(home)
	for _, rec := range records {
		for _, key := range rec.Keys {
			if _, taken := r.Keys[key]; !taken {
				r.Keys[key] = rec.ID
			}
		}
	}
	return r, err == nil, lerr
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
	data, err := os.ReadFile(filepath.Join(dir, "project.json"))
	if err != nil {
		return Record{}, false
	}
	var rec Record
	if json.Unmarshal(data, &rec) != nil {
		return Record{}, false
	}
	rec.ID = filepath.Base(dir)
	return rec, true
}

// Register writes the project's keys that the registry does not know yet. It
// may give p the ID that another process registered meanwhile. Without anything
// new, and for local projects, it writes nothing.
func Register(ctx context.Context, p *Project, now time.Time) error {
	if p.Local || p.Registered {
		return nil
	}
	return update(ctx, p, now, "")
}

// Adopt makes p the same project as the known one with this ID: all keys of p
// belong to it from now on. It is how a user settles a [Conflict], such as a
// repository whose remote was renamed.
func Adopt(ctx context.Context, p *Project, id string, now time.Time) error {
	if _, ok := readRecord(filepath.Join(User(p.Home).Projects(), id)); !ok || !validID(id) {
		return fmt.Errorf("project %q: %w; list the known ones with project list", id, memory.ErrNotFound)
	}
	return update(ctx, p, now, id)
}

// update registers the keys of p under the ID they belong to, or moves them all
// to the ID adopt.
func update(ctx context.Context, p *Project, now time.Time, adopt string) error {
	home := User(p.Home)
	unlock, err := jsonl.Lock(ctx, home.at(".projects.lock"))
	if err != nil {
		return fmt.Errorf("register project %s: %w", p.Name, err)
	}
	defer unlock()
	r, broken, err := readRegistry(p.Home)
	if err != nil {
		return err
	}
	if broken {
		if err := os.Rename(home.Registry(), home.Registry()+".broken"); err != nil {
			return fmt.Errorf("keep the broken registry aside: %w", err)
		}
	}
	if adopt != "" {
		for _, key := range p.Keys {
			if owner, taken := r.Keys[key]; taken && owner != adopt {
				if err := dropKey(home, owner, key); err != nil {
					return err
				}
			}
			r.Keys[key] = adopt
		}
	}
	e := r.lookup(p.Keys)
	dir := filepath.Join(home.Projects(), e.ID)
	rec, ok := readRecord(dir)
	if !ok {
		rec = Record{ID: e.ID, Name: p.Name, Created: now.UTC()}
	}
	for _, key := range p.Keys {
		if _, taken := r.Keys[key]; !taken {
			r.Keys[key] = e.ID
		}
		if r.Keys[key] == e.ID && !slices.Contains(rec.Keys, key) {
			rec.Keys = append(rec.Keys, key)
		}
	}
	if !slices.Contains(rec.Paths, p.Root) {
		rec.Paths = append(rec.Paths, p.Root)
		rec.Paths = rec.Paths[max(0, len(rec.Paths)-maxPaths):]
	}
	// The record first: a registry lost in between is made from the records.
	if err := writeJSON(filepath.Join(dir, "project.json"), rec); err != nil {
		return err
	}
	if err := writeJSON(home.Registry(), r); err != nil {
		return err
	}
	p.ID, p.Registered, p.Conflict = e.ID, true, e.Conflict
	return nil
}

// dropKey takes a key out of the record of the project it belonged to.
func dropKey(home Space, id, key string) error {
	dir := filepath.Join(home.Projects(), id)
	rec, ok := readRecord(dir)
	if !ok {
		return nil
	}
	rec.Keys = slices.DeleteFunc(rec.Keys, func(k string) bool { return k == key })
	return writeJSON(filepath.Join(dir, "project.json"), rec)
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return jsonl.WriteFile(path, append(data, '\n'))
}
