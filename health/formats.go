package health

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/embed"
	"orihon/internal/home"
	"orihon/internal/jsonl"
	"orihon/internal/project"
	"orihon/internal/sqlite"
	"orihon/internal/store"
	"orihon/journal"
	"orihon/memory"
)

// Format says which versions of one format stand in the home.
type Format struct {
	Name     string `json:"format"`
	Known    int    `json:"known"` // the newest version that this program reads
	Files    int    `json:"files"`
	Oldest   int    `json:"oldest,omitempty"` // 0 when nothing says one
	Newest   int    `json:"newest,omitempty"`
	Unmarked int    `json:"unmarked,omitempty"` // lines that do not say theirs; they count as 1
	// Newer names the first place that needs a newer program.
	Newer string `json:"newer,omitempty"`
	Note  string `json:"note,omitempty"`
}

// Migrated is what [Health.Migrate] did.
type Migrated struct {
	Formats   []Format `json:"formats"` // as they were before
	Rewritten []string `json:"rewritten"`
	Kept      []string `json:"kept"` // the files as they were, in the same order
}

// Migrate brings every text in the home, and in this project's folder, to the
// present version of its format; each file that is rewritten is kept beside as
// it was. Whatever is newer than this program is refused with
// [memory.ErrRefused] before anything is written. With dry it only looks.
func (x *Health) Migrate(ctx context.Context, dry bool) (Migrated, error) {
	out := Migrated{Rewritten: []string{}, Kept: []string{}}
	f := &formats{h: x.h.Home}
	if err := f.look(ctx); err != nil {
		return out, err
	}
	out.Formats = f.all
	for _, one := range f.all {
		if one.Newer != "" {
			return out, fmt.Errorf("%w: %s: %s of version %d, this program reads %d: update it", memory.ErrRefused, one.Newer, one.Name, one.Newest, one.Known)
		}
	}
	if dry {
		return out, nil
	}
	for _, file := range f.ledgers {
		aside, err := store.MarkVersions(ctx, file)
		if err != nil {
			return out, err
		}
		if aside != "" {
			out.Rewritten, out.Kept = append(out.Rewritten, file), append(out.Kept, aside)
		}
	}
	return out, nil
}

// formats looks at every file of the home that has a format.
type formats struct {
	h       *home.Home
	all     []Format
	ledgers []string
}

func (f *formats) look(ctx context.Context) error {
	spaces := f.spaces()
	var trails, journals, states, indexes []string
	for _, sp := range spaces {
		f.ledgers = append(f.ledgers, glob(sp.Memory(), "*.jsonl")...)
		trails = append(trails, existing(sp.Audit(), sp.Usage())...)
		for _, name := range journal.Names() {
			journals = append(journals, glob(sp.Sessions(), "*", name)...)
		}
		states = append(states, glob(sp.Sessions(), "*", "state.json")...)
		indexes = append(indexes, existing(filepath.Join(sp.Index(), "index.db"))...)
	}
	p := f.h.Project
	f.ledgers = append(f.ledgers, glob(p.SharedMemory(), "*.jsonl")...)
	f.ledgers = append(f.ledgers, glob(p.Roles(), "*", "*.jsonl")...)
	slices.Sort(f.ledgers)
	f.ledgers = slices.Compact(f.ledgers)
	for _, lines := range []struct {
		name  string
		files []string
	}{{"ledger", f.ledgers}, {"audit and usage", trails}, {"journal", journals}} {
		if err := f.lines(ctx, lines.name, lines.files); err != nil {
			return err
		}
	}
	f.states(states)
	f.index(ctx, indexes)
	f.all = append(f.all, Format{
		Name: "config", Known: 1, Files: len(existing(project.User(p.Home).Config(), p.Config())),
		Note: "has no version; unknown keys are told",
	})
	return nil
}

// spaces are all that the home holds, and this project's own wherever it lies.
func (f *formats) spaces() []project.Space {
	user := project.User(f.h.Project.Home)
	out := []project.Space{user}
	for _, dir := range glob(user.Projects(), "*") {
		out = append(out, project.Space(dir))
	}
	if own := f.h.Project.Private(); !slices.Contains(out, own) {
		out = append(out, own)
	}
	return out
}

func (f *formats) lines(ctx context.Context, name string, files []string) error {
	one := Format{Name: name, Known: store.FormatVersion, Files: len(files)}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := store.ReadFormat(file)
		if err != nil {
			return err
		}
		one.Unmarked += v.Unmarked
		one.saw(v.Oldest, fmt.Sprintf("%s:%d", file, v.Newer))
		one.saw(v.Newest, fmt.Sprintf("%s:%d", file, v.Newer))
	}
	if name == "journal" {
		one.Unmarked, one.Note = 0, "lines say a version only from the second on"
	}
	f.all = append(f.all, one)
	return nil
}

// saw takes a version in.
func (f *Format) saw(v int, at string) {
	if v == 0 {
		return
	}
	if f.Oldest == 0 || v < f.Oldest {
		f.Oldest = v
	}
	f.Newest = max(f.Newest, v)
	if v > f.Known && f.Newer == "" {
		f.Newer = at
	}
}

func (f *formats) states(files []string) {
	one := Format{Name: "session state", Known: 1, Files: len(files)}
	for _, file := range files {
		var head struct {
			Version int `json:"version"`
		}
		data, err := jsonl.ReadFile(file)
		if err == nil && json.Unmarshal(data, &head) == nil {
			one.saw(head.Version, file)
		}
	}
	f.all = append(f.all, one)
}

// index looks at the indexes. Another version of one is no obstacle: it is
// derived, and built anew.
func (f *formats) index(ctx context.Context, files []string) {
	one := Format{Name: "index", Known: sqlite.Format, Files: len(files)}
	for _, file := range files {
		x, err := sqlite.Open(ctx, file, &sqlite.Options{Embedder: embed.NewHash(0), ReadOnly: true})
		if err != nil {
			one.Note = "the next sync builds it anew: " + strings.TrimPrefix(err.Error(), memory.ErrStale.Error()+": ")
			continue
		}
		if stamp, err := x.Stamp(ctx); err == nil {
			one.saw(stamp.Format, file)
		}
		if err := x.Close(); err != nil {
			one.Note = err.Error()
		}
	}
	f.all = append(f.all, one)
}

// glob lists the paths below dir whose parts match, sorted; dir itself is no
// pattern.
func glob(dir string, parts ...string) (out []string) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, d := range names {
		if ok, _ := filepath.Match(parts[0], d.Name()); !ok || strings.HasPrefix(d.Name(), ".") {
			continue
		}
		path := filepath.Join(dir, d.Name())
		if len(parts) > 1 {
			out = append(out, glob(path, parts[1:]...)...)
		} else {
			out = append(out, path)
		}
	}
	return out
}

func existing(files ...string) (out []string) {
	for _, file := range files {
		if _, err := os.Stat(file); err == nil || !errors.Is(err, os.ErrNotExist) {
			out = append(out, file)
		}
	}
	return out
}
