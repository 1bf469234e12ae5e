package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"orihon/internal/home"
	"orihon/internal/jsonl"
	"orihon/internal/project"
	"orihon/memory"
)

// DefaultKeep is how many checkpoints stay when they are cleared.
const DefaultKeep = 5

// Checkpoint is a commit under a name, with what was measured there. It is a line
// of the log.
type Checkpoint struct {
	Name   string    `json:"name"`
	At     time.Time `json:"at"`
	Commit string    `json:"commit"`
	Branch string    `json:"branch,omitempty"`
	Now    Measures  `json:"measures"`
}

// Listed is a checkpoint and how the present stands to it.
type Listed struct {
	Checkpoint
	Current bool `json:"current"` // it is the commit that is checked out
	Ahead   int  `json:"ahead"`   // commits made since
	Behind  int  `json:"behind"`  // commits of it that the present does not have
	// Problem says why it cannot be gone back to from here; empty when it can.
	Problem string `json:"problem,omitempty"`
}

// Options of [Checkpoints.Create] and [Checkpoints.Verify]; nil means all defaults.
type Options struct {
	// Skip leaves out what runs commands: only files are counted.
	Skip bool
	// Tell is told of every command before it runs; nil tells nobody.
	Tell func(what, command string)
}

// Checkpoints are those of a project.
type Checkpoints struct{ h *home.Home }

// New are the checkpoints of a home; programs call orihon.Memory.Checkpoints.
func New(h *home.Home) *Checkpoints { return &Checkpoints{h: h} }

// Create measures the commit that is checked out and keeps it under a name. It
// refuses while anything is not committed, and a name that is taken.
func (c *Checkpoints) Create(ctx context.Context, name string, o *Options) (*Checkpoint, error) {
	if !validName(name) {
		return nil, fmt.Errorf("%w name %q: want letters, digits and . _ -, at most %d, beginning with a letter or a digit", memory.ErrInvalid, printable(name), maxName)
	}
	unlock, err := c.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	all, err := c.read()
	if err != nil {
		return nil, err
	}
	if find(all, name) >= 0 {
		return nil, fmt.Errorf("%w: there is a checkpoint %s already: take another name, or clear old ones", memory.ErrRefused, name)
	}
	work, err := project.OpenCheckout(c.h.Project.Root)
	if err != nil {
		return nil, err
	}
	if err := clean(ctx, work); err != nil {
		return nil, err
	}
	p := &Checkpoint{Name: name, At: c.h.Now().UTC().Truncate(time.Second), Commit: work.Head(), Branch: work.Branch()}
	if p.Now, err = c.measure(ctx, work, o); err != nil {
		return nil, err
	}
	if now, err := project.OpenCheckout(c.h.Project.Root); err != nil || now.Head() != p.Commit {
		return nil, errors.Join(err, fmt.Errorf("%w: another commit was checked out while this one was measured: try again", memory.ErrRefused))
	}
	return p, c.add(ctx, work, p)
}

// add keeps the commit, then writes the line.
func (c *Checkpoints) add(ctx context.Context, work *project.Checkout, p *Checkpoint) error {
	line, err := jsonl.Encode(p)
	if err != nil {
		return err
	}
	if err := work.SetRef(ref(p.Name), p.Commit); err != nil {
		return err
	}
	if _, err := jsonl.Append(ctx, c.path(), &jsonl.Options{Sync: true, Logger: c.h.Log}, line); err != nil {
		return errors.Join(err, work.DeleteRef(ref(p.Name)))
	}
	return nil
}

// clean refuses a worktree in which anything differs from its commit, and names
// the first few.
func clean(ctx context.Context, work *project.Checkout) error {
	dirty, err := work.Dirty(ctx)
	if err != nil || len(dirty) == 0 {
		return err
	}
	const shown = 5
	more := ""
	if len(dirty) > shown {
		more = fmt.Sprintf(" and %d more", len(dirty)-shown)
	}
	return fmt.Errorf("%w: not all is committed: %s%s; commit, stash or ignore it first", memory.ErrRefused, strings.Join(dirty[:min(shown, len(dirty))], ", "), more)
}

// List returns the checkpoints, newest first.
func (c *Checkpoints) List(ctx context.Context) ([]Listed, error) {
	all, err := c.read()
	if err != nil {
		return nil, err
	}
	work, noWork := project.OpenCheckout(c.h.Project.Root)
	out := make([]Listed, 0, len(all))
	for _, p := range slices.Backward(all) {
		l := Listed{Checkpoint: p}
		switch {
		case noWork != nil:
			l.Problem = noWork.Error()
		case work.Ref(ref(p.Name)) != p.Commit:
			l.Problem = "its commit is not kept in this repository"
		default:
			if l.Ahead, l.Behind, err = work.Distance(ctx, p.Commit); err != nil {
				l.Problem = "its commit cannot be read"
			}
			l.Current = work.Head() == p.Commit
		}
		out = append(out, l)
	}
	return out, nil
}

