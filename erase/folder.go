package erase

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"orihon/internal/space"
	"orihon/internal/store"
	"orihon/journal"
)

// purgeFolder takes the words of a purged item out of what else lies in a folder:
// exports, backups, observations, notes of sessions, logs. Folders that
// elsewhere names are purged by those who keep them. It returns how many files
// it changed.
func (e *Eraser) purgeFolder(ctx context.Context, root string, p *purge, elsewhere func(path string) bool) (changed int, err error) {
	s := scrub{id: p.ID, mark: purgedMark(p.ID), words: p.words}
	var telling []string // files and folders whose names say it
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir() && path != root && elsewhere(path):
			return fs.SkipDir
		}
		if path != root && p.words.In(d.Name()) {
			telling = append(telling, path)
		}
		if !d.Type().IsRegular() || slices.Contains(journal.Names(), d.Name()) || filepath.Dir(path) == root && slices.Contains(store.StateFiles(), d.Name()) {
			return nil
		}
		if rel, err := filepath.Rel(e.h.Project.Root, path); err == nil && filepath.IsLocal(rel) && tooLarge(d) {
			p.stays(path, 0, whyLarge)
			return nil
		}
		did, err := s.file(ctx, path)
		if did {
			changed++
		}
		return err
	})
	for _, path := range slices.Backward(telling) { // what lies in a folder before it
		if err == nil {
			err = store.Rename(path, p.words)
			changed++
		}
	}
	return changed, err
}

// tooLarge reports whether a file of the project is more than a purge reads: a
// repository may bring any.
func tooLarge(d fs.DirEntry) bool {
	const most = 256 << 20
	info, err := d.Info()
	return err == nil && info.Size() > most
}

// purgedElsewhere reports whether a folder is purged by who keeps it, or belongs
// to another space.
func (e *Eraser) purgedElsewhere(sp *space.Space, dir string) bool {
	models, cache := e.h.EmbedderFolders() // numbers, and names of texts by their hash
	others := []string{sp.Dir.Memory(), sp.Dir.Index(), sp.Dir.Projects(), filepath.Join(string(sp.Dir), purgingName), models, cache}
	bodies := filepath.Base(dir) == "io" && filepath.Dir(filepath.Dir(dir)) == sp.Dir.Sessions() // of a journal
	return bodies || slices.Contains(others, dir)
}

// purgedInFolder reports whether a folder of the project's own is purged by who
// keeps it: memory, and the private space when it lies there.
func (e *Eraser) purgedInFolder(dir string) bool {
	p := e.h.Project
	return dir == filepath.Dir(p.Core()) || dir == string(p.Private()) || dir == p.Home
}

// sizes sums up what tells whether files were changed: how many there are, how
// long, and when they were written.
func sizes(dir string) (sum [3]int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			sum[0]++
			sum[1] += info.Size()
			sum[2] += info.ModTime().UnixNano()
		}
		return nil
	})
	return sum, err
}

// asides are the folders beside one that a restore kept, or did not come to an end
// of unpacking.
func asides(dir string) (out []string) {
	if dir == "" {
		return nil
	}
	entries, _ := os.ReadDir(filepath.Dir(dir)) // it cannot be read: there is nothing of ours
	for _, e := range entries {
		if e.IsDir() && (strings.HasPrefix(e.Name(), filepath.Base(dir)+".before-") || strings.HasPrefix(e.Name(), ".restoring-")) {
			out = append(out, filepath.Join(filepath.Dir(dir), e.Name()))
		}
	}
	return out
}
