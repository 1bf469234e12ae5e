package documents

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"

	"orihon/internal/corpus"
	"orihon/internal/sqlite"
	"orihon/memory"
)

// fresh is an index of files that embeds the prompts it is asked by itself
// and answers with what the files say now: those that it is about to name are
// looked at, and read again when their size or time is another than the index
// knows, or an earlier version made their passages. It serves one recall and writes nothing.
type fresh struct {
	*sqlite.Index
	embedder  memory.Embedder
	documents *Documents

	looked  map[string]bool // files that were compared with the disk
	left    map[string]bool // files whose passages are left out
	read    int64           // bytes of changed files that were read
	checked int64           // bytes of files of which only a reading tells
	batch   memory.Batch    // what the index does not have yet
}

const (
	// freshRounds bounds how often a search is repeated: where passages of a
	// changed file made room, those of another one come up.
	freshRounds = 3
	// freshBytes bounds what is read and cut again while a prompt waits, the best
	// hits first. Passages of further files that need it are left out.
	freshBytes = 256 << 10
	// checkBytes bounds what is read where size and time are those the index
	// knows and yet tell nothing. Further files are taken as unchanged.
	checkBytes = 4 << 20
)

// Search is the index's own, with the vector of its own embedder.
func (d *fresh) Search(ctx context.Context, s memory.Search) (memory.Candidates, error) {
	s.Vector = nil
	if vectors, err := d.embedder.Embed(ctx, []string{s.Text}); err == nil {
		s.Vector = vectors[0]
	}
	found, err := d.Index.Search(ctx, s)
	for range freshRounds {
		if err != nil {
			return found, err
		}
		changed, err := d.refresh(ctx, found.Hits)
		if err != nil {
			return found, err
		}
		if !changed {
			break
		}
		if found, err = d.Index.Search(ctx, s); err != nil {
			return found, err
		}
	}
	found.Hits = slices.DeleteFunc(found.Hits, func(c memory.Candidate) bool {
		return !d.looked[c.Passage.Source] || d.left[c.Passage.Source]
	})
	return found, err
}

// refresh compares the files of the hits with the disk and shows the index what
// those that have changed say; changed says that a search would find other
// passages. Files that are gone, or too much to be read now, are left out.
func (d *fresh) refresh(ctx context.Context, hits []memory.Candidate) (changed bool, err error) {
	best := slices.Clone(hits)
	slices.SortStableFunc(best, func(a, b memory.Candidate) int {
		return cmp.Or(cmp.Compare(b.Own, a.Own), cmp.Compare(b.Vector, a.Vector))
	})
	var names []string
	rank := make(map[string]int)
	for i := range best {
		if name := best[i].Passage.Source; !d.looked[name] {
			d.looked[name] = true
			rank[name] = len(names)
			names = append(names, name)
		}
	}
	known, err := d.FilesAt(ctx, names...)
	if err != nil {
		return false, err
	}
	slices.SortFunc(known, func(a, b memory.File) int { return cmp.Compare(rank[a.Path], rank[b.Path]) })
	var again []memory.File
	for i := range known {
		f := &known[i]
		info, err := os.Lstat(filepath.Join(d.documents.h.Project.Root, filepath.FromSlash(f.Path)))
		same := err == nil && info.Size() == f.Size && info.ModTime().Equal(f.MTime) && !corpus.Outdated(f)
		switch {
		case err != nil:
			d.left[f.Path] = true
		case same && (!corpus.Unsure(f) || d.checked+info.Size() > checkBytes):
		case same:
			d.checked += info.Size()
			again = append(again, *f)
		case d.read+info.Size() > freshBytes:
			d.left[f.Path] = true
		default:
			d.read += info.Size()
			again = append(again, *f)
		}
	}
	if len(again) == 0 {
		return false, nil
	}
	o, err := d.documents.options(nil)
	if err != nil {
		return false, err
	}
	b, err := corpus.Reread(ctx, o, again...)
	if err != nil || len(b.Replace)+len(b.Gone) == 0 {
		return false, err
	}
	d.batch.Put, d.batch.Replace, d.batch.Gone = append(d.batch.Put, b.Put...), append(d.batch.Replace, b.Replace...), append(d.batch.Gone, b.Gone...)
	return true, d.Pend(ctx, d.batch)
}
