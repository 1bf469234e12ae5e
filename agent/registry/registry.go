// Package registry keeps agents that a person installed: copies of folders, each
// under its name and version, with the checksums of all files in one lock file. An
// agent whose files are others than those that were installed is not found.
//
// Installing copies files and runs none of them. It searches nothing and updates
// nothing by itself. Start with [Open].
//
// # What it keeps
//
//	lock.json                      what is installed, from where, with SHA-256 sums
//	@scope/name@version/           the agent's folder
package registry

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/agent"
	"orihon/internal/jsonl"
	"orihon/memory"
)

// Bounds of one agent.
const (
	maxFiles = 1000
	maxBytes = 20 << 20
)

const (
	lockName    = "lock.json"
	lockVersion = 1
	// defaultScope is that of an agent whose name has none.
	defaultScope = "@local"
)

// Registry is a folder of installed agents. It may be used by several processes.
type Registry struct {
	dir string
	now func() time.Time
}

// Open returns the registry in a folder, which need not exist. A nil clock is
// time.Now.
func Open(dir string, now func() time.Time) *Registry {
	if now == nil {
		now = time.Now
	}
	return &Registry{dir, now}
}

// Agent is an agent that is installed.
type Agent struct {
	Name        string            `json:"name"` // with its scope
	Version     string            `json:"version"`
	Description string            `json:"description,omitempty"`
	Source      string            `json:"source"` // as it was given
	Commit      string            `json:"commit,omitempty"`
	Installed   time.Time         `json:"installed"`
	Files       map[string]string `json:"files"` // SHA-256 by path
	// Runs are the commands that its tools and hooks start, for a person to look at.
	Runs []string `json:"runs,omitempty"`
}

// ID is the name and the version, as an agent is asked for.
func (a *Agent) ID() string { return a.Name + "@" + a.Version }

// lockFile is lock.json.
type lockFile struct {
	Version int              `json:"version"`
	Agents  map[string]Agent `json:"agents"` // by ID
}

func (r *Registry) read() (lockFile, error) {
	l := lockFile{Version: lockVersion, Agents: map[string]Agent{}}
	file := filepath.Join(r.dir, lockName)
	data, err := jsonl.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &l)
	}
	if err != nil || l.Version != lockVersion || l.Agents == nil {
		return l, fmt.Errorf("%w %s: it cannot be read, or is of another version: mend it, or remove it and install the agents again", memory.ErrInvalid, file)
	}
	return l, nil
}

// change changes lock.json under its lock.
func (r *Registry) change(ctx context.Context, change func(*lockFile) error) error {
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	unlock, err := jsonl.Lock(ctx, filepath.Join(r.dir, ".lock"))
	if err != nil {
		return err
	}
	defer unlock()
	l, err := r.read()
	if err != nil {
		return err
	}
	if err := change(&l); err != nil {
		return err
	}
	data, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	return jsonl.WriteFile(filepath.Join(r.dir, lockName), append(data, '\n'))
}

// List returns what is installed, by name and version.
func (r *Registry) List() ([]Agent, error) {
	l, err := r.read()
	if err != nil {
		return nil, err
	}
	var out []Agent
	for _, id := range slices.Sorted(maps.Keys(l.Agents)) {
		out = append(out, l.Agents[id])
	}
	return out, nil
}

// Install copies an agent into the registry. source is a folder, or the address of
// a git repository, behind which # may name a branch or a tag; sub is the folder of
// the agent below it, or empty. Nothing of it is run. The same version with other
// content is refused.
func (r *Registry) Install(ctx context.Context, source, sub string) (Agent, error) {
	if sub != "" && !filepath.IsLocal(sub) {
		return Agent{}, fmt.Errorf("%w path %q: it must lie below the source", memory.ErrInvalid, sub)
	}
	from, commit := source, ""
	if isAddress(source) {
		dir, err := os.MkdirTemp("", "orihon-agent-")
		if err != nil {
			return Agent{}, err
		}
		defer os.RemoveAll(dir)
		if commit, err = fetch(ctx, source, dir); err != nil {
			return Agent{}, err
		}
		from = filepath.Join(dir, cloned)
	} else if abs, err := filepath.Abs(source); err == nil {
		source = abs
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return Agent{}, err
	}
	staged, err := os.MkdirTemp(r.dir, ".installing-")
	if err != nil {
		return Agent{}, err
	}
	defer os.RemoveAll(staged)
	files, err := copyFolder(from, sub, staged)
	if err != nil {
		return Agent{}, err
	}
	def, err := agent.Read(staged)
	if err != nil {
		// The folder it was copied to says nothing to anybody.
		return Agent{}, fmt.Errorf("%w agent: %s", memory.ErrInvalid, strings.NewReplacer(staged+string(filepath.Separator), "", "\n", "; ").Replace(err.Error()))
	}
	a := Agent{
		Name: scoped(def.Name), Version: cmp.Or(def.Version, "0.0.0"), Description: def.Description, Source: source, Commit: commit,
		Installed: r.now().UTC(), Files: files, Runs: commands(def),
	}
	if !validVersion(a.Version) {
		return Agent{}, fmt.Errorf("%w version %q: letters, digits, dots, + and - only", memory.ErrInvalid, a.Version)
	}
	return a, r.change(ctx, func(l *lockFile) error { return r.place(l, a, staged) })
}

