package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/child"
	"orihon/memory"
)

// Checkout is the worktree around a folder, held against its commits. Git never
// sees the repository's own folder, as with [Subjects]: it gets a folder of ours
// with the repository's objects and a copy of its index, so that no hook, filter or
// helper that is configured there runs.
type Checkout struct {
	repo    repository
	git     string
	id      string // the commit that is checked out
	objects string
}

// OpenCheckout finds the worktree around a folder. The error wraps
// [memory.ErrNotFound] where there is none with a commit, and [memory.ErrRefused]
// where it cannot be read safely.
func OpenCheckout(root string) (*Checkout, error) {
	repo, ok := enclosing(realPath(root))
	if !ok {
		return nil, fmt.Errorf("git repository around %s: %w", root, memory.ErrNotFound)
	}
	c := &Checkout{repo: repo, id: repo.head(), objects: filepath.Join(repo.Common, "objects")}
	switch {
	case !repo.own() || !plainObjects(c.objects):
		return nil, fmt.Errorf("%w: the git folder of %s is not its own, or borrows its objects", memory.ErrRefused, repo.Top)
	case repo.Top == repo.Dir:
		return nil, fmt.Errorf("%w: %s is a bare repository", memory.ErrRefused, repo.Top)
	case c.id == "":
		return nil, fmt.Errorf("commit in %s: %w: make one first (the reftable format is not read)", repo.Top, memory.ErrNotFound)
	}
	var err error
	c.git, err = Program("git", root, repo.Top)
	return c, err
}

// Top is the folder of the worktree.
func (c *Checkout) Top() string { return c.repo.Top }

// Head is the commit that is checked out.
func (c *Checkout) Head() string { return c.id }

// Branch is the branch that is checked out; empty for none.
func (c *Checkout) Branch() string { return c.repo.branch() }

// maxTracked bounds the files that are counted.
const maxTracked = 2_000_000

// Files counts what git tracks.
func (c *Checkout) Files(ctx context.Context) (int, error) {
	files, err := Tracked(ctx, c.repo.Top, maxTracked)
	return len(files), err
}

