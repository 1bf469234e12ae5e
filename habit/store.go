package habit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// Store is a folder of instincts, the text of them all. Methods may be called by
// several processes; whoever reads and then writes takes [Store.Lock] first.
type Store struct{ dir string }

// Open names the folder, which need not exist.
func Open(dir string) *Store { return &Store{dir: dir} }

// forgottenDir holds those that a person forgot, so that they are not found again.
const forgottenDir = "forgotten"

// Lock keeps other processes from changing the folder until unlock is called.
func (s *Store) Lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	return jsonl.Lock(ctx, filepath.Join(s.dir, ".lock"))
}

// Path is the file of the instinct with an ID.
func (s *Store) Path(id string) string { return filepath.Join(s.dir, id+".md") }

// List reads all instincts, the surest first. A file that cannot be read is named
// among the problems and costs itself alone.
func (s *Store) List() ([]Instinct, []memory.Problem, error) { return list(s.dir) }

// Forgotten are those that a person forgot.
func (s *Store) Forgotten() ([]Instinct, error) {
	out, _, err := list(filepath.Join(s.dir, forgottenDir))
	return out, err
}

func list(dir string) (out []Instinct, problems []memory.Problem, err error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), ".md")
		if !ok || strings.HasPrefix(id, ".") {
			continue
		}
		path := filepath.Join(dir, f.Name())
		in, err := Read(path)
		if err == nil && in.ID != id {
			err = fmt.Errorf("%w instinct: %s: id is %s: name the file %s.md", memory.ErrInvalid, path, in.ID, in.ID)
		}
		if err != nil {
			problems = append(problems, memory.Problem{Path: path, Text: err.Error()})
			continue
		}
		out = append(out, in)
	}
	slices.SortStableFunc(out, func(a, b Instinct) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), b.Last().Compare(a.Last()), strings.Compare(a.ID, b.ID))
	})
	return out, problems, nil
}

// Get reads the instinct whose ID this is, or begins with this, where only one
// does. Without one the error wraps [memory.ErrNotFound].
func (s *Store) Get(id string) (Instinct, error) {
	if !ValidID(id) {
		return Instinct{}, fmt.Errorf("instinct %q: %w", Cut(id, maxID), memory.ErrNotFound)
	}
	in, err := Read(s.Path(id))
	if !errors.Is(err, memory.ErrNotFound) {
		return in, err
	}
	all, _, err := s.List()
	if err != nil {
		return Instinct{}, err
	}
	all = slices.DeleteFunc(all, func(in Instinct) bool { return !strings.HasPrefix(in.ID, id) })
	switch len(all) {
	case 1:
		return all[0], nil
	case 0:
		return Instinct{}, fmt.Errorf("instinct %s: %w", id, memory.ErrNotFound)
	}
	return Instinct{}, fmt.Errorf("%w instinct %s: %d begin with it: give more of the ID", memory.ErrInvalid, id, len(all))
}

// Put writes an instinct in the place of the one with its ID.
func (s *Store) Put(in *Instinct) error { return Write(s.Path(in.ID), in) }

// Forget takes an instinct out and keeps its file apart, so that the habit is not
// learned again.
func (s *Store) Forget(id string) error {
	in, err := s.Get(id)
	if err != nil {
		return err
	}
	apart := filepath.Join(s.dir, forgottenDir, in.ID+".md")
	if err := Write(apart, &in); err != nil {
		return err
	}
	return os.Remove(s.Path(in.ID))
}

// Remove deletes an instinct and leaves nothing of it.
func (s *Store) Remove(id string) error {
	if !ValidID(id) {
		return fmt.Errorf("instinct %q: %w", Cut(id, maxID), memory.ErrNotFound)
	}
	err := os.Remove(s.Path(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
