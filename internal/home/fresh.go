package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"orihon/memory"
)

// Fresh tells whether a file of the project, named below its folder, was written after
// a time or is not there. The name may be anybody's: nothing outside of the folder is
// looked at, and no link is followed.
func (h *Home) Fresh(name string, since time.Time) memory.Freshness {
	local := filepath.FromSlash(name)
	if since.IsZero() || !filepath.IsLocal(local) {
		return memory.FileUnknown
	}
	root, err := os.OpenRoot(h.Project.Root)
	if err != nil {
		return memory.FileUnknown
	}
	defer root.Close()
	info, err := root.Lstat(local)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return memory.FileGone
	case err == nil && info.Mode().IsRegular() && info.ModTime().After(since.Add(time.Second)):
		return memory.FileChanged
	}
	return memory.FileUnknown
}