// Dirty lists what differs from the commit, each as git's two letters and a path:
// changed files, and files that git neither tracks nor ignores. Files behind a
// filter are compared as they lie there.
func (c *Checkout) Dirty(ctx context.Context) ([]string, error) {
	dir, remove, err := c.sandbox()
	if err != nil {
		return nil, err
	}
	defer remove()
	out, err := c.run(ctx, dir, given{}, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=dirty")
	if err != nil {
		return nil, err
	}
	var dirty []string
	for _, entry := range fields(out) {
		dirty = append(dirty, plain(entry, 4096))
	}
	return dirty, nil
}

// Distance counts the commits that HEAD has beyond another one, and those that the
// other has beyond HEAD.
func (c *Checkout) Distance(ctx context.Context, id string) (ahead, behind int, err error) {
	dir, remove, err := c.sandbox()
	if err != nil {
		return 0, 0, err
	}
	defer remove()
	out, err := c.run(ctx, dir, given{}, "rev-list", "--left-right", "--count", c.id+"..."+id, "--")
	if err != nil {
		return 0, 0, err
	}
	_, err = fmt.Sscan(string(out), &ahead, &behind)
	return ahead, behind, err
}

// Restore checks a commit out on a new branch. It refuses while anything differs
// from the commit that is checked out, where a file would be overwritten that git
// does not track, and where a file would need a filter, which is not run.
func (c *Checkout) Restore(ctx context.Context, branch, id string) error {
	if !hexID(id) || !validRef("refs/heads/"+branch) {
		return fmt.Errorf("%w branch %q or commit %q", memory.ErrInvalid, plain(branch, maxAuthor), plain(id, sha256Digits))
	}
	if c.Ref("refs/heads/"+branch) != "" {
		return fmt.Errorf("%w: there is a branch %s already", memory.ErrRefused, branch)
	}
	unlock, err := c.lock("HEAD", "index")
	if err != nil {
		return err
	}
	defer unlock()
	switch dirty, err := c.Dirty(ctx); {
	case err != nil:
		return err
	case len(dirty) > 0:
		return fmt.Errorf("%w: %d files are not committed, such as %s: commit or stash them first", memory.ErrRefused, len(dirty), dirty[0])
	}
	dir, remove, err := c.sandbox()
	if err != nil {
		return err
	}
	defer remove()
	if err := c.safe(ctx, dir, id); err != nil {
		return err
	}
	if _, err := c.run(ctx, dir, given{}, "read-tree", "-m", "-u", c.id, id); err != nil {
		_, back := c.run(context.WithoutCancel(ctx), dir, given{}, "read-tree", "--reset", "-u", c.id)
		return errors.Join(err, back)
	}
	return c.settle(dir, branch, id)
}

// safe refuses what bringing a commit back would take more than git alone for.
func (c *Checkout) safe(ctx context.Context, dir, id string) error {
	if _, err := c.run(ctx, dir, given{}, "cat-file", "-e", id+"^{commit}"); err != nil {
		return fmt.Errorf("commit %s: %w in this repository", id, memory.ErrNotFound)
	}
	for _, s := range c.repo.config() {
		if s.Section == "core" && s.Key == "sparsecheckout" && s.Value == "true" {
			return fmt.Errorf("%w: only a part of the repository is checked out (core.sparseCheckout)", memory.ErrRefused)
		}
	}
	target := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "target")}
	if _, err := c.run(ctx, dir, given{env: target}, "read-tree", id); err != nil {
		return err
	}
	out, err := c.run(ctx, dir, given{}, "diff-tree", "-r", "-z", "--no-renames", "--name-status", c.id, id)
	if err != nil {
		return err
	}
	var written bytes.Buffer
	var added []string
	gone := make(map[string]bool)
	for f := fields(out); len(f) >= 2; f = f[2:] {
		switch f[0] {
		case "D":
			gone[f[1]] = true
			continue
		case "A":
			added = append(added, f[1])
		}
		written.WriteString(f[1] + "\x00")
	}
	if written.Len() == 0 {
		return nil
	}
	attributes, err := c.run(ctx, dir, given{target, written.Bytes()}, "check-attr", "-z", "--stdin", "--cached", "filter")
	if err != nil {
		return err
	}
	for f := fields(attributes); len(f) >= 3; f = f[3:] {
		if v := f[2]; v != "unspecified" && v != "unset" {
			return fmt.Errorf("%w: %s goes through the filter %s, which Orihon does not run: git switch -c NAME %s does", memory.ErrRefused, plain(f[0], maxSubject), plain(v, maxAuthor), id)
		}
	}
	for _, name := range added {
		if in := c.inTheWay(name, gone); in != "" {
			return fmt.Errorf("%w: %s is in the way, which git does not track: move it away", memory.ErrRefused, plain(in, maxSubject))
		}
	}
	return nil
}

// inTheWay is what stands where a file is to be added, or a file where one of its
// folders is to be; gone are the files that go.
func (c *Checkout) inTheWay(name string, gone map[string]bool) string {
	path := func(name string) string { return filepath.Join(c.repo.Top, filepath.FromSlash(name)) }
	if _, err := os.Lstat(path(name)); err == nil {
		return name
	}
	for i, r := range name {
		if info, err := os.Lstat(path(name[:i])); r == '/' && err == nil && !info.IsDir() && !gone[name[:i]] {
			return name[:i]
		}
	}
	return ""
}

