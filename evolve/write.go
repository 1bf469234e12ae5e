package evolve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"orihon/internal/jsonl"
	"orihon/internal/project"
	"orihon/memory"
)

// record says what was made of which habits, what was written of it, and what a
// model decided.
type record struct {
	Version int                 `json:"version"`
	Made    []*made             `json:"made"`
	Decided map[string]decision `json:"decided,omitempty"` // by [keyOf]
	Dirs    []string            `json:"dirs,omitempty"`    // made for installing

	before []byte
}

// made is one file and its copies. Sums are those of every text that was written:
// a file with another sum was changed by somebody else.
type made struct {
	Name        string              `json:"name"`
	Kind        Kind                `json:"kind"`
	Why         string              `json:"why"`
	By          string              `json:"by"`
	Description string              `json:"description,omitempty"`
	Members     []string            `json:"members"` // IDs of instincts
	Sums        []string            `json:"sums"`
	Installed   map[string][]string `json:"installed,omitempty"` // path, to the sums of the copies
}

const (
	recordVersion = 1
	maxSums       = 20
	maxDecided    = 500
)

// file is where a file lies in the project's private folder.
func (e *Evolver) file(kind Kind, name string) string {
	return filepath.Join(e.dir.Evolved(), place(kind, name))
}

func (e *Evolver) locked(ctx context.Context) (func(), error) {
	if _, err := os.Stat(string(e.dir)); errors.Is(err, fs.ErrNotExist) {
		return func() {}, nil // there is nothing to evolve, and nothing is made for it
	}
	return jsonl.Lock(ctx, e.dir.EvolvedRecord()+".lock")
}

func (e *Evolver) read() (*record, error) {
	path := e.dir.EvolvedRecord()
	rec := &record{Version: recordVersion}
	data, err := jsonl.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return rec, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, rec); err != nil || rec.Version != recordVersion {
		return nil, fmt.Errorf("%w record %s: move it aside; what it lists is then no longer known as ours", memory.ErrInvalid, path)
	}
	// Names come back as parts of paths: only those count that we would give.
	rec.Made = slices.DeleteFunc(rec.Made, func(m *made) bool {
		return m == nil || m.Name == "" || slug(m.Name) != m.Name || !slices.Contains(kinds(), m.Kind)
	})
	rec.before = data
	return rec, nil
}

// keep writes the record where it changed.
func (e *Evolver) keep(rec *record) error {
	data, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if string(data) == string(rec.before) || rec.before == nil && len(rec.Made)+len(rec.Decided) == 0 {
		return nil
	}
	rec.before = data
	return jsonl.WriteFile(e.dir.EvolvedRecord(), data)
}

func (rec *record) decide(key string, d decision) {
	if rec.Decided == nil || len(rec.Decided) >= maxDecided {
		rec.Decided = make(map[string]decision)
	}
	rec.Decided[key] = d
}

// madeOf is what was made of most of a group's habits; nil when nothing was.
func (rec *record) madeOf(group []Habit) *made {
	var best *made
	most := 0
	for _, m := range rec.Made {
		both := 0
		for i := range group {
			if slices.Contains(m.Members, group[i].ID) {
				both++
			}
		}
		if both > most && both*2 >= min(len(m.Members), len(group)) {
			best, most = m, both
		}
	}
	return best
}

// installed are the paths of all copies.
func (rec *record) installed() map[string]bool {
	out := make(map[string]bool)
	for _, m := range rec.Made {
		for path := range m.Installed {
			out[path] = true
		}
	}
	return out
}

// state is how the file of a proposal stands to its text.
func (e *Evolver) state(p *Proposal) State {
	var sums []string
	if p.made != nil {
		sums = p.made.Sums
	}
	return stateOf(p.File, []byte(p.Text), sums)
}

// stateOf is how a file stands to what it would hold, with the sums of what was
// written there before.
func stateOf(path string, want []byte, sums []string) State {
	have, err := jsonl.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Unwritten
	case err != nil || !slices.Contains(sums, sumOf(have)):
		return Edited
	case string(have) == string(want):
		return Unchanged
	}
	return Changed
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// with adds a sum to those that were written.
func with(sums []string, sum string) []string {
	if slices.Contains(sums, sum) {
		return sums
	}
	sums = append(sums, sum)
	return sums[max(0, len(sums)-maxSums):]
}

// write writes the file of a proposal and, where it is to be installed, its copy.
// The record goes first: what a crash leaves in between is still ours.
func (e *Evolver) write(p *Proposal, rec *record, o *Options) error {
	if p.made == nil {
		if p.State == Edited {
			p.Refused = p.File + " is there and not ours"
			return nil
		}
		p.made = &made{Name: p.Name, Kind: p.Kind, Why: p.Why, By: p.By, Description: p.description}
		rec.Made = append(rec.Made, p.made)
	}
	p.made.Members = p.made.Members[:0]
	for i := range p.Habits {
		p.made.Members = append(p.made.Members, p.Habits[i].ID)
	}
	if p.State == Unwritten || p.State == Changed {
		p.made.Sums = with(p.made.Sums, sumOf([]byte(p.Text)))
		if err := e.keep(rec); err != nil {
			return err
		}
		if err := jsonl.WriteFile(p.File, []byte(p.Text)); err != nil {
			return err
		}
	}
	if o.Install == "" {
		return nil
	}
	dir := o.ClientDir
	if o.Install == Project {
		dir = e.projectDir()
	}
	return e.install(p, rec, dir)
}

