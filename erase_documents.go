package orihon

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"orihon/embed"
	"orihon/internal/copies"
	"orihon/internal/corpus"
	"orihon/internal/jsonl"
	"orihon/internal/sqlite"
	"orihon/memory"
)

// purgeDocuments takes the files that say one of the texts out of the indexes of
// a space's folders, and what was dropped earlier out of their free pages. The
// files themselves are the user's: they are read when they are next indexed,
// and stand there again if they still say it. The lines that do, in other folders
// than the open one, are named.
func (t *Items) purgeDocuments(ctx context.Context, sp *space, p *purge) error {
	indexes, err := filepath.Glob(filepath.Join(sp.dir.Index(), "rag-*.db"))
	for _, index := range indexes {
		names, err := purgeDocumentsIn(ctx, index, p.words)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			// It is derived: what cannot be cleaned is thrown away.
			if err := sqlite.Delete(index, nil); err != nil {
				return err
			}
		}
		root, err := jsonl.ReadFile(index + rootNote)
		if err != nil || string(root) == t.m.project.Root {
			continue
		}
		for _, name := range names {
			p.name(ctx, filepath.Join(string(root), filepath.FromSlash(name)), whyYours)
		}
	}
	return err
}

// purgeDocumentsIn is purgeDocuments for one index; it waits for its turn while
// another process indexes. names are the files that were taken out.
func purgeDocumentsIn(ctx context.Context, index string, said *copies.Words) (names []string, err error) {
	waiting, cancel := context.WithTimeout(ctx, wipeWait)
	defer cancel()
	unlock, err := jsonl.Lock(waiting, index+".sync")
	if err != nil {
		return nil, err
	}
	defer unlock()
	x, err := sqlite.Open(ctx, index, &sqlite.Options{Embedder: embed.NewHash(0)})
	if err != nil {
		return nil, err
	}
	defer x.Close()
	if names, err = filesSaying(ctx, x, said); err != nil {
		return nil, err
	}
	if len(names) > 0 {
		if err := x.Apply(ctx, memory.Batch{Gone: names}); err != nil {
			return names, err
		}
	}
	for { // until nobody reads the log any more
		if err := x.Wipe(waiting); err != nil {
			return names, err
		}
		if info, err := os.Stat(index + "-wal"); err != nil || info.Size() == 0 {
			return names, nil
		}
		select {
		case <-waiting.Done():
			return names, waiting.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// filesSaying are the indexed files whose passages say it, each or all together.
func filesSaying(ctx context.Context, x memory.Trainable, said *copies.Words) (names []string, err error) {
	var file string
	var parts []memory.PassageText
	check := func() {
		slices.SortStableFunc(parts, func(a, b memory.PassageText) int { return cmp.Compare(a.Line, b.Line) })
		var whole strings.Builder
		for i := range parts {
			whole.WriteString(parts[i].Text + "\n")
		}
		if len(parts) > 0 && said.In(whole.String()) {
			names = append(names, file)
		}
	}
	for p, err := range x.Passages(ctx) { // by ID, and so by file
		if err != nil {
			return nil, err
		}
		if name := corpus.FileOf(p.ID); name != file {
			check()
			file, parts = name, parts[:0]
		}
		parts = append(parts, p)
	}
	check()
	return names, nil
}

// saying finds the lines of the project's own files that hold the words. A folder
// that is no project is not looked through: it may be a home full of other things.
func (c *Corpus) saying(ctx context.Context, words *copies.Words) ([]corpus.Place, error) {
	if !c.isProject() {
		return nil, nil
	}
	o, err := c.options(nil)
	if err != nil {
		return nil, err
	}
	return corpus.Find(ctx, o, func(text []byte) (at []int) {
		for _, found := range words.Find(text) {
			at = append(at, found.From)
		}
		return at
	})
}

// isProject reports whether the folder is one of a project, or was indexed.
func (c *Corpus) isProject() bool {
	if c.m.project.CommonDir != "" {
		return true
	}
	for _, path := range []string{c.m.project.Folder(), c.path()} {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return false
}
