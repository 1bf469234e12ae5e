package orihon

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"orihon/internal/sqlite"
	"orihon/memory"
)

// Examined is what [Memory.Examine] found.
type Examined struct {
	Items     int      // in the text
	Text      []string // problems, one line each with file and line
	Passages  int      // in the indexes
	Busy      bool     // another process is syncing an index, which was not compared
	Index     string   // what is wrong with an index; empty when nothing is
	IndexDir  string   // the folder of that index, when deleting it helps
	InTheWay  bool     // what is wrong is that something else stands in its place
	CoreLines int      // of the longest MEMORY.md
}

// Examine reads all text afresh, brings the indexes up to date and compares
// the two. An index that another process is syncing is left out of it.
func (m *Memory) Examine(ctx context.Context) (Examined, error) {
	var out Examined
	for _, sp := range []*space{m.personal, m.global} {
		if sp.empty() {
			continue
		}
		b, problems, err := sp.text.Changes(ctx, nil, memory.FullLook)
		if err != nil {
			return out, err
		}
		for _, p := range problems {
			out.Text = append(out.Text, p.String())
		}
		for _, err := range sp.text.Scan(ctx) {
			if err != nil {
				return out, err
			}
			out.Items++
		}
		if err := sp.compare(ctx, live(b.Put), &out); err != nil {
			out.Index, out.IndexDir = err.Error(), sp.dir.Index()
			out.InTheWay = sqlite.Blocked(sp.indexPath()) != nil
			if sqlite.Unwritable(err) {
				out.IndexDir = "" // to delete it would not help
			}
		}
		out.Text = append(out.Text, sp.misplaced()...)
		core, err := sp.text.Memory(ctx)
		if err != nil {
			return out, err
		}
		out.CoreLines = max(out.CoreLines, strings.Count(core, "\n"))
	}
	return out, nil
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
func (sp *space) compare(ctx context.Context, text int, out *Examined) error {
	if err := sqlite.Blocked(sp.indexPath()); err != nil {
		return err
	}
	done, err := sp.sync(ctx)
	if err != nil || done.Busy {
		out.Busy = out.Busy || done.Busy
		return err
	}
	if err := sp.index.Check(ctx); err != nil {
		if sqlite.Damaged(err) {
			err = errors.Join(err, sp.damaged())
		}
		return err
	}
	out.Passages += done.Passages
	statements, err := sp.index.Statements(ctx)
	if err != nil {
		return err
	}
	if statements != text {
		return fmt.Errorf("%s: %d statements stand in the index, %d in the text", sp.indexPath(), statements, text)
	}
	return nil
}
