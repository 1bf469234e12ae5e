package corpus

import (
	"bytes"
	"context"
	"io/fs"
	"path/filepath"
	"strings"

	"orihon/memory"
)

// Reread reads single files that an index knows, known as it knows them, and
// returns what the index must do to catch up with these. Files that are gone,
// cannot be read, or by name or content are no longer wanted are in Gone;
// ignore files are not asked. What is kept of a file is as [Changes] would have
// it.
func Reread(ctx context.Context, o *Options, known ...memory.File) (memory.Batch, error) {
	var out memory.Batch
	w, err := begin(ctx, o, known, func(b memory.Batch) error {
		out.Files, out.Replace, out.Put = append(out.Files, b.Files...), append(out.Replace, b.Replace...), append(out.Put, b.Put...)
		return nil
	})
	if err != nil {
		return out, err
	}
	defer w.root.Close()
	for i := range known {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		rel := known[i].Path
		info, err := w.root.Lstat(filepath.FromSlash(rel))
		if err == nil && info.Mode().IsRegular() && w.unwanted(rel) == "" {
			if err := w.file(rel, fs.FileInfoToDirEntry(info)); err != nil {
				return out, err
			}
		}
		if !w.seen[rel] {
			out.Gone = append(out.Gone, rel)
		}
	}
	return out, w.flush()
}

// Unsure reports whether size and time of a file do not tell whether it is as
// the index has it: it was read right after it was written.
func Unsure(f *memory.File) bool { return strings.HasSuffix(f.Mark, young) }

// Outdated reports whether the passages of a file were made as it is done no
// more, and may hold what is taken out of it today.
func Outdated(f *memory.File) bool { return !strings.HasPrefix(f.Mark, version+"/") }

// Place is a line of a file.
type Place struct {
	Path string // from Root, with slashes
	Line int    // from 1
}

// Find looks through the files that [Changes] would read, as they are now, and
// returns the lines at which match finds something; match gives the offsets.
func Find(ctx context.Context, o *Options, match func(text []byte) []int) ([]Place, error) {
	w, err := begin(ctx, o, nil, nil)
	if err != nil {
		return nil, err
	}
	defer w.root.Close()
	var out []Place
	w.visit = func(rel string, e fs.DirEntry) error {
		if info, err := e.Info(); err != nil || info.Size() > w.most {
			return nil
		}
		raw, _, err := w.read(rel)
		if err != nil {
			return nil // Changes would not have it either
		}
		for _, at := range match(raw) {
			out = append(out, Place{rel, 1 + bytes.Count(raw[:at], []byte("\n"))})
		}
		return nil
	}
	return out, w.folder(".", w.above())
}
