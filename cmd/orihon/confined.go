package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"orihon/internal/project"
)

// confined refuses to write to a file of the project, root, through a symlink
// that leads out of it: who wrote the project may have put it there. Where else
// a path leads is for whoever named it.
func confined(root, path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	top, err := os.Stat(root)
	if err != nil {
		return nil // nothing is there to lead anywhere
	}
	for at := filepath.Dir(abs); ; {
		if info, err := os.Stat(at); err == nil && os.SameFile(info, top) {
			rel, err := filepath.Rel(at, abs)
			if err != nil {
				return err
			}
			return project.Confine(root, filepath.Join(root, rel))
		}
		up := filepath.Dir(at)
		if up == at {
			return nil
		}
		at = up
	}
}

// confinedHere is confined to the project around the working directory.
func confinedHere(path string) error {
	root, _ := project.Find(".")
	return confined(root, path)
}

// createHere writes a file that only the user may read, [confinedHere].
func createHere(path string, write func(io.Writer) error) error {
	if err := confinedHere(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
