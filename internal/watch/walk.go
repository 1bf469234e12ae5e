package watch

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

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