// settle puts the index and the branch in place.
func (c *Checkout) settle(dir, branch, id string) error {
	index, err := os.ReadFile(filepath.Join(dir, "index"))
	if err != nil {
		return err
	}
	if err := c.SetRef("refs/heads/"+branch, id); err != nil {
		return err
	}
	root, err := os.OpenRoot(c.repo.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	before := c.repo.branch()
	for _, f := range []struct {
		name string
		text []byte
	}{{"index", index}, {"HEAD", []byte("ref: refs/heads/" + branch + "\n")}} {
		if err := root.WriteFile(f.name+".lock", f.text, 0o644); err != nil {
			return err
		}
		if err := root.Rename(f.name+".lock", f.name); err != nil {
			return err
		}
	}
	if log, err := root.OpenFile("logs/HEAD", os.O_WRONLY|os.O_APPEND, 0); err == nil { // kept only where git keeps one
		now := time.Now()
		fmt.Fprintf(log, "%s %s orihon <> %d %s\tcheckout: moving from %s to %s\n", c.id, id, now.Unix(), now.Format("-0700"), before, branch)
		log.Close()
	}
	c.id = id
	return nil
}

// lock takes git's own locks on files of the worktree's git folder.
func (c *Checkout) lock(names ...string) (unlock func(), err error) {
	root, err := os.OpenRoot(c.repo.Dir)
	if err != nil {
		return nil, err
	}
	var held []string
	unlock = func() {
		for _, name := range held {
			_ = root.Remove(name) // one that was renamed is gone already
		}
		root.Close()
	}
	for _, name := range names {
		f, err := root.OpenFile(name+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			unlock()
			return nil, fmt.Errorf("%w: git is at work in %s (%s.lock is there): try again", memory.ErrRefused, c.repo.Top, name)
		}
		held = append(held, name+".lock")
		f.Close()
	}
	return unlock, nil
}

// sandbox makes the folder that git takes for the repository.
func (c *Checkout) sandbox() (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp("", "orihon-git-"); err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			remove()
		}
	}()
	if err = gitFolder(dir, c.id, filepath.Join(c.repo.Common, "shallow")); err != nil {
		return "", nil, err
	}
	config, err := os.OpenFile(filepath.Join(dir, "config"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return "", nil, err
	}
	_, err = config.WriteString("[core]\n\tbare = false\n" + c.harmless())
	if err = errors.Join(err, config.Close(), os.WriteFile(filepath.Join(dir, "HEAD"), []byte(c.id+"\n"), 0o600)); err != nil {
		return "", nil, err
	}
	if err = os.Mkdir(filepath.Join(dir, "info"), 0o700); err != nil {
		return "", nil, err
	}
	for _, name := range []string{"exclude", "attributes"} {
		if data, err := readRegular(filepath.Join(c.repo.Common, "info", name)); err == nil {
			if err := os.WriteFile(filepath.Join(dir, "info", name), data, 0o600); err != nil {
				return "", nil, err
			}
		}
	}
	return dir, remove, c.copyIndex(dir)
}

// harmless are the settings of the repository that say how files lie on the disk
// and start nothing.
func (c *Checkout) harmless() string {
	var b strings.Builder
	home, _ := os.UserHomeDir()
	for _, s := range append(readGitConfig(filepath.Join(home, ".gitconfig")), c.repo.config()...) {
		if s.Section != "core" || s.Sub != "" || !slices.Contains([]string{"autocrlf", "eol", "filemode", "ignorecase", "symlinks", "precomposeunicode"}, s.Key) {
			continue
		}
		if v := strings.ToLower(s.Value); v != "" && len(v) < 8 && strings.Trim(v, "abcdefghijklmnopqrstuvwxyz01") == "" {
			b.WriteString("\t" + s.Key + " = " + v + "\n")
		}
	}
	return b.String()
}

// excludes is the person's own list of what git ignores everywhere.
func excludes() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	for _, s := range readGitConfig(filepath.Join(home, ".gitconfig")) {
		if s.Section == "core" && s.Key == "excludesfile" {
			if rest, ok := strings.CutPrefix(s.Value, "~/"); ok {
				return filepath.Join(home, rest)
			}
			return s.Value
		}
	}
	if xdg := inherited("XDG_CONFIG_HOME"); filepath.IsAbs(xdg) {
		return filepath.Join(xdg, "git", "ignore")
	}
	return filepath.Join(home, ".config", "git", "ignore")
}

// copyIndex copies the index with its time, by which git tells what may have
// changed since.
func (c *Checkout) copyIndex(dir string) error {
	names, err := filepath.Glob(filepath.Join(c.repo.Dir, "sharedindex.*"))
	if err != nil {
		return err
	}
	for _, from := range append(names, filepath.Join(c.repo.Dir, "index")) {
		info, err := os.Lstat(from)
		if errors.Is(err, fs.ErrNotExist) {
			continue // nothing is tracked yet
		}
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%w: %s is not a file", memory.ErrRefused, from)
		}
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.Base(from))
		if err := errors.Join(os.WriteFile(to, data, 0o600), os.Chtimes(to, info.ModTime(), info.ModTime())); err != nil {
			return err
		}
	}
	return nil
}

