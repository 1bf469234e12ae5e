package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"orihon/internal/jsonl"
)

// shownFile is the derived note of the texts that the last look showed.
const shownFile = "shown.json"

func (r *Repository) shownPath() string {
	return filepath.Join(r.h.Personal.Dir.Index(), shownFile)
}

// Shown notes that a person was shown texts, for [Repository.Unseen]; more of them where
// they looked at some files alone.
func (r *Repository) Shown(texts []ForeignText, more bool) error {
	if r.h.ReadOnly || len(texts) == 0 && more {
		return nil
	}
	var hashes []string
	if more {
		var err error
		if hashes, _, err = r.shown(); err != nil {
			return err
		}
	}
	for i := range texts {
		hashes = append(hashes, texts[i].Hash)
	}
	slices.Sort(hashes)
	data, err := json.Marshal(slices.Compact(hashes))
	if err != nil {
		return err
	}
	if err := jsonl.Place(r.shownPath(), data); err != nil {
		return fmt.Errorf("note what was shown: %w", err)
	}
	return nil
}

// Decided ends the note of what was shown: all of it was accepted.
func (r *Repository) Decided() error {
	if err := os.Remove(r.shownPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("note what was decided: %w", err)
	}
	return nil
}

// Unseen reports of texts by their hashes which ones came or changed since the last look;
// none where nobody has looked yet: who accepts unseen what is there means all of it.
func (r *Repository) Unseen(texts []ForeignText) (map[string]bool, error) {
	shown, looked, err := r.shown()
	if err != nil || !looked {
		return nil, err
	}
	unseen := make(map[string]bool)
	for i := range texts {
		unseen[texts[i].Hash] = true
	}
	for _, h := range shown {
		delete(unseen, h)
	}
	return unseen, nil
}

// shown are the hashes of what was shown last; looked is false where nobody has looked.
func (r *Repository) shown() (hashes []string, looked bool, err error) {
	data, err := os.ReadFile(r.shownPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("read what was shown: %w", err)
	case json.Unmarshal(data, &hashes) != nil:
		return nil, false, nil // derived: as if nobody had looked
	}
	return hashes, true, nil
}
