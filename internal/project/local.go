package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"orihon/internal/jsonl"
	"orihon/memory"
)

// A local folder is the user's when the user's home says that it was made here:
// there, by the folder's real path, stands the token that lies in the folder.
// Nothing that came with a repository or an archive can know it.
const (
	localFolder = "local"
	localToken  = ".made-here"
)

// localRecord is the file in the home.
type localRecord struct {
	Folders map[string]string `json:"folders"` // token by real path
}

// placeLocal decides whether the private memory lies under the project.
func (p *Project) placeLocal(o *Options) error {
	dir := p.local()
	info, err := os.Lstat(dir)
	if err != nil {
		p.Local = o.Local // it is made when something is written
		return nil
	}
	known := info.IsDir() && p.madeHere()
	switch {
	case !info.IsDir():
		p.LocalRefused = dir + " is no folder"
	case !known && !o.LocalNow:
		p.LocalRefused = dir + " was not made on this machine; if it is yours: orihon init --local --set local=true"
	default:
		p.Local, p.Registered = true, true
		// The folders that hold many files are looked through by CheckLocal.
		return p.checkLocal(dir, 2)
	}
	return nil
}

// CheckLocal looks for symlinks anywhere in a folder of the local space, of
// which there are none that we made; "" is all of it. When there is one, the
// local space is given up for the user's home, [Project.LocalRefused] says why,
// and left is true. It reads every folder: not for a hook, but for one session.
func (p *Project) CheckLocal(dir string) (left bool, err error) {
	if !p.Local {
		return false, nil
	}
	const all = 100
	if err := p.checkLocal(filepath.Join(p.local(), dir), all); err != nil || p.Local {
		return false, err
	}
	return true, p.find()
}

// checkLocal gives the local space up when there is a symlink within so many
// levels of a folder.
func (p *Project) checkLocal(dir string, levels int) error {
	odd, err := oddFile(dir, levels)
	if odd != "" {
		p.Local, p.Registered = false, false
		p.LocalRefused = odd + " is a symlink or no regular file; remove it, and orihon reads and writes " + p.local() + " again"
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// LocalStillClean is an error that wraps [memory.ErrRefused] when a symlink has
// come into the local space since it was opened. It looks where it looks when
// the project is resolved; for a project that is not local there is nothing to
// look at.
func (p *Project) LocalStillClean() error {
	if !p.Local {
		return nil
	}
	if odd, _ := oddFile(p.local(), 2); odd != "" {
		return fmt.Errorf("%w: %s is a symlink or no regular file; remove it", memory.ErrRefused, odd)
	}
	return nil
}

// oddFile finds something that is neither a file nor a folder.
func oddFile(dir string, levels int) (string, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return dir, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() && levels > 1:
			if odd, err := oddFile(path, levels-1); odd != "" || err != nil && !errors.Is(err, fs.ErrNotExist) {
				return odd, err
			}
		case !e.IsDir() && !e.Type().IsRegular():
			return path, nil
		}
	}
	return "", nil
}

// madeHere reports whether the home and the folder have the same token.
func (p *Project) madeHere() bool {
	path := filepath.Join(p.local(), localToken)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	record, err := readLocal(User(p.Home))
	token := record.Folders[p.local()]
	return err == nil && token != "" && token == firstLine(path)
}

func readLocal(home Space) (localRecord, error) {
	var r localRecord
	data, err := os.ReadFile(home.localFolders())
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return r, fmt.Errorf("read which local folders were made here: %w", err)
	}
	return r, nil
}

// MakeLocal keeps the project's private memory under the project from now on. A
// folder that is there and was not made here wraps [memory.ErrRefused], unless
// the user asked for it now.
func (p *Project) MakeLocal(ctx context.Context) error {
	if p.folder == "" {
		return fmt.Errorf("%w: %s is the folder around the user's home; private memory is kept there already", memory.ErrRefused, p.Root)
	}
	if p.LocalRefused != "" {
		return fmt.Errorf("%w: %s", memory.ErrRefused, p.LocalRefused)
	}
	if err := Confine(p.Root, p.local()); err != nil {
		return err
	}
	p.Local = true
	if _, err := p.CheckLocal(""); err != nil {
		return err
	}
	if !p.Local {
		return fmt.Errorf("%w: %s", memory.ErrRefused, p.LocalRefused)
	}
	if !p.madeHere() {
		if err := p.writeLocal(ctx); err != nil {
			return err
		}
	}
	p.Registered = true
	return p.find()
}

// recordLocal is what registering is for a local project: a folder that is not
// there yet is made as one of this machine's. One that others made, and that
// the user asked for at this moment only, stays theirs.
func (p *Project) recordLocal(ctx context.Context) error {
	if !exists(p.local()) {
		// Who asks every time needs no home that remembers it.
		if err := p.writeLocal(ctx); err != nil && !p.asked {
			return err
		}
	}
	p.Registered = true
	return nil
}

// writeLocal writes the token to both places, the home first: a folder without
// one would be somebody else's.
func (p *Project) writeLocal(ctx context.Context) error {
	home := User(p.Home)
	unlock, err := jsonl.Lock(ctx, home.at(".projects.lock"))
	if err != nil {
		return fmt.Errorf("make %s: %w", p.local(), err)
	}
	defer unlock()
	record, err := readLocal(home)
	if err != nil {
		return err
	}
	if record.Folders == nil {
		record.Folders = map[string]string{}
	}
	token := p.token()
	record.Folders[p.local()] = token
	if err := writeJSON(home.localFolders(), record); err != nil {
		return err
	}
	return jsonl.WriteFile(filepath.Join(p.local(), localToken), []byte(token+"\n"))
}
