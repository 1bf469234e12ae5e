package workmem

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Who only looks at the working memory of a session makes none.

// look calls fn with the store below a session's folder; without one it is a
// [fs.ErrNotExist].
func look(session string, fn func(*Store) error) error {
	root, err := os.OpenRoot(filepath.Join(session, Dir))
	if err != nil {
		return err
	}
	defer root.Close()
	return fn(&Store{root: root})
}

// Look reads the overview in the folder of a session; a missing one is the template.
func Look(session string) (o Overview, err error) {
	err = look(session, func(s *Store) error {
		text, err := s.read(OverviewFile)
		if err == nil {
			o, err = s.overview(text)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return Template(), nil
	}
	return o, err
}

// Template is the overview of a session that has none yet.
func Template() Overview { return Overview{Text: template, Size: len(template), Pristine: true} }

// ReadIn returns a file of a session's working memory.
func ReadIn(session, name string) (text string, err error) {
	if name == OverviewFile {
		o, err := Look(session)
		return o.Text, err
	}
	err = look(session, func(s *Store) error {
		text, err = s.Read(name)
		return err
	})
	return text, err
}

// Listing is the working memory of a session: its overview, and its other files.
type Listing struct {
	Overview string `json:"overview"`
	Files    []File `json:"files"`
}

// File is one of the other files.
type File struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

// List looks at all of it.
func List(session string) (Listing, error) {
	o, err := Look(session)
	out := Listing{Overview: o.Text, Files: []File{}}
	if err != nil {
		return out, err
	}
	err = look(session, func(s *Store) error {
		return fs.WalkDir(s.root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || path == OverviewFile || strings.HasPrefix(d.Name(), ".") {
				return err
			}
			info, err := d.Info()
			if err == nil {
				out.Files = append(out.Files, File{path, info.Size()})
			}
			return err
		})
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return out, err
}
