package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// Submission is a shared item that waits for management, one file each, so that
// it travels with the repository and two branches do not touch the same file.
type Submission struct {
	Item memory.Item
	By   string // who submitted it
	File string
}

// Submit writes an item into the folder of pending reviews instead of memory.
func (s *Store) Submit(ctx context.Context, dir string, it memory.Item, by string) error {
	if err := check(&it); err != nil {
		return err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return fmt.Errorf("submit %s: %w", it.ID, err)
	}
	defer unlock()
	return s.writeApart(dir, normal(it), map[string]string{"submitted_by": by})
}

// Submissions lists what waits in a folder of pending reviews, by file name.
// Files that cannot be read are told as problems.
func (s *Store) Submissions(ctx context.Context, dir string, scope memory.Scope) (out []Submission, problems []memory.Problem) {
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return nil, append(problems, memory.Problem{Path: dir, Text: "is " + describe(info) + " where a folder belongs: move it away"})
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, unread(dir, err))
		}
		return nil, problems
	}
	root := &Root{Name: filepath.Base(dir), Dir: dir, Scope: scope}
	for _, d := range names {
		if ctx.Err() != nil {
			break
		}
		if !d.Type().IsRegular() || !strings.HasSuffix(d.Name(), ".md") || strings.HasPrefix(d.Name(), ".") {
			continue
		}
		e := entry{root: root, path: root.Name + "/" + d.Name(), file: filepath.Join(dir, d.Name()), kind: kindMarkdown}
		m, _, err := s.readClean(&e)
		if err != nil || !m.atom || m.derived {
			problems = append(problems, memory.Problem{Path: e.path, Text: "is not a submitted item: give it an id in its front matter, or remove it"})
			continue
		}
		sub := Submission{Item: m.item, File: e.file}
		sub.Item.Content = strings.TrimSpace(m.item.Content)
		if by := value(m.front, "submitted_by"); by != nil {
			sub.By = by.Value
		}
		out = append(out, sub)
	}
	return out, problems
}

// Rejection says who turned a submission down, and where that is kept.
type Rejection struct {
	Dir     string // folder of the rejected
	Why, By string
	At      time.Time
}

// Withdraw takes a submission out of the folder: without a rejection because it
// was accepted and stands in memory; with one, into the folder of the rejected,
// where the reason stays with it.
func (s *Store) Withdraw(ctx context.Context, sub Submission, rejected *Rejection) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return fmt.Errorf("review %s: %w", sub.Item.ID, err)
	}
	defer unlock()
	if r := rejected; r != nil {
		err := s.writeApart(r.Dir, sub.Item, map[string]string{
			"submitted_by": sub.By, "rejected_by": r.By, "rejected_at": r.At.UTC().Format(time.RFC3339), "rejected_why": r.Why,
		})
		if err != nil {
			return err
		}
	}
	if err := os.Remove(sub.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("review %s: %w", sub.Item.ID, err)
	}
	return nil
}

// writeApart writes an item as a Markdown file of a folder that is no memory,
// named after what it says and its ID: a name of its own in every branch.
func (s *Store) writeApart(dir string, it memory.Item, more map[string]string) error {
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: %w: is %s where a folder belongs: move it away", dir, memory.ErrRefused, describe(info))
	}
	front := frontOf(&it)
	for _, k := range slices.Sorted(maps.Keys(more)) {
		setKey(front, k, given(more[k]))
	}
	data, err := (&document{}).withFront(front, &it.Content)
	if err != nil {
		return err
	}
	return jsonl.WriteFile(filepath.Join(dir, slug(&it)+".md"), data)
}
