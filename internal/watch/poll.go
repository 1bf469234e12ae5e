package watch

import (
	"context"
	"io/fs"
	"maps"
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