// install copies the file, as it stands and as a person may have changed it, to
// where the client reads it. What somebody else has there stays.
func (e *Evolver) install(p *Proposal, rec *record, dir string) error {
	in := Installed{Path: filepath.Join(dir, place(p.Kind, p.Name))}
	defer func() { p.Installed = append(p.Installed, in) }()
	text, err := jsonl.ReadFile(p.File)
	if err != nil {
		return err
	}
	if err := check(p.Kind, p.Name, text); err != nil {
		in.Problem = fmt.Sprintf("%s cannot be installed: %v", p.File, err)
		return nil
	}
	if err := e.confined(dir, in.Path); err != nil {
		in.Problem = err.Error()
		return nil
	}
	in.State = stateOf(in.Path, text, p.made.Installed[in.Path])
	switch in.State {
	case Edited:
		in.Problem = "it was changed by hand, or is not ours: it stays as it is"
		return nil
	case Unchanged:
		return nil
	}
	if p.made.Installed == nil {
		p.made.Installed = make(map[string][]string)
	}
	p.made.Installed[in.Path] = with(p.made.Installed[in.Path], sumOf(text))
	for up := filepath.Dir(in.Path); ; up = filepath.Dir(up) {
		if _, err := os.Stat(up); err == nil || up == filepath.Dir(up) {
			break
		}
		if !slices.Contains(rec.Dirs, up) {
			rec.Dirs = append(rec.Dirs, up)
		}
	}
	if err := e.keep(rec); err != nil {
		return err
	}
	return jsonl.WriteFile(in.Path, text)
}

// Uninstalled is what became of one copy.
type Uninstalled struct {
	Path    string `json:"path"`
	Removed bool   `json:"removed"`
	Problem string `json:"problem,omitempty"` // why it is left
}

// Uninstall takes away the copies where clients read them, those of all names when
// none is given, and the folders that were made for them. What a person changed
// stays and is named; the files in the project's private folder stay. With dryRun
// it only says what would go.
func (e *Evolver) Uninstall(ctx context.Context, dryRun bool, names ...string) ([]Uninstalled, error) {
	unlock, err := e.locked(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	rec, err := e.read()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !slices.ContainsFunc(rec.Made, func(m *made) bool { return m.Name == name }) {
			return nil, fmt.Errorf("%s: %w among what was made of habits", cut(name, maxName), memory.ErrNotFound)
		}
	}
	out := []Uninstalled{}
	for _, m := range rec.Made {
		if len(names) > 0 && !slices.Contains(names, m.Name) {
			continue
		}
		for _, path := range slices.Sorted(maps.Keys(m.Installed)) {
			u := takeAway(path, m, dryRun)
			if u.Removed && !dryRun {
				delete(m.Installed, path)
			}
			out = append(out, u)
		}
	}
	if dryRun {
		return out, nil
	}
	slices.SortFunc(rec.Dirs, func(a, b string) int { return len(b) - len(a) })
	rec.Dirs = slices.DeleteFunc(rec.Dirs, func(dir string) bool {
		err := os.Remove(dir) // only an empty one goes
		return err == nil || errors.Is(err, fs.ErrNotExist)
	})
	return out, e.keep(rec)
}

// UninstallAll is [Evolver.Uninstall] for all projects of the user.
func (e *Evolver) UninstallAll(ctx context.Context, dryRun bool) ([]Uninstalled, error) {
	records, err := filepath.Glob(filepath.Join(project.User(e.h.Project.Home).Projects(), "*", filepath.Base(e.dir.EvolvedRecord())))
	if err != nil {
		return nil, err
	}
	dirs := []project.Space{e.dir}
	for _, r := range records {
		if dir := project.Space(filepath.Dir(r)); dir != e.dir {
			dirs = append(dirs, dir)
		}
	}
	var out []Uninstalled
	for _, dir := range dirs {
		gone, err := (&Evolver{e.h, dir}).Uninstall(ctx, dryRun)
		if err != nil {
			return out, err
		}
		out = append(out, gone...)
	}
	return out, nil
}

// takeAway removes one copy, where it is as it was written.
func takeAway(path string, m *made, dryRun bool) Uninstalled {
	u := Uninstalled{Path: path}
	if !filepath.IsAbs(path) || filepath.Base(path) != filepath.Base(place(m.Kind, m.Name)) {
		u.Problem = "the record was not written here"
		return u
	}
	have, err := jsonl.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		u.Removed = true
		return u
	case err != nil:
		u.Problem = err.Error()
	case !slices.Contains(m.Installed[path], sumOf(have)):
		u.Problem = "it was changed by hand: delete it yourself when it is to go"
	default:
		if !dryRun {
			err = os.Remove(path)
		}
		if u.Removed = err == nil; err != nil {
			u.Problem = err.Error()
		}
	}
	return u
}