// checkoutPatience bounds one call of git that reads or writes a whole worktree.
const checkoutPatience = 5 * time.Minute

// given is what a call of git gets besides its arguments.
type given struct {
	env   []string
	stdin []byte
}

// run runs git in a sandbox.
func (c *Checkout) run(ctx context.Context, dir string, g given, args ...string) ([]byte, error) {
	const most = 256 << 20 // bytes: a path for each file
	all := append(gitEnv(dir, c.objects, Path(c.repo.Top)), "GIT_WORK_TREE="+c.repo.Top)
	options := []string{"--no-pager", "--no-optional-locks", "-c", "protocol.allow=never", "-c", "safe.bareRepository=explicit", "-c", "core.excludesFile=" + excludes()}
	out, errs, err := child.Run(ctx, child.Command{
		Path: c.git, Args: append(options, args...), Dir: c.repo.Top, Env: append(all, g.env...), Stdin: g.stdin, Timeout: checkoutPatience, MaxOutput: most,
	})
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, plain(strings.TrimSpace(string(errs)), maxSubject))
	}
	return out, nil
}

// fields are what NUL ends each.
func fields(out []byte) []string {
	var all []string
	for f := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		if len(f) > 0 {
			all = append(all, string(f))
		}
	}
	return all
}

// validRef reports whether a text can name a ref, by narrower rules than git's.
func validRef(name string) bool {
	if !strings.HasPrefix(name, "refs/") || len(name) > 200 || !fs.ValidPath(name) || strings.Contains(name, "..") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part[0] == '.' || part[0] == '-' || strings.HasSuffix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._-/", r)
	})
}

// Ref is the commit that a ref names; empty for none.
func (c *Checkout) Ref(name string) string {
	if !validRef(name) {
		return ""
	}
	id := firstLine(filepath.Join(c.repo.Common, filepath.FromSlash(name)))
	if id == "" {
		id = c.repo.packed(name)
	}
	if !hexID(id) {
		return ""
	}
	return id
}

// SetRef makes a new ref, which keeps its commit alive.
func (c *Checkout) SetRef(name, id string) error {
	if !validRef(name) || !hexID(id) {
		return fmt.Errorf("%w ref %q", memory.ErrInvalid, plain(name, maxSubject))
	}
	root, err := os.OpenRoot(c.repo.Common) // which no symlink leads out of
	if err != nil {
		return err
	}
	defer root.Close()
	name = filepath.FromSlash(name)
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(id + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = root.Rename(name+".lock", name)
	}
	if err != nil {
		_ = root.Remove(name + ".lock")
	}
	return err
}

// DeleteRef takes a ref away, wherever git keeps it; one that is not there is gone.
func (c *Checkout) DeleteRef(name string) error {
	if !validRef(name) {
		return fmt.Errorf("%w ref %q", memory.ErrInvalid, plain(name, maxSubject))
	}
	root, err := os.OpenRoot(c.repo.Common)
	if err != nil {
		return err
	}
	defer root.Close()
	if c.repo.packed(name) != "" {
		if err := c.unpack(root, name); err != nil {
			return err
		}
	}
	if err := root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// unpack takes a ref out of the file that git packs refs into, with what it was
// peeled to.
func (c *Checkout) unpack(root *os.Root, name string) error {
	const packed = "packed-refs"
	lock, err := root.OpenFile(packed+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("%w: git is at work in %s (%s.lock is there): try again", memory.ErrRefused, c.repo.Top, packed)
	}
	data, err := root.ReadFile(packed)
	var kept bytes.Buffer
	peeled := false
	for line := range bytes.Lines(data) {
		_, ref, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		if peeled = ref == name || peeled && line[0] == '^'; !peeled {
			kept.Write(line)
		}
	}
	if err == nil {
		_, err = lock.Write(kept.Bytes())
	}
	if err = errors.Join(err, lock.Sync(), lock.Close()); err == nil {
		err = root.Rename(packed+".lock", packed)
	}
	if err != nil {
		_ = root.Remove(packed + ".lock")
	}
	return err
}
