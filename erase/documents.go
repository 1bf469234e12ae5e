package erase

import (
	"context"
	"path/filepath"

	"orihon/documents"
	"orihon/internal/jsonl"
	"orihon/internal/space"
	"orihon/internal/sqlite"
)

// purgeDocuments takes the files that say one of the texts out of the indexes of
// a space's folders, and what was dropped earlier out of their free pages. The
// files themselves are the user's: they are read when they are next indexed,
// and stand there again if they still say it. The lines that do, in other folders
// than the open one, are named.
func (e *Eraser) purgeDocuments(ctx context.Context, sp *space.Space, p *purge) error {
	indexes, err := filepath.Glob(filepath.Join(sp.Dir.Index(), "rag-*.db"))
	for _, index := range indexes {
		names, err := documents.PurgeIndex(ctx, index, p.words)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			// It is derived: what cannot be cleaned is thrown away.
			if err := sqlite.Delete(index, nil); err != nil {
				return err
			}
		}
		root, err := jsonl.ReadFile(index + documents.RootNote)
		if err != nil || string(root) == e.h.Project.Root {
			continue
		}
		for _, name := range names {
			p.name(ctx, filepath.Join(string(root), filepath.FromSlash(name)), whyYours)
		}
	}
	return err
}
