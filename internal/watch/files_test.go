package watch_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orihon/internal/watch"
)

// watching watches real folders, of which ready is one that exists, and returns
// what waits for the next call.
func watching(t *testing.T, ready string, dirs ...string) (next func(what string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	calls := make(chan struct{}, 10000)
	done := make(chan error)
	go func() {
		// Shorter than anybody would want, so that the test need not wait.
		o := &watch.Options{Dirs: append(dirs, ready), Settle: 5 * time.Millisecond}
		done <- watch.Run(ctx, o, func() { calls <- struct{}{} })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	// What belongs to one change may be told in two parts.
	rest := func() {
		for {
			select {
			case <-calls:
			case <-time.After(50 * time.Millisecond):
				return
			}
		}
	}
	started(t, ready, calls)
	rest()
	return func(what string) {
		t.Helper()
		const patience = 10 * time.Second
		select {
		case <-calls:
		case <-time.After(patience):
			t.Fatalf("nothing told of %s", what)
		}
		rest()
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

// started waits until the watch is in place: what changed before is no change,
// so a file is written until one is noticed.
func started(t *testing.T, dir string, calls <-chan struct{}) {
	t.Helper()
	for i := range 1000 {
		write(t, filepath.Join(dir, "started.md"), strings.Repeat("x", i))
		select {
		case <-calls:
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Fatal("the watch never began")
}

func TestChangesInRealFoldersAreNoticed(t *testing.T) {
	dir := t.TempDir()
	next := watching(t, dir)

	path := filepath.Join(dir, "a.md")
	write(t, path, "one")
	next("a new file")
	write(t, path, "two, 二")
	next("a changed file")
	if err := os.Rename(path, filepath.Join(dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	next("a renamed file")
	if err := os.Remove(filepath.Join(dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	next("a removed file")
}

func TestNewFoldersAreWatchedToo(t *testing.T) {
	dir := t.TempDir()
	next := watching(t, dir)

	deep := filepath.Join(dir, "角色", "美術", "筆記")
	mkdir(t, deep)
	next("new folders")
	write(t, filepath.Join(deep, "a.md"), "x")
	next("a file deep in new folders")
	if err := os.Rename(filepath.Join(dir, "角色"), filepath.Join(dir, "role")); err != nil {
		t.Fatal(err)
	}
	next("a renamed folder")
	write(t, filepath.Join(dir, "role", "美術", "筆記", "a.md"), "changed")
	next("a file in a renamed folder")
}

func TestAFolderThatDoesNotExistYetIsAwaited(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "projects", "1", "memory")
	other := filepath.Join(home, "here")
	mkdir(t, other)
	next := watching(t, other, dir)

	mkdir(t, dir)
	write(t, filepath.Join(dir, "a.md"), "x")
	next("the folder that was awaited")
	if err := os.RemoveAll(filepath.Join(home, "projects")); err != nil {
		t.Fatal(err)
	}
	next("its removal")
	mkdir(t, dir)
	write(t, filepath.Join(dir, "b.md"), "x")
	next("its return")
	write(t, filepath.Join(dir, "b.md"), "more")
	next("a change after its return")
}
