package project

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// Register writes what the registry does not know yet of p: its keys, and that
// its folder is linked with it. It may give p another ID and a claim when
// another process was faster. Without anything new it writes nothing.
func Register(ctx context.Context, p *Project, now time.Time) error {
	if p.Registered {
		return nil
	}
	if p.Local {
		return p.recordLocal(ctx)
	}
	return p.change(ctx, func(r *registry) error {
		p.settle(r)
		e := r.lookup(&p.found)
		rec := r.record(e.ID, p.Name, now)
		for _, key := range e.Keys {
			if _, taken := r.Keys[key]; !taken {
				rec.Keys = append(rec.Keys, key)
			}
		}
		rec.link(p.found.Anchor)
		return r.keep(&rec)
	})
}

// Link ties the folder of p to a known project, on the word of a person: all of
// its keys belong to that from now on. The error wraps [memory.ErrNotFound]
// when there is no such project, and [memory.ErrRefused] when its remote is
// another project's.
func Link(ctx context.Context, p *Project, id string, now time.Time) error {
	if !validID(id) {
		return unknownProject(id)
	}
	if p.Local {
		return fmt.Errorf("%w: %s keeps its memory in itself and belongs to no other project", memory.ErrRefused, p.Root)
	}
	return p.change(ctx, func(r *registry) error {
		if !r.taken(id) && !r.holds(id) {
			return unknownProject(id)
		}
		present, own := r.lookup(&p.found).ID, p.found.own()
		for _, key := range p.found.Keys {
			if owner := r.Keys[key]; key != own && owner != "" && owner != id && owner != present {
				return fmt.Errorf("%w: %s belongs to project %s: link the folder with that one", memory.ErrRefused, key, owner)
			}
		}
		for _, key := range p.found.Keys {
			if owner, taken := r.Keys[key]; taken && owner != id {
				if err := r.dropKey(owner, key); err != nil {
					return err
				}
			}
		}
		for _, other := range slices.Clone(r.links(p.found.Anchor)) {
			if other != id && other == present {
				if err := r.unlink(&p.found, other); err != nil {
					return err
				}
			}
		}
		rec := r.record(id, p.Name, now)
		for _, key := range p.found.Keys {
			if !slices.Contains(rec.Keys, key) {
				rec.Keys = append(rec.Keys, key)
			}
		}
		rec.link(p.found.Anchor)
		return r.keep(&rec)
	})
}

// Unlink takes back that the folder of p is linked with its project. What that
// project remembers stays. The error wraps [memory.ErrNotFound] when there is
// nothing to take back.
func Unlink(ctx context.Context, p *Project) error {
	if p.Local || p.Claim != nil {
		return fmt.Errorf("%w: %s is linked with no project", memory.ErrNotFound, p.Root)
	}
	return p.change(ctx, func(r *registry) error {
		id := r.lookup(&p.found).ID
		if !r.linked(&p.found, id) {
			return fmt.Errorf("%w: %s is linked with no project", memory.ErrNotFound, p.Root)
		}
		if own := p.found.own(); r.Keys[own] == id {
			if err := r.dropKey(id, own); err != nil {
				return err
			}
		}
		return r.unlink(&p.found, id)
	})
}

func unknownProject(id string) error {
	return fmt.Errorf("project %q: %w; orihon project list shows the known ones", id, memory.ErrNotFound)
}

// change changes the registry under its lock, and p with it.
func (p *Project) change(ctx context.Context, fn func(*registry) error) error {
	home := User(p.Home)
	unlock, err := jsonl.Lock(ctx, home.at(".projects.lock"))
	if err != nil {
		return fmt.Errorf("register project %s: %w", p.Name, err)
	}
	defer unlock()
	r, err := readRegistry(p.Home)
	if err != nil {
		return err
	}
	if r.broken {
		if err := os.Rename(home.Registry(), home.Registry()+".broken"); err != nil {
			return fmt.Errorf("keep the broken registry aside: %w", err)
		}
	}
	if err := fn(r); err != nil {
		return err
	}
	if err := writeJSON(home.Registry(), r); err != nil {
		return err
	}
	p.settle(r)
	return nil
}

// record is the record of a project, made when there is none.
func (r *registry) record(id, name string, now time.Time) Record {
	rec, ok := readRecord(filepath.Join(r.home.Projects(), id))
	if !ok {
		return Record{V: recordVersion, ID: id, Name: withoutSecrets(name), Created: now.UTC()}
	}
	rec.Paths, rec.V = rec.linked(), recordVersion
	return rec
}

func (rec *Record) link(path string) {
	path = stored(path)
	if !slices.Contains(rec.Paths, path) {
		rec.Paths = append(rec.Paths, path)
		rec.Paths = rec.Paths[max(0, len(rec.Paths)-maxPaths):]
	}
}

// keep writes a record and takes it in. The record comes first: a registry that
// is lost in between is made from the records.
func (r *registry) keep(rec *Record) error {
	rec.Name = withoutSecrets(rec.Name)
	for _, list := range []*[]string{&rec.Keys, &rec.Paths} {
		for i, text := range *list {
			if (*list)[i] = stored(text); (*list)[i] != text {
				delete(r.Keys, text)
			}
		}
	}
	if err := writeJSON(filepath.Join(r.home.Projects(), rec.ID, "project.json"), rec); err != nil {
		return err
	}
	r.know(rec)
	return nil
}

// drop takes something out of the record of a project that has one.
func (r *registry) drop(id string, what func(*Record)) error {
	dir := filepath.Join(r.home.Projects(), id)
	rec, ok := readRecord(dir)
	if !ok {
		return nil
	}
	rec.Paths, rec.V = rec.linked(), recordVersion
	what(&rec)
	return writeJSON(filepath.Join(dir, "project.json"), rec)
}

func (r *registry) dropKey(id, key string) error {
	if err := r.drop(id, func(rec *Record) {
		rec.Keys = slices.DeleteFunc(rec.Keys, func(k string) bool { return k == key })
	}); err != nil {
		return err
	}
	delete(r.Keys, key)
	return nil
}

// unlink takes a folder, and the main worktree that stands for it, from a
// project.
func (r *registry) unlink(f *folder, id string) error {
	gone := func(path string) bool {
		return path == stored(f.Anchor) || path == stored(f.Root) || isFolder(path, f.Anchor) || isFolder(path, f.Root)
	}
	if err := r.drop(id, func(rec *Record) { rec.Paths = slices.DeleteFunc(rec.Paths, gone) }); err != nil {
		return err
	}
	for path, ids := range r.Links {
		if gone(path) {
			r.Links[path] = slices.DeleteFunc(ids, func(other string) bool { return other == id })
		}
	}
	return nil
}

// KeepApart notes that a person wants the folder of p apart from the project it
// says to be, see [Claim.Settled].
func KeepApart(ctx context.Context, p *Project, now time.Time) error {
	if p.Claim == nil {
		return fmt.Errorf("%w: %s says to be no other project that is known", memory.ErrNotFound, p.Root)
	}
	if err := Register(ctx, p, now); err != nil {
		return err
	}
	return p.change(ctx, func(r *registry) error {
		e := r.lookup(&p.found)
		if e.Claim == nil {
			return nil
		}
		rec := r.record(e.ID, p.Name, now)
		if !slices.Contains(rec.ApartFrom, e.Claim.ID) {
			rec.ApartFrom = append(rec.ApartFrom, e.Claim.ID)
		}
		return r.keep(&rec)
	})
}
