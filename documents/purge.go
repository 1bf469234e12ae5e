package documents

import (
	"cmp"
	"context"
	"os"
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

// purgeWait is how long a purge waits for another process that indexes.
const purgeWait = 30 * time.Second

// PurgeIndex takes the files whose passages say something out of the index of a
// folder, and what was dropped earlier out of its free pages; it waits for its turn while
// another process indexes. names are the files that were taken out.
func PurgeIndex(ctx context.Context, index string, said *copies.Words) (names []string, err error) {
	waiting, cancel := context.WithTimeout(ctx, purgeWait)
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

// Saying finds the lines of the project's own files that hold the words. A folder
// that is no project is not looked through: it may be a home full of other things.
func (d *Documents) Saying(ctx context.Context, words *copies.Words) ([]corpus.Place, error) {
	if !d.isProject() {
		return nil, nil
	}
	o, err := d.options(nil)
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
func (d *Documents) isProject() bool {
	if d.h.Project.CommonDir != "" {
		return true
	}
	for _, path := range []string{d.h.Project.Folder(), d.path()} {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	return false
}
