package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"orihon/memory"
)

// settle moves an unpacked folder to its place: whole where nothing is, or
// where the old one may be kept aside, else file by file beside what is there.
func settle(staged, to string, o *RestoreOptions) (aside string, err error) {
	info, err := os.Lstat(to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", os.Rename(staged, to)
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%w: it is no folder: move it away", memory.ErrRefused)
	}
	if !o.Force {
		return "", merge(staged, to)
	}
	if entries, err := os.ReadDir(to); err == nil && len(entries) == 0 {
		return "", errors.Join(os.Remove(to), os.Rename(staged, to))
	}
	if aside, err = free(to, o.Now); err != nil {
		return "", err
	}
	if err := os.Rename(to, aside); err != nil {
		return "", err
	}
	if err := os.Rename(staged, to); err != nil {
		return "", errors.Join(err, os.Rename(aside, to))
	}
	return aside, nil
}

// free is a name for what is kept aside.
func free(to string, now func() time.Time) (string, error) {
	base := to + ".before-" + now().UTC().Format("20060102-150405")
	for n := 1; ; n++ {
		aside := base
		if n > 1 {
			aside = fmt.Sprintf("%s-%d", base, n)
		}
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside, nil
		} else if err != nil {
			return "", err
		}
	}
}

// merge moves every file that is not there yet. A name that came up meanwhile
// is left to whoever made it.
func merge(staged, to string) error {
	return filepath.WalkDir(staged, func(file string, d fs.DirEntry, err error) error {
		if err != nil || file == staged {
			return err
		}
		rel, err := filepath.Rel(staged, file)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			if err := os.Mkdir(target, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			return nil
		}
		if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return os.Rename(file, target)
	})
}

func keys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