// place moves what was copied to where it belongs.
func (r *Registry) place(l *lockFile, a Agent, staged string) error {
	dir := r.folder(&a)
	if known, ok := l.Agents[a.ID()]; ok && !maps.Equal(known.Files, a.Files) {
		return fmt.Errorf("agent %s: %w: this version is installed with other content; remove it first", a.ID(), memory.ErrRefused)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := os.Rename(staged, dir); err != nil {
		return err
	}
	l.Agents[a.ID()] = a
	return nil
}

// Remove deletes an agent, of one version or of all, and returns those it deleted.
func (r *Registry) Remove(ctx context.Context, name string) ([]Agent, error) {
	var out []Agent
	err := r.change(ctx, func(l *lockFile) error {
		for _, id := range slices.Sorted(maps.Keys(l.Agents)) {
			a := l.Agents[id]
			if id != scoped(name) && a.Name != scoped(name) {
				continue
			}
			if err := os.RemoveAll(r.folder(&a)); err != nil {
				return err
			}
			delete(l.Agents, id)
			out = append(out, a)
		}
		if len(out) == 0 {
			return fmt.Errorf("agent %s: %w", name, memory.ErrNotFound)
		}
		return nil
	})
	return out, err
}

// Find is the folder of an agent, @scope/name or @scope/name@version; without a
// version it is the one installed last. One whose files are not those that were
// installed is refused.
func (r *Registry) Find(name string) (string, error) {
	l, err := r.read()
	if err != nil {
		return "", err
	}
	var found *Agent
	for id, a := range l.Agents {
		if (id == scoped(name) || a.Name == scoped(name)) && (found == nil || a.Installed.After(found.Installed)) {
			found = &a
		}
	}
	if found == nil {
		return "", fmt.Errorf("agent %s: %w: see orihon agents list", name, memory.ErrNotFound)
	}
	dir := r.folder(found)
	sums, err := sumsOf(dir)
	if err != nil {
		return "", err
	}
	if !maps.Equal(sums, found.Files) {
		return "", fmt.Errorf("agent %s: %w: its files are not those that were installed (%s); install it again", found.ID(), memory.ErrRefused, differing(sums, found.Files))
	}
	return dir, nil
}

func (r *Registry) folder(a *Agent) string { return filepath.Join(r.dir, filepath.FromSlash(a.ID())) }

// scoped is a name with its scope.
func scoped(name string) string {
	if strings.HasPrefix(name, "@") {
		return name
	}
	return defaultScope + "/" + name
}

func validVersion(v string) bool {
	return len(v) <= 64 && v[0] != '.' && !strings.Contains(v, "..") && !strings.ContainsFunc(v, func(r rune) bool {
		return r != '.' && r != '+' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// commands are what an agent starts, one line each.
func commands(d *agent.Definition) []string {
	var out []string
	for i := range d.Tools {
		if t := &d.Tools[i]; len(t.Command) > 0 {
			out = append(out, t.Name+": "+strings.Join(t.Command, " "))
		}
	}
	for _, h := range [][]string{d.Hooks.Start, d.Hooks.Iteration, d.Hooks.End, d.Context.Options.Custom.Command, d.Context.Options.AutoSummarize.Options.Program.Command} {
		if len(h) > 0 {
			out = append(out, "hook: "+strings.ReplaceAll(strings.Join(h, " "), d.Dir+string(filepath.Separator), ""))
		}
	}
	return out
}

// differing names a file in which two sets of sums differ.
func differing(a, b map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if a[name] != b[name] {
			return name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if a[name] != b[name] {
			return name
		}
	}
	return "none"
}

// copyFolder copies the regular files of a folder and returns their sums. A link is
// refused, wherever it leads; what git keeps for itself stays behind.
func copyFolder(from, sub, to string) (map[string]string, error) {
	root, err := os.OpenRoot(from)
	if err != nil {
		return nil, fmt.Errorf("agent %w: %s is no folder", memory.ErrNotFound, from)
	}
	defer root.Close()
	sums, size := map[string]string{}, int64(0)
	start := path.Clean(filepath.ToSlash(cmp.Or(sub, ".")))
	err = fs.WalkDir(root.FS(), start, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below := strings.TrimPrefix(strings.TrimPrefix(name, start), "/")
		switch {
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%w agent: %s is no regular file", memory.ErrInvalid, below)
		case start == ".":
			below = name
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if size += info.Size(); size > maxBytes || len(sums) >= maxFiles {
			return fmt.Errorf("%w agent: it has more than %d files or %d MB", memory.ErrInvalid, maxFiles, maxBytes>>20)
		}
		sums[below], err = copyFile(root, name, filepath.Join(to, filepath.FromSlash(below)), info.Mode())
		return err
	})
	return sums, err
}

func copyFile(root *os.Root, name, to string, mode fs.FileMode) (sum string, err error) {
	in, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return "", err
	}
	perm := fs.FileMode(0o600)
	if mode&0o100 != 0 {
		perm = 0o700
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, h), io.LimitReader(in, maxBytes))
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, out.Close())
}

// sumsOf are those of the files in a folder; anything that is no regular file has
// its kind for a sum.
func sumsOf(dir string) (map[string]string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("agent %w: %s is gone; install it again", memory.ErrNotFound, dir)
	}
	defer root.Close()
	sums := map[string]string{}
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			sums[name] = d.Type().String()
			return nil
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		h := sha256.New()
		_, err = io.Copy(h, f)
		sums[name] = hex.EncodeToString(h.Sum(nil))
		return err
	})
	return sums, err
}
