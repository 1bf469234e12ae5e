package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"orihon"
	"orihon/internal/claudecode"
)

// fix does what the doctor can mend without touching what anybody wrote, and
// says what it did, one line each.
func (a *app) fix(ctx context.Context) (did []string, err error) {
	_, end := a.progress("mending")
	defer end()
	m, err := a.openQuietly(ctx)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	did, err = closeModes(m.Project())
	rewired, werr := a.rewire(m.Project())
	repaired, rerr := m.Health().Repair(ctx)
	return slices.Concat(did, rewired, repaired), errors.Join(err, werr, rerr)
}

// closeModes takes from others what they may do with the private folders.
func closeModes(p *orihon.Project) (did []string, err error) {
	if runtime.GOOS == "windows" {
		return nil, nil // there a folder's rights are those of the profile
	}
	const others = 0o077
	roots := []string{p.Home}
	if p.Local {
		roots = append(roots, p.Private)
	}
	for _, root := range roots {
		closed := 0
		werr := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil || d.Type()&fs.ModeSymlink != 0 || info.Mode().Perm()&others == 0 {
				return nil
			}
			closed++
			return os.Chmod(path, info.Mode().Perm()&^others)
		})
		err = errors.Join(err, werr)
		if closed > 0 {
			did = append(did, fmt.Sprintf("closed %d files under %s to others", closed, root))
		}
	}
	return did, err
}

// rewire installs hooks again whose program is not there any more. Settings
// without hooks of ours stay as they are.
func (a *app) rewire(p *orihon.Project) (did []string, err error) {
	for scope, path := range a.settingsFiles(p.Root) {
		w, serr := claudecode.Status(path)
		if serr != nil || !slices.ContainsFunc(w.Hooks, func(h claudecode.Hook) bool { return h.Program == "" }) {
			continue // what cannot be read is told by the examination
		}
		command, cerr := hookCommandFor(scope)
		if cerr != nil {
			return did, cerr
		}
		change, ierr := claudecode.Install(&claudecode.Options{
			SettingsPath: path, Command: command, RecordDir: filepath.Join(p.Home, "installed"),
		})
		if err = errors.Join(err, ierr); ierr == nil && change.Changed() {
			did = append(did, fmt.Sprintf("hooks in %s run orihon again", path))
		}
	}
	return did, err
}