// Verify measures the work as it is now and holds it against a checkpoint.
func (c *Checkpoints) Verify(ctx context.Context, name string, o *Options) (*Comparison, error) {
	p, err := c.named(name)
	if err != nil {
		return nil, err
	}
	work, err := project.OpenCheckout(c.h.Project.Root)
	if err != nil {
		return nil, err
	}
	out := &Comparison{Then: p, Commit: work.Head()}
	if work.Ref(ref(p.Name)) == p.Commit {
		if out.Ahead, out.Behind, err = work.Distance(ctx, p.Commit); err != nil {
			return nil, err
		}
	}
	dirty, err := work.Dirty(ctx)
	if err != nil {
		return nil, err
	}
	out.Dirty = len(dirty)
	if out.Now, err = c.measure(ctx, work, o); err != nil {
		return nil, err
	}
	out.judge()
	return out, nil
}

// Restored is where [Checkpoints.Restore] went.
type Restored struct {
	Checkpoint Checkpoint `json:"checkpoint"`
	Branch     string     `json:"branch"`
	From       string     `json:"from"` // the commit that was checked out before
	FromBranch string     `json:"from_branch,omitempty"`
}

// Restore checks the commit of a checkpoint out on a new branch, which is called
// restore/NAME, with a number where that is taken. It never goes over work that is
// not committed.
func (c *Checkpoints) Restore(ctx context.Context, name string) (*Restored, error) {
	p, err := c.named(name)
	if err != nil {
		return nil, err
	}
	work, err := project.OpenCheckout(c.h.Project.Root)
	if err != nil {
		return nil, err
	}
	if kept := work.Ref(ref(p.Name)); kept != p.Commit {
		return nil, fmt.Errorf("commit %.12s of checkpoint %s: %w in this repository", p.Commit, p.Name, memory.ErrNotFound)
	}
	out := &Restored{Checkpoint: p, From: work.Head(), FromBranch: work.Branch(), Branch: "restore/" + p.Name}
	for n := 2; work.Ref("refs/heads/"+out.Branch) != ""; n++ {
		out.Branch = fmt.Sprintf("restore/%s-%d", p.Name, n)
	}
	if err := clean(ctx, work); err != nil {
		return nil, err
	}
	return out, work.Restore(ctx, out.Branch, p.Commit)
}

// Clear forgets all checkpoints but the newest so many, and lets their commits go.
// It returns those that it forgot.
func (c *Checkpoints) Clear(ctx context.Context, keep int) ([]Checkpoint, error) {
	unlock, err := c.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	all, err := c.read()
	if err != nil || len(all) <= keep {
		return []Checkpoint{}, err
	}
	old, kept := all[:len(all)-keep], all[len(all)-keep:]
	var text strings.Builder
	for i := range kept {
		line, err := jsonl.Encode(&kept[i])
		if err != nil {
			return nil, err
		}
		text.Write(line)
		text.WriteByte('\n')
	}
	if err := jsonl.WriteFile(c.path(), []byte(text.String())); err != nil {
		return nil, err
	}
	work, err := project.OpenCheckout(c.h.Project.Root)
	if err != nil {
		return old, nil // no repository is here that could keep a commit
	}
	for i := range old {
		if work.Ref(ref(old[i].Name)) == old[i].Commit {
			err = errors.Join(err, work.DeleteRef(ref(old[i].Name)))
		}
	}
	return old, err
}

func (c *Checkpoints) path() string { return c.h.Project.Private().Checkpoints() }

func (c *Checkpoints) lock(ctx context.Context) (func(), error) {
	return jsonl.Lock(ctx, c.path()+".lock")
}

// read returns what the log says, oldest first. A line that cannot be read is left
// out and logged.
func (c *Checkpoints) read() ([]Checkpoint, error) {
	var all []Checkpoint
	_, err := jsonl.Read(c.path(), 0, func(line []byte, _ int64, number int) error {
		var p Checkpoint
		if err := json.Unmarshal(line, &p); err != nil || !validName(p.Name) {
			c.h.Log.Warn("checkpoints: a line left out", "file", c.path(), "line", number)
			return nil
		}
		all = append(all, p)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return all, err
}

func (c *Checkpoints) named(name string) (Checkpoint, error) {
	all, err := c.read()
	if err != nil {
		return Checkpoint{}, err
	}
	i := find(all, name)
	if i < 0 {
		return Checkpoint{}, fmt.Errorf("checkpoint %s: %w: orihon checkpoint list names them", printable(name), memory.ErrNotFound)
	}
	return all[i], nil
}

func find(all []Checkpoint, name string) int {
	return slices.IndexFunc(all, func(p Checkpoint) bool { return strings.EqualFold(p.Name, name) })
}

// ref is what keeps the commit of a checkpoint alive.
func ref(name string) string { return "refs/orihon/checkpoints/" + name }

const maxName = 60

// validName reports whether a text can name a checkpoint: it becomes a ref, and a
// file.
func validName(s string) bool {
	letter := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' }
	return s != "" && len(s) <= maxName && letter(rune(s[0])) && !strings.Contains(s, "..") && !strings.HasSuffix(s, ".") &&
		!strings.HasSuffix(s, ".lock") && !strings.ContainsFunc(s, func(r rune) bool { return !letter(r) && !strings.ContainsRune("._-", r) })
}

// printable is a name as a message may hold it.
func printable(s string) string {
	return fmt.Sprintf("%.*s", maxName, strings.Join(strings.Fields(s), " "))
}
