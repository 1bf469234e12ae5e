package health

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"orihon/internal/memoryindex"
	"orihon/internal/space"
	"orihon/internal/sqlite"
	"orihon/memory"
)

// Examined is what [Health.Examine] found.
type Examined struct {
	Items     int      // in the text
	Text      []string // problems, one line each with file and line
	Passages  int      // in the indexes
	Busy      bool     // another process is syncing an index, which was not compared
	Index     string   // what is wrong with an index; empty when nothing is
	IndexDir  string   // the folder of that index, when deleting it helps
	InTheWay  bool     // what is wrong is that something else stands in its place
	CoreLines int      // of the longest MEMORY.md
	CoreMost  int      // that it should have
	Long      []string // atoms with more lines than memory.atom_lines, as "file: N lines"
	LongMost  int      // lines that an atom should have
}

// Examine reads all text afresh, brings the indexes up to date and compares
// the two. An index that another process is syncing is left out of it.
func (x *Health) Examine(ctx context.Context) (Examined, error) {
	out := Examined{CoreMost: x.h.Config.Memory.CoreLines, LongMost: x.h.Config.Memory.AtomLines}
	for _, sp := range x.h.Spaces() {
		if sp.Empty() {
			continue
		}
		b, problems, err := sp.Text.Changes(ctx, nil, memory.FullLook)
		if err != nil {
			return out, err
		}
		for _, p := range problems {
			out.Text = append(out.Text, p.String())
		}
		atoms := map[string]bool{}
		for it, err := range sp.Text.Scan(ctx) {
			if err != nil {
				return out, err
			}
			out.Items++
			if it.Item.Kind != memory.Note && strings.HasSuffix(it.Path, ".md") {
				atoms[sp.Text.FileOf(it.Path)] = true
			}
		}
		out.Long = append(out.Long, tooLong(atoms, out.LongMost)...)
		if err := compare(ctx, sp, live(b.Put), &out); err != nil {
			out.Index, out.IndexDir = err.Error(), sp.Dir.Index()
			out.InTheWay = sqlite.Blocked(sp.IndexPath()) != nil
			if sqlite.Unwritable(err) {
				out.IndexDir = "" // to delete it would not help
			}
		}
		out.Text = append(out.Text, misplaced(sp)...)
		core, err := sp.Text.Memory(ctx)
		if err != nil {
			return out, err
		}
		out.CoreLines = max(out.CoreLines, strings.Count(core, "\n"))
	}
	strange, err := memoryindex.Foreign(ctx, x.h)
	if err == nil && strange.Text != "" {
		out.Text = append(out.Text, fmt.Sprintf("%s:%d: others wrote into the program's section what you have not accepted: "+
			"orihon review --repository shows it, orihon memory-index writes the section anew", x.h.InProject(strange.File), strange.Line))
	}
	return out, err
}

// tooLong names the files of more lines than that.
func tooLong(files map[string]bool, most int) (out []string) {
	for _, file := range slices.Sorted(maps.Keys(files)) {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // its items could be read, or it is named already
		}
		if n := bytes.Count(text, []byte("\n")); n > most {
			out = append(out, fmt.Sprintf("%s: %d lines", file, n))
		}
	}
	return out
}

// live counts the passages that recall may find.
func live(put []memory.Passage) int {
	last := make(map[string]bool, len(put))
	for i := range put {
		last[put[i].ID] = !put[i].Retired
	}
	n := 0
	for _, ok := range last {
		if ok {
			n++
		}
	}
	return n
}

// compare checks an index's file and that it holds a passage for everything
// in the text.
func compare(ctx context.Context, sp *space.Space, text int, out *Examined) error {
	done, err := sp.Compare(ctx, text)
	out.Busy = out.Busy || done.Busy
	out.Passages += done.Passages
	return err
}
