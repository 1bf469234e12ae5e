package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsnotify/fsnotify"
)

// notifier is what is needed of the system.
type notifier interface {
	Add(dir string) error
	Remove(dir string) error
	Events() <-chan fsnotify.Event
	Errors() <-chan error
	Close() error
}

type system struct{ *fsnotify.Watcher }

// Events is where the watcher tells of changes.
func (s system) Events() <-chan fsnotify.Event { return s.Watcher.Events }

// Errors is where the watcher complains.
func (s system) Errors() <-chan error { return s.Watcher.Errors }

func openSystem() (notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return system{w}, nil
}

// notes is a watch by the system's notifications.
type notes struct {
	o *Options
	n notifier
	// dirs are watched with all below; parents are watched only because one of
	// o.Dirs is to appear below them.
	dirs, parents map[string]bool
}

// notify calls touch for every change until ctx ends or the system gives up,
// which its error tells.
func (o *Options) notify(ctx context.Context, touch func()) (err error) {
	n, err := o.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	w := &notes{o: o, n: n, dirs: make(map[string]bool), parents: make(map[string]bool)}
	if err := w.addAll(); err != nil {
		return err
	}
	o.Ready()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-n.Events():
			if !ok {
				return errors.New("the system's watch ended")
			}
			relevant, err := w.event(e)
			if err != nil {
				return err
			}
			if relevant {
				touch()
			}
		case err, ok := <-n.Errors():
			switch {
			case !ok:
				return errors.New("the system's watch ended")
			case errors.Is(err, fsnotify.ErrEventOverflow):
				// Some events are lost, new folders perhaps among them.
				if err := w.addAll(); err != nil {
					return err
				}
				touch()
			default:
				return err
			}
		}
	}
}

// event takes one event in and reports whether it is a change.
func (w *notes) event(e fsnotify.Event) (relevant bool, err error) {
	path := filepath.Clean(e.Name)
	if e.Op == fsnotify.Chmod {
		return false, nil
	}
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		w.forget(path)
	}
	if !w.watched(path) {
		// Something beside or above a folder that is awaited.
		if !w.towards(path) {
			return false, nil
		}
		before := len(w.dirs)
		err := w.addAll()
		return len(w.dirs) > before, err
	}
	if e.Has(fsnotify.Create) {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			return true, w.add(path)
		}
	}
	if slices.ContainsFunc(w.o.Dirs, func(dir string) bool { return filepath.Clean(dir) == path }) {
		return true, w.addAll() // gone: await it again
	}
	return true, nil
}

// watched reports whether a path lies in one of the folders and is not
// ignored, nor any folder on the way to it.
func (w *notes) watched(path string) bool {
	for _, dir := range w.o.Dirs {
		rel, err := filepath.Rel(dir, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if rel == "." {
			return true
		}
		at, ignored := dir, false
		for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
			at = filepath.Join(at, part)
			ignored = ignored || w.o.ignored(at)
		}
		if !ignored {
			return true
		}
	}
	return false
}

// towards reports whether one of the folders lies below a path.
func (w *notes) towards(path string) bool {
	return slices.ContainsFunc(w.o.Dirs, func(dir string) bool {
		rel, err := filepath.Rel(path, dir)
		return err == nil && filepath.IsLocal(rel)
	})
}

// addAll watches what is there of the folders, and for the others the nearest
// folder above them.
func (w *notes) addAll() error {
	wanted := make(map[string]bool)
	for _, dir := range w.o.Dirs {
		up, err := w.await(filepath.Clean(dir))
		if err != nil {
			return err
		}
		wanted[up] = true
	}
	for up := range w.parents {
		if !wanted[up] {
			delete(w.parents, up)
			if !w.dirs[up] {
				_ = w.n.Remove(up) // it may be gone, and the watch with it
			}
		}
	}
	return nil
}

// await watches a folder, or while it does not exist the nearest one above,
// which it returns. It looks again after each step, since folders come and go
// meanwhile and nothing would tell of what happened before the watch.
func (w *notes) await(dir string) (up string, err error) {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return "", w.add(dir)
		}
		up := nearest(dir)
		if up == "" || w.parents[up] || w.dirs[up] {
			return up, nil
		}
		there, err := w.watch(up)
		if err != nil {
			return "", err
		}
		if there {
			w.parents[up] = true
		}
	}
}

// nearest is the folder above dir that exists; empty when none does.
func nearest(dir string) string {
	for up := filepath.Dir(dir); ; up = filepath.Dir(up) {
		if info, err := os.Stat(up); err == nil && info.IsDir() {
			return up
		}
		if up == filepath.Dir(up) {
			return ""
		}
	}
}

// add watches a folder and every one below it. Each is watched before it is
// listed, so that nothing can appear in it unseen.
func (w *notes) add(dir string) (err error) {
	w.o.walk(dir, func(path string) bool {
		if err != nil || w.dirs[path] {
			return err == nil
		}
		w.dirs[path], err = w.watch(path)
		return w.dirs[path]
	}, func(string, fs.DirEntry) {})
	return err
}

// watch adds one folder; one that has vanished meanwhile is not there.
func (w *notes) watch(dir string) (there bool, err error) {
	err = w.n.Add(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("watch %s: %w", dir, err)
	}
	return true, nil
}

// forget drops a folder that is gone, with all below it, so that a new one of
// the same name is watched again.
func (w *notes) forget(path string) {
	below := path + string(filepath.Separator)
	for _, set := range []map[string]bool{w.dirs, w.parents} {
		for dir := range set {
			if dir == path || strings.HasPrefix(dir, below) {
				_ = w.n.Remove(dir) // a moved folder would go on telling under its old name
				delete(set, dir)
			}
		}
	}
}
