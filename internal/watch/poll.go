package watch

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// seen is what tells a changed file from an unchanged one without opening it.
type seen struct {
	size  int64
	mtime int64 // in nanoseconds
}

// poll calls touch whenever a look at the files differs from the one before.
func (o *Options) poll(ctx context.Context, touch func()) {
	before := o.look()
	o.Ready()
	tick := time.NewTicker(o.Poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if now := o.look(); !maps.Equal(before, now) {
			before = now
			touch()
		}
	}
}

func (o *Options) look() map[string]seen {
	files := make(map[string]seen)
	for _, dir := range o.Dirs {
		o.walk(dir, func(string) bool { return true }, func(path string, d fs.DirEntry) {
			if info, err := d.Info(); err == nil {
				files[path] = seen{info.Size(), info.ModTime().UnixNano()}
			}
		})
	}
	return files
}

// walk calls folder for each watched folder that exists and file for each
// file in them. What cannot be read is left out; folder says false to pass a
// folder over.
func (o *Options) walk(dir string, folder func(path string) bool, file func(path string, d fs.DirEntry)) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() || !folder(dir) {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case o.ignored(path):
		case e.IsDir():
			o.walk(path, folder, file)
		default:
			file(path, e)
		}
	}
}

func (o *Options) ignored(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, "~") ||
		o.Ignore != nil && o.Ignore(path)
}
